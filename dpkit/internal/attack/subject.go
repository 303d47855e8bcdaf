package attack

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Subject is what is attacked: a step or a chain of steps on one domain, and the state of the pairs that reach it.
type Subject struct {
	Schema     frames.Schema
	Neighbours accountant.Neighbours
	// Empty says that rows may have been removed before.
	Empty bool
	// Displaced names the numeric columns in which common rows may differ when they arrive; none: the rows arrive as they were.
	Displaced []string
	// Narrow measures the norm of the rows and the displacement of the free one, in place of what the domain says of them.
	Narrow bool
	// Points are numbers that the subject is written with: cells are drawn at and beside them.
	Points []float64
	// Within reports whether a side meets what the bounds are declared to rest on; nil: they hold on every side.
	Within func(*frames.Block) bool

	// Price follows a pair state through the subject. It sees public facts only, and is pure.
	Price func(State) (Claim, error)
	// Run transforms both sides, as a release would: what a release draws is the same on both.
	Run func(ctx context.Context, c Claim, a, b Side) (Output, Output, error)
}

// State is what is known of a pair that reaches the subject.
type State struct {
	Schema    frames.Schema
	Pair      pair.State
	Taint     map[string]bool
	Empty     bool
	Unordered bool
}

// Claim is what a subject states of a pair behind it.
type Claim struct {
	Schema    frames.Schema
	Pair      pair.State
	Taint     map[string]bool // every column in which common rows may differ
	Unordered bool            // rows correspond to each other up to a permutation
	// Sensitivities are those of the private queries that the subject asks, in order.
	Sensitivities []float64
	// Priced is the subject's own, for Run.
	Priced any
}

// Side is one side of a pair before a subject: its rows, and the blocks in which a scan gives them (see [InBlocks]).
type Side struct {
	Rows   *frames.Block
	Blocks []int
}

// Output is one side behind a subject.
type Output struct {
	Rows *frames.Block
	// Answers are the exact answers to the private queries, in order.
	Answers [][]float64
}

// Radius bounds the norm of a row of the schema; a category counts as a block of norm 1.
func Radius(s frames.Schema) float64 {
	cols := s.Columns()
	for i, c := range cols {
		if c.Kind == frames.KindCategory {
			cols[i] = frames.Numeric(c.Name, 0, 1)
		}
	}
	encoded, err := frames.NewSchema(cols...)
	if err != nil {
		return math.Inf(1)
	}
	return encoded.NormBound()
}

// state is the narrowest state of the pair as it reaches the subject.
func (s Subject) state(p Pair) (State, error) {
	st := State{Schema: s.Schema, Empty: s.Empty, Unordered: s.Empty}
	features := s.Schema.Features()
	n, radius := p.Len(), Radius(s.Schema)
	if s.Narrow {
		radius = 0
		for _, r := range p.Rows {
			radius = max(radius, size(features, r.A, r.EmptyA), size(features, r.B, r.EmptyB))
		}
		radius = max(up(radius), pair.MinRadius)
	}
	var err error
	if st.Pair, err = pair.Start(n, radius, s.Neighbours); err != nil {
		return st, err
	}
	if s.Narrow {
		free := p.Rows[0]
		st.Pair.DFree = max(up(apartFree(features, free.A, free.B, free.EmptyA, free.EmptyB)), leastStated)
	}
	if len(s.Displaced) == 0 {
		return st, nil
	}
	var d displacement
	for _, r := range p.Rows[1:] {
		d.add(apart(features, r.A, r.B, r.EmptyA, r.EmptyB), r.Times)
	}
	if st.Pair.M = d.moved; d.moved > 0 {
		st.Pair.T1, st.Pair.TF, st.Pair.TInf = max(up(d.sum), leastStated), max(up(d.frobenius), leastStated), max(up(d.largest), leastStated)
		st.Taint = map[string]bool{}
		for _, name := range s.Displaced {
			st.Taint[name] = true
		}
	}
	return st, nil
}

// leastStated is the least displacement that a state says: parts of a smaller one would underflow to nothing in the constants of a step.
const leastStated = 1e-300

// up covers the rounding of the norms of a few hundred numbers.
func up(x float64) float64 { return math.Nextafter(x*(1+0x1p-42), math.Inf(1)) }
