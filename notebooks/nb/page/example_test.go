package page_test

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/page"
)

// A notebook with one heading becomes a page of that title, which loads nothing from elsewhere.
func ExampleRender() {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5, Cells: []*nb.Cell{
		{Type: "markdown", Source: "# Incomes\n\nNoise of scale $\\sigma$.<script>x()</script>"},
	}}
	var b strings.Builder
	if err := page.Render(&b, n, page.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	html := b.String()
	fmt.Println(strings.Contains(html, "<title>Incomes</title>"))
	fmt.Println(strings.Contains(html, `<math alttext="\sigma"><mi>σ</mi></math>`))
	fmt.Println(strings.Contains(html, "x()"))
	// Output:
	// true
	// true
	// false
}
