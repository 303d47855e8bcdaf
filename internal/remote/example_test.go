package remote_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/internal/remote"
)

// A program that does not import dpkit makes no passes.
func ExamplePrepare() {
	_, err := remote.Prepare(context.Background(), remote.Job{})
	fmt.Println(err)
	// Output: remote: the program knows no releases: import package dpkit
}
