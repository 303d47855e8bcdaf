package tag_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/tag"
)

// A loss is printed with four digits, never below what it is.
func ExampleUp() {
	fmt.Println(tag.Up(1.0/3), tag.Down(1.0/3))
	// Output: 0.3334 0.3333
}
