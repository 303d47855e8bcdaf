package funcsource_test

import (
	"fmt"
	"os"

	"github.com/dpkit-go/dpnb/internal/funcsource"
)

// In a notebook a function is known by its source, elsewhere not at all.
func ExampleHash() {
	register := func(fn func(float64) float64) string { return funcsource.Hash(fn, "register", 0) }
	fmt.Printf("%q\n", register(func(x float64) float64 { return x }))
	_ = os.Setenv("GONB_TMP_DIR", os.TempDir())
	defer os.Unsetenv("GONB_TMP_DIR")
	one := register(func(x float64) float64 { return x + 1 })
	again := register(func(x float64) float64 { return x + 1 })
	two := register(func(x float64) float64 { return x + 2 })
	fmt.Println(one == again, one == two)
	// Output:
	// ""
	// true false
}
