package steps

import (
	"context"
	"errors"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PrivateMean imputes by means that are themselves released privately, with a share of the budget of
// the release: no row moves when another changes, and prediction fills missing cells by the same
// values. One Gaussian query asks for the sums and the counts of the observed cells together.
type PrivateMean struct {
	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
}

func (m PrivateMean) Imputer(columns []string) stage.Preprocessor {
	return PrivateMeanImpute{m, ColumnSet(columns)}
}

// PrivateMeanImpute is Impute(PrivateMean{…}): means are released, by a share of the budget, and no row moves when another
// changes.
type PrivateMeanImpute struct {
	PrivateMean
	Columns ColumnSet
}

func (PrivateMeanImpute) Kind() kind.Kind {
	return kind.Kind{Name: "impute/private-mean", Law: 1, Call: "Impute", Was: "dpkit.privateMeanImpute"}
}

func (PrivateMeanImpute) LabelBlind() {}

func (m PrivateMeanImpute) Check(in frames.Schema) (frames.Schema, error) {
	if err := query.CheckShare(m.Share); err != nil {
		return in, err
	}
	_, out, err := m.Columns.units(in)
	return out, err
}

// Propagate: given the released values the step is a public row map, with K = 1, as masks travel
// with rows.
func (m PrivateMeanImpute) Propagate(st stage.Stage) (stage.Propagation, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	pr, err := stage.Columnwise(st, stage.Bounds{K: 1, R: imputedRadius(us, st.Out, st.Before.R)}, "privately released means fill missing cells: paid from the budget, no row moves")
	pr.Role = stage.RolePrivate
	pr.Reference = "Gaussian mechanism; stability calculus §8, private fit"
	return pr, err
}

// Expenses: a row gives each unit u the pair (z, o): o = 1 where it is observed, and z its value in
// units of the half-width from the middle (a block: of its height), z = o = 0 where it is missing. A
// replaced row changes (z, o) by at most 2 for a number and √2 for a block, missing or not; a row
// that is there on one side only by at most √2. A displaced row changes z alone, by its displacement
// over the half-width: its mask travels with it (docs/theory/calculus.md#private-fit).
func (m PrivateMeanImpute) Expenses(st stage.Stage) ([]query.Expense, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	var replaced, single, lip float64
	coordinates := 0
	for _, u := range us {
		coordinates += u.Len + 1
		single += 2
		if replaced += 4; u.Block {
			replaced -= 2
		}
		lip = max(lip, 1/u.Half())
	}
	p := st.Before
	s := float64(p.F) * math.Sqrt(replaced)
	if p.Neighbours == accountant.AddRemove {
		s = float64(p.F-1)*math.Sqrt(replaced) + math.Sqrt(single)
	}
	if p.Displaced() {
		s += min(stage.Up(lip)*p.T1, 2*float64(p.M)*math.Sqrt(single))
	}
	// The sums are compensated: each side is off by 2^-49·n a coordinate at most.
	n := float64(p.N)
	s += math.Sqrt(float64(coordinates)) * (0x1p-48*n + n*n*0x1p-103)
	return []query.Expense{{
		What: "means of the observed cells", Share: m.Share,
		Query: query.GaussianQuery{Coordinates: coordinates, Sensitivity: stage.Up(s), Max: n},
	}}, nil
}

func (m PrivateMeanImpute) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	width := len(us)
	for _, u := range us {
		width += u.Len
	}
	// Of each unit the sums of its cells, and behind them the rows that have some: their number is exact.
	sums, err := rows.NumberSums(ctx, rows.Bind(rows.Over(in), "units", us), width, func() func([]rows.ExactSum, []float64, float64) {
		return func(sums []rows.ExactSum, row []float64, _ float64) {
			for _, u := range us {
				if !math.IsNaN(row[u.At]) {
					for j := range u.Len {
						sums[j].Add(num.Clamp((row[u.At+j]-u.Middle())/u.Half(), -1, 1))
					}
					sums[u.Len].Add(1)
				}
				sums = sums[u.Len+1:]
			}
		}
	})
	out := make([]float64, len(sums))
	for j := range sums {
		out[j] = sums[j].Sum()
	}
	return [][]float64{out}, err
}

// Learn: the ratio of noisy sum and count, in the domain of the column.
func (m PrivateMeanImpute) Learn(st stage.Stage, noisy [][]float64) (stage.RowMap, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	op := &stage.FillOp{}
	at := noisy[0]
	for _, u := range us {
		count := max(at[u.Len], 1)
		values := make([]float64, u.Len)
		total := 0.0
		for j := range values {
			lo := u.Lo
			if u.Block {
				lo = 0
			}
			values[j] = num.Clamp(u.Middle()+u.Half()*at[j]/count, lo, u.Hi)
			total += values[j]
		}
		for j, v := range values {
			if u.Block && total > u.Hi { // back into the simplex of the block's rows
				v *= u.Hi / total
			}
			op.Columns, op.Values = append(op.Columns, u.At+j), append(op.Values, v)
		}
		at = at[u.Len+1:]
	}
	return stage.RowMap{{Fill: op}}, nil
}

// Fit is not called: the map is made of released values.
func (m PrivateMeanImpute) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return nil, errPrivateFit
}

// errPrivateFit is the Fit of a step that learns from released values.
var errPrivateFit = errors.New("its fit is a private release, which needs the budget of the chain's end")

var _ query.PrivateFit = PrivateMeanImpute{}
