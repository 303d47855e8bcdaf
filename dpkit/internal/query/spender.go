package query

import (
	"context"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Spender is a step that asks private queries of the rows that reach it, before it is fitted: a
// test of a number that its price rests on, or a private fit that prediction may use. Each query
// takes a share of the budget of the release at the end of the chain.
type Spender interface {
	stage.Preprocessor
	// Expenses describes the queries from public facts; none if the step was built without.
	Expenses(st stage.Stage) ([]Expense, error)
	// Measure computes their exact statistics, in order. What it returns is private.
	Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error)
}

// A PrivateFit is a spender whose row map is made of released values alone, so that prediction may
// use it.
type PrivateFit interface {
	Spender
	// Learn makes the map of the noisy answers to its queries.
	Learn(st stage.Stage, noisy [][]float64) (stage.RowMap, error)
}

// Bounded is a spender some of whose queries are private bounds.
type Bounded interface {
	Spender
	// WithBounds returns the step that rests on statistic ≥ b, for each of its private bounds in order, or on what a [Narrowing] found.
	WithBounds(st stage.Stage, b []float64) stage.Preprocessor
}

// Narrowing is a private fit behind which columns have bounds that come out at the release, within those that they have before. What follows
// is priced at the widest, and calibrated anew to what came out, with the same μ.
type Narrowing interface {
	PrivateFit
	Bounded
	// Awaits is how many numbers come out.
	Awaits() int
	// Find reads them off the noisy answers to its queries.
	Find(st stage.Stage, asked []Expense, noisy [][]float64) []float64
	// Narrowed reports whether the step rests on bounds that came out, not all of which are the widest.
	Narrowed(in frames.Schema) bool
	// Narrow are some that could come out, far from the widest.
	Narrow(in frames.Schema) []float64
	// Guess are the numbers with which predictions reckon; nil where nothing is known.
	Guess(in frames.Schema) []float64
}

// targeted is a mechanism that is calibrated to a target, so that steps can take shares of it.
type targeted interface{ Budget() accountant.Budget }

// TargetOf is the target of a mechanism that steps can take shares of: one of pure ε has none.
func TargetOf(m any) (accountant.Budget, bool) {
	t, ok := m.(targeted)
	if !ok || t.Budget().Delta == 0 {
		return accountant.Budget{}, false
	}
	return t.Budget(), true
}
