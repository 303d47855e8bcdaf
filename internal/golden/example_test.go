package golden_test

import (
	"encoding/json"
	"fmt"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// The files write some numbers in quotation marks, infinities among them.
func ExampleNumbers() {
	var n golden.Numbers
	fmt.Println(json.Unmarshal([]byte(`[0.5, "1e-6", "+Inf"]`), &n), n.Floats())
	// Output: <nil> [0.5 1e-06 +Inf]
}
