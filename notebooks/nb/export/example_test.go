package export_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

// Two cells become a Go package: the second, which runs, is a test.
func Example() {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5, Cells: []*nb.Cell{
		{Type: "code", Source: "import \"fmt\"\n\nfunc double(x int) int { return 2 * x }"},
		{Type: "code", Source: "%%\n//| output: contains 42\nfmt.Println(double(21))"},
	}}
	p, err := export.Notebook(n, export.Options{Name: "double.ipynb", Path: ".."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Tests, "test")
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		fmt.Println(name)
	}
	// Output:
	// 1 test
	// notebook_test.go
}
