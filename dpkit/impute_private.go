package dpkit

import (
	"context"
	"errors"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// PrivateMean imputes by means that are themselves released privately, with a share of the budget of
// the release: no row moves when another changes, and prediction fills missing cells by the same
// values. One Gaussian query asks for the sums and the counts of the observed cells together.
type PrivateMean struct {
	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
}

func (m PrivateMean) imputer(columns []string) Preprocessor {
	return privateMeanImpute{m, columnSet(columns)}
}

type privateMeanImpute struct {
	PrivateMean
	Columns columnSet
}

func (privateMeanImpute) kind() kind {
	return kind{"impute/private-mean", 1, "Impute", "dpkit.privateMeanImpute"}
}

func (privateMeanImpute) labelBlind() {}

func (m privateMeanImpute) Check(in frames.Schema) (frames.Schema, error) {
	if err := checkShare(m.Share); err != nil {
		return in, err
	}
	_, out, err := m.Columns.units(in)
	return out, err
}

// Propagate: given the released values the step is a public row map, with K = 1, as masks travel
// with rows.
func (m privateMeanImpute) Propagate(st Stage) (Propagation, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return Propagation{}, err
	}
	pr, err := columnwise(st, bounds{K: 1, R: imputedRadius(us, st.Out, st.Before.R)}, "privately released means fill missing cells: paid from the budget, no row moves")
	pr.Role = RolePrivate
	pr.Reference = "Gaussian mechanism; stability calculus §8, private fit"
	return pr, err
}

// expenses: a row gives each unit u the pair (z, o): o = 1 where it is observed, and z its value in
// units of the half-width from the middle (a block: of its height), z = o = 0 where it is missing. A
// replaced row changes (z, o) by at most 2 for a number and √2 for a block, missing or not; a row
// that is there on one side only by at most √2. A displaced row changes z alone, by its displacement
// over the half-width: its mask travels with it (docs/theory/calculus.md#private-fit).
func (m privateMeanImpute) expenses(st Stage) ([]expense, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	var replaced, single, lip float64
	coordinates := 0
	for _, u := range us {
		coordinates += u.len + 1
		single += 2
		if replaced += 4; u.block {
			replaced -= 2
		}
		lip = max(lip, 1/u.half())
	}
	p := st.Before
	s := float64(p.F) * math.Sqrt(replaced)
	if p.Neighbours == accountant.AddRemove {
		s = float64(p.F-1)*math.Sqrt(replaced) + math.Sqrt(single)
	}
	if p.Displaced() {
		s += min(up(lip)*p.T1, 2*float64(p.M)*math.Sqrt(single))
	}
	// The sums are compensated: each side is off by 2^-49·n a coordinate at most.
	n := float64(p.N)
	s += math.Sqrt(float64(coordinates)) * (0x1p-48*n + n*n*0x1p-103)
	return []expense{{
		what: "means of the observed cells", share: m.Share,
		query: gaussianQuery{coordinates: coordinates, sensitivity: up(s), max: n},
	}}, nil
}

// half is the unit of z: half the width of a number, the height of a block.
func (u unit) half() float64 {
	if u.block {
		return u.hi
	}
	return (u.hi - u.lo) / 2
}

func (m privateMeanImpute) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	sums := make([][]neumaier, len(us))
	counts := make([]int, len(us))
	for k, u := range us {
		sums[k] = make([]neumaier, u.len)
	}
	err = scanRows(ctx, in, func(row []float64, _ float64) {
		for k, u := range us {
			if math.IsNaN(row[u.at]) {
				continue
			}
			counts[k]++
			for j := range sums[k] {
				sums[k][j].add(clamp((row[u.at+j]-u.middle())/u.half(), -1, 1))
			}
		}
	})
	var out []float64
	for k := range us {
		for j := range sums[k] {
			out = append(out, sums[k][j].sum())
		}
		out = append(out, float64(counts[k]))
	}
	return [][]float64{out}, err
}

func (u unit) middle() float64 {
	if u.block {
		return 0
	}
	return u.lo + (u.hi-u.lo)/2
}

// learn: the ratio of noisy sum and count, in the domain of the column.
func (m privateMeanImpute) learn(st Stage, noisy [][]float64) (RowMap, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	op := &FillOp{}
	at := noisy[0]
	for _, u := range us {
		count := max(at[u.len], 1)
		values := make([]float64, u.len)
		total := 0.0
		for j := range values {
			lo := u.lo
			if u.block {
				lo = 0
			}
			values[j] = clamp(u.middle()+u.half()*at[j]/count, lo, u.hi)
			total += values[j]
		}
		for j, v := range values {
			if u.block && total > u.hi { // back into the simplex of the block's rows
				v *= u.hi / total
			}
			op.Columns, op.Values = append(op.Columns, u.at+j), append(op.Values, v)
		}
		at = at[u.len+1:]
	}
	return RowMap{{Fill: op}}, nil
}

// Fit is not called: the map is made of released values.
func (m privateMeanImpute) Fit(context.Context, frames.Source, Stage) (Transform, error) {
	return nil, errPrivateFit
}

// errPrivateFit is the Fit of a step that learns from released values.
var errPrivateFit = errors.New("its fit is a private release, which needs the budget of the chain's end")

var _ privateFit = privateMeanImpute{}
