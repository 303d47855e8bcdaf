package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// gaussian stands for a mechanism's event.
type gaussian struct{ mu float64 }

func (g gaussian) GDP(accountant.Neighbours) (mu, tv float64, err error) { return g.mu, 0, nil }
func (g gaussian) String() string                                        { return fmt.Sprintf("Gaussian(μ = %v)", g.mu) }
func (g gaussian) RDP(accountant.Neighbours) (accountant.Curve, error) {
	return func(alpha float64) float64 { return alpha * g.mu * g.mu / 2 }, nil
}

// A cell that runs twice pays once.
func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	cell := func(id string, mu float64) {
		l, err := ledger.OpenOrCreate(filepath.Join(dir, "adult.ledger"), ledger.Config{
			Budget:     accountant.Budget{Epsilon: 1, Delta: 1e-6},
			Neighbours: accountant.ReplaceOne,
			Dataset:    "adult",
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer l.Close()
		r, err := l.Release(context.Background(), ledger.Request{
			ID:    id, // a hash of the dataset's fingerprint, the pipeline and its parameters
			Event: gaussian{mu},
			Guarantee: accountant.Guarantee{
				Budget:     accountant.Budget{Epsilon: 0.5, Delta: 1e-6},
				Neighbours: accountant.ReplaceOne,
				Scope:      accountant.Scope{Kind: accountant.Unconditional},
			},
		}, func(context.Context) (json.RawMessage, error) { return json.Marshal(38.5) })
		if errors.Is(err, ledger.ErrBudget) {
			fmt.Println("the budget does not cover this")
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s, replayed: %v, %d charged\n", r.Value, r.Replayed, r.Status.Releases)
	}
	cell("5f2b1c0d9e8a7766", 0.12)
	cell("5f2b1c0d9e8a7766", 0.12)
	cell("0123456789abcdef", 0.21)
	// Output:
	// 38.5, replayed: false, 1 charged
	// 38.5, replayed: true, 1 charged
	// the budget does not cover this
}
