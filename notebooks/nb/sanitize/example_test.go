package sanitize_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// A script and an event handler vanish, an id gets a prefix that is unique in the page, and what was left open is closed.
func Example() {
	clean := sanitize.HTML(`<p id="a" onclick="x()">Rows<script>x()</script><img src="https://example.org/a.png" alt="A plot">`,
		sanitize.Options{IDPrefix: "o1-"})
	fmt.Println(clean.HTML)
	fmt.Println("removed something:", clean.Removed)
	// Output:
	// <p id="o1-a">Rows<a class="external" href="https://example.org/a.png" rel="noopener noreferrer">A plot</a></p>
	// removed something: true
}
