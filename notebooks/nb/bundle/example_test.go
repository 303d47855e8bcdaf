package bundle_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb/bundle"
)

func Example() {
	cells := [][]byte{
		[]byte("package main\n\nfunc one() int { return 1 }\n\nfunc main() { println(one()) }\n"),
		[]byte("package main\n\nfunc one() int { return 1 }\n\nvar two = 2\n\nfunc main() { println(one() + two) }\n"),
		[]byte("package main\n\nfunc one() int { return -1 }\n\nfunc main() { println(one()) }\n"), // another one()
	}
	for _, p := range bundle.Join(cells) {
		fmt.Println("one program of the cells", p.Cells)
	}
	// Output: one program of the cells [0 1]
}
