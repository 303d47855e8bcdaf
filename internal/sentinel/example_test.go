package sentinel_test

import (
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/internal/sentinel"
)

func Example() {
	err := fmt.Errorf("rows: got -1, want at least 0: %w", sentinel.ErrParameter)
	fmt.Println(err, errors.Is(err, sentinel.ErrParameter))
	// Output: rows: got -1, want at least 0: bad parameter true
}
