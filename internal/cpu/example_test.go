package cpu_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/cpu"
)

// Code for vectors is chosen once, and Go alone does without them.
func ExampleDetect() {
	set := cpu.Detect()
	fmt.Println(set >= cpu.Portable, cpu.Portable)
	// Output:
	// true Go
}
