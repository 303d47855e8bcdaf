package steps

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// An equivariant imputer fills a cell by a value that moves with an increasing affine map of the
// column: scaling first and imputing then is the same map of the rows.
type equivariant interface {
	stage.Preprocessor
	columnsOf() ColumnSet
	weight() float64 // κ: bound on the weights of its L-statistic; 0 for a public value
}

func (m MeanImpute) columnsOf() ColumnSet { return m.Columns }

func (m MeanImpute) weight() float64 { return 1 }

func (m TrimmedImpute) columnsOf() ColumnSet { return m.Columns }

func (m TrimmedImpute) weight() float64 { return m.kappa() }

func (m MidpointImpute) columnsOf() ColumnSet { return m.Columns }

func (m MidpointImpute) weight() float64 { return 0 }

// Follow prices Scale before the imputations that it stands behind, where that is tighter.
func (Scale) Follow(before []PricedStep, st stage.Stage, pr *stage.Propagation) error {
	if q, ok := fuse(before, st, *pr); ok {
		pr.Pair = q
		pr.Note += "; priced as if before the imputation, with which it commutes"
	}
	return nil
}

// fuse prices a Scale behind imputations as if it stood before them, with which it commutes (docs/theory/calculus.md#scaling-behind-imputation). That
// is tighter where the imputed columns have different widths: one number for the displacement of
// a row cannot tell a wide column that will shrink from a narrow one that will not. It reports
// false where the steps do not commute or nothing is gained.
func fuse(stages []PricedStep, st stage.Stage, pr stage.Propagation) (pair.State, bool) {
	first := len(stages)
	for first > 0 {
		if _, ok := stages[first-1].Step.(equivariant); !ok || leavesBall(stages[first-1].Stage) {
			break
		}
		first--
	}
	if first == len(stages) || !pr.Pair.Displaced() {
		return pair.State{}, false
	}
	// The chain with Scale first.
	cur := stages[first].Stage
	schema, state, taint := cur.In, cur.Before, cur.Taint
	steps := []stage.Preprocessor{Scale{}}
	for _, s := range stages[first:] {
		steps = append(steps, s.Step)
	}
	for _, step := range steps {
		out, err := step.Check(schema)
		if err != nil {
			return pair.State{}, false
		}
		moved := stage.Stage{In: schema, Out: out, Before: state, Taint: taint, Empty: cur.Empty, Unordered: cur.Unordered}
		next, err := step.Propagate(moved)
		if err != nil {
			return pair.State{}, false
		}
		moved.After = next.Pair
		if leavesBall(moved) {
			return pair.State{}, false
		}
		schema, state, taint = out, next.Pair, next.Taint
	}
	if schema.Hash() != st.Out.Hash() {
		return pair.State{}, false
	}
	// What runs computes the fills in the units before Scale: their rounding grows with it.
	q, err := state.Propagate(pair.StepBounds{K: 1, KF: 1, Jump: fillRounding(stages[first:], st), R: state.R, ResetFree: true})
	return q, err == nil && q.T1 < pr.Pair.T1
}

// fillRounding bounds by how much the fills of a row, computed before Scale in floating point, can
// move two rows apart after it.
func fillRounding(imputers []PricedStep, st stage.Stage) float64 {
	op := domain.ScaleOp(st.In)
	sum := stage.Rounding(len(op.Scale), 1)
	for _, s := range imputers {
		e := s.Step.(equivariant)
		us, _, err := e.columnsOf().units(s.In)
		if err != nil {
			return math.Inf(1)
		}
		for _, u := range us {
			sum += (e.weight() + 1) * 0x1p-46 * u.Size() * op.Scale[u.At] * math.Sqrt(float64(u.Len))
		}
	}
	return stage.Up(sum)
}
