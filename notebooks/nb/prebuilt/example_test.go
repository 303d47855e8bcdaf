package prebuilt_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

func ExampleBuild() {
	first := prebuilt.Build{Mod: []byte("module gonb_1\n\ngo 1.26\n"), Main: []byte("package main\n")}
	next := first
	next.Mod = []byte("module gonb_2\n\ngo 1.26\n") // of another kernel
	other := first
	other.Main = []byte("package main // another cell\n")
	fmt.Println(first.Name() == next.Name(), first.Name() == other.Name())
	// Output: true false
}
