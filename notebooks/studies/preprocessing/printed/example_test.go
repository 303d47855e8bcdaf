package printed_test

import (
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/notebooks/studies/preprocessing/printed"
)

// A bound that the paper prints, and what is known of it.
func ExampleTable2() {
	table, err := printed.Table2(printed.Setting{
		Order: 11, Epsilon: 0.1, Rows: 100_000, Columns: 1,
		Cluster: 10, Eta: 0.05, Missing: 100, Gap: 0.1, Std: 0.05,
	})
	if err != nil {
		log.Fatal(err)
	}
	c, _ := table.Cell(printed.Gaussian, printed.Scaling)
	fmt.Println("printed:", c.Printed, "false:", c.False)
	fmt.Println("direct: ", c.Direct)
	// Output:
	// printed: 3696.12 (not a guarantee) false: true
	// direct:  35376.2 (not a guarantee)
}
