package page

import (
	"io"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// BenchmarkRender renders the sample with a table of 20 000 cells.
func BenchmarkRender(b *testing.B) {
	n := sampleNotebook()
	table := "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>1.25</td>", 20)+"</tr>", 1000) + "</table>"
	n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: "x", Outputs: []nb.Output{display("text/html", table)}})
	for b.Loop() {
		if err := Render(io.Discard, n, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRenderQuickstart renders the quickstart as it is stored.
func BenchmarkRenderQuickstart(b *testing.B) {
	n, err := nb.ReadFile("../../quickstart.ipynb")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Render(io.Discard, n, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
