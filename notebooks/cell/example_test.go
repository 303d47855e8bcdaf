package cell_test

import (
	"fmt"
	"strconv"

	"github.com/dpkit-go/dpnb/notebooks/cell"
)

func ExampleMust() {
	rows := cell.Must(strconv.Atoi("26049"))
	fmt.Println(rows)
	// Output: 26049
}

func ExampleCheck() {
	cell.Check(nil) // an error would end the cell here
	fmt.Println("goes on")
	// Output: goes on
}
