package sanitizetest_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize/sanitizetest"
)

// HTML that may be in a page, and some that may not.
func Example() {
	fmt.Println(sanitizetest.Unsafe(`<p class="x">text</p>`))
	fmt.Println(sanitizetest.Unsafe(`<p onclick="x()">text</p>`))
	fmt.Println(sanitizetest.Unsafe(`</div>`))
	// Output:
	// <nil>
	// attribute onclick in "<p onclick=\"x()\">text</p>"
	// unbalanced: </div> where [] is open in "</div>"
}
