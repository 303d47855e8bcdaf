package theme_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// The marks of an axis.
func ExampleTicks() {
	for _, x := range theme.Ticks(-0.25, 0.55) {
		fmt.Printf("%6s", theme.TickLabel(x))
	}
	fmt.Println()
	// Output:
	//   −0.2     0   0.2   0.4
}
