package gonb_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/gonb"
)

// A program that is no cell of a notebook has nobody to send a display to.
func ExampleInNotebook() {
	if gonb.InNotebook() {
		_ = gonb.Send(gonb.Display{Data: map[string]string{"text/plain": "42"}}, true)
		return
	}
	fmt.Println(42)
	// Output: 42
}
