package kernel_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// Each failure has an error to ask for. A cell that asks for a limit that is none is refused before a kernel starts.
func ExampleRun() {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5, Cells: []*nb.Cell{
		{Type: "code", Source: "//| timeout: soon\n%%\nfmt.Println(6 * 7)"},
	}}
	report, err := kernel.Run(context.Background(), n, kernel.Options{Progress: func(e kernel.Event) {
		if e.Kind == kernel.CellOutput {
			fmt.Print(e.Text)
		}
	}})
	var cell *kernel.CellError
	switch {
	case errors.As(err, &cell):
		fmt.Println("cell", cell.Cell, "line", cell.Line)
	case errors.Is(err, kernel.ErrUnavailable):
		fmt.Println("there is no Go, or no GoNB")
	case err != nil:
		fmt.Println(err)
	}
	for _, c := range report.Cells {
		fmt.Println(c.Status)
	}
	// Output:
	// nb: cell 1: bad time limit: directive timeout: got "soon", want a duration such as 30s
	// skipped
}
