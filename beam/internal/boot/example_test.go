package boot_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/beam/internal/boot"
)

// A runner gives its command both.
func ExampleWork() {
	fmt.Println(boot.Work(context.Background(), "", "localhost:4321"))
	// Output: beam: worker: got no -id or no -provision_endpoint, want both, as a runner gives them to the command of -environment_config
}
