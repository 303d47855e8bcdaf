package nb

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkWriteHTML renders the sample with a table of 20 000 cells.
func BenchmarkWriteHTML(b *testing.B) {
	n := htmlSample()
	table := "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>1.25</td>", 20)+"</tr>", 1000) + "</table>"
	n.Cells = append(n.Cells, &Cell{Type: "code", Source: "x", Outputs: []Output{htmlTestDisplay("text/html", table)}})
	for b.Loop() {
		if err := WriteHTML(io.Discard, n, HTMLOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
