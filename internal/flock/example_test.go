package flock_test

import (
	"fmt"
	"os"

	"github.com/dpkit-go/dpnb/internal/flock"
)

func ExampleTry() {
	f, err := os.CreateTemp("", "lock")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	held, err := flock.Try(f)
	fmt.Println(held == flock.Supported, err == nil == flock.Supported)
	// Output: true true
}
