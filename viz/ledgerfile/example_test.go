package ledgerfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/viz/ledgerfile"
)

// A whole ledger file is verified without changing it.
func ExampleVerify() {
	dir, err := os.MkdirTemp("", "ledgerfile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "adult.ledger")
	l, err := ledger.OpenOrCreate(path, ledger.Config{
		Budget:     accountant.Budget{Epsilon: 1, Delta: 1e-6},
		Neighbours: accountant.ReplaceOne,
		Dataset:    "adult",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := l.Close(); err != nil {
		fmt.Println(err)
		return
	}
	v := ledgerfile.Verify(path)
	fmt.Println(v.OK(), v.Problems)
	// Output:
	// true []
}
