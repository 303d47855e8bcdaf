package memo_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/memo"
)

// What was computed for a key is kept.
func ExampleMemo() {
	var squares memo.Memo[int, int]
	for range 2 {
		fmt.Println(squares.Of(7, func() int {
			fmt.Println("computed")
			return 7 * 7
		}))
	}
	// Output:
	// computed
	// 49
	// 49
}
