package dpkit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// A ledger outlives the program: a release that was paid for replays, and a new draw of it is paid for again.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "dpkit")
	check(err)
	defer os.RemoveAll(dir)
	path, rows := filepath.Join(dir, "patients.ledger"), frames.Source(patients())
	session, err := dpkit.Create(rows, dpkit.Options{
		Ledger: path, Budget: dpkit.Budget{Epsilon: 2, Delta: 1e-5}, Neighbours: dpkit.AddRemove, Dataset: "invented patients",
	})
	check(err)
	wards := func(s *dpkit.Session) dpkit.Plan[dpkit.Estimates] {
		return s.Data().Histogram("ward", dpkit.Target{Epsilon: 0.5, Delta: 1e-6}).Named("wards")
	}
	_, err = wards(session).Release(context.Background())
	check(err)
	check(session.Close())

	session, err = dpkit.Open(rows, path)
	check(err)
	defer session.Close()
	check(session.Memory(64 << 20)) // bytes for tables: a larger one is read anew for every fit
	again, err := wards(session).Release(context.Background())
	check(err)
	fresh, err := wards(session).Fresh().Release(context.Background())
	check(err)
	fmt.Println("replayed:", again.Replayed, "and drawn anew:", !fresh.Replayed)
	// Output:
	// replayed: true and drawn anew: true
}

// Errors to branch on: what is wrong with a chain is told before any row is read.
func Example_errorsToBranchOn() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	for _, chain := range []dpkit.Pipeline{
		session.Data().Select("height"), session.Data().ClipNorm(-1), session.Data().Select("age").Scale().Dedup(dpkit.Ball{Eta: 0.1, MaxCluster: 2}).Center().Dedup(dpkit.Exact{}),
	} {
		_, err := chain.Mean(target).Cost()
		switch {
		case errors.Is(err, dpkit.ErrColumn):
			fmt.Println("there is no such column")
		case errors.Is(err, dpkit.ErrParameter):
			fmt.Println("a number is out of its range")
		case errors.Is(err, dpkit.ErrOrder):
			fmt.Println("no bound holds at this place of the chain")
		case errors.Is(err, dpkit.ErrInitialiser), errors.Is(err, dpkit.ErrModelFile), errors.Is(err, dpkit.ErrRefused):
			fmt.Println("of releases and models")
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// there is no such column
	// a number is out of its range
	// no bound holds at this place of the chain
}

// A release that may fail, here groups that are found, needs a reserve. Cost warns of it, the release is refused, and a larger Reserve is taken
// over until something was charged.
func ExampleCreate_reserve() {
	dir, err := os.MkdirTemp("", "dpkit")
	check(err)
	defer os.RemoveAll(dir)
	options := dpkit.Options{
		Ledger: filepath.Join(dir, "patients.ledger"), Budget: dpkit.Budget{Epsilon: 2, Delta: 1e-5}, Neighbours: dpkit.AddRemove, Dataset: "patients of a reserve",
	}
	for _, options.Reserve = range []float64{0, 2e-6} {
		session, err := dpkit.Create(patients(), options)
		check(err)
		found := session.Data().By("ward").People().Found(dpkit.Target{Epsilon: 1, Delta: 1e-6})
		cost, err := found.Cost()
		check(err)
		_, err = found.Release(context.Background())
		fmt.Println("warnings:", len(cost.Warnings), "refused:", errors.Is(err, dpkit.ErrBudget))
		check(session.Close())
	}
	// Output:
	// warnings: 1 refused: true
	// warnings: 0 refused: false
}
