package fresh_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/fresh"
)

func ExampleFloats() {
	table := fresh.Floats(1 << 20)
	fmt.Println(len(table), table[12345])
	// Output: 1048576 0
}

func ExampleAround() {
	piece := make([]byte, 0, 128<<10)
	fresh.Around(piece) // before it is written
	fmt.Println(len(append(piece, "cells"...)))
	// Output: 5
}
