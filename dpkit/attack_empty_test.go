package dpkit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// TestAttackEmptyRows: rows that are empty count as zeros in a fit, also where 0 is no value of the
// column, and one free row may be empty on one side: removed by an earlier step, or absent under
// the add/remove relation.
func TestAttackEmptyRows(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("far", 1, 2), frames.Numeric("near", -1, 1), frames.Numeric("below", -0.5, -0.1)))
	for _, c := range []struct {
		name string
		step Preprocessor
	}{
		{"centre", center{}},
		{"standard", standardize{Standard{Floor: 0.1}, nil}},
		{"standard, two columns, gain", standardize{Standard{Floor: 0.1, Gain: 0.5}, columnSet{"far", "below"}}},
		{"rms", standardize{RMS{Floor: 0.1}, nil}},
		{"soft selection", softSelect{SoftSelect{Lambda: 0.02}}},
		{"winsorised", smoothWinsor{SmoothedQuantile{Q: 0.2, Window: 0.3}, columnSet{"far", "near", "below"}}},
		{"Tikhonov", spectral{spectralFit{Tikhonov{Lambda: 0.05}}}},
		{"centred soft threshold", centredSpectral{spectralFit{SoftThreshold{Lambda: 0.05, Centered: true}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(41, 1))
			worst := 0.0
			for range 1500 {
				n := 2 + r.IntN(8)
				rel, empties := ReplaceOne, true
				if r.IntN(2) == 0 {
					rel, empties = AddRemove, r.IntN(2) == 0
				}
				st := Stage{In: schema, Empty: empties, Before: must(accountant.Start(n, startRadius(schema), rel))}
				st.Out = must(c.step.Check(schema))
				pr := must(c.step.Propagate(st))
				st.After = pr.Pair
				a := rowsWithHoles(r, schema, n, empties)
				b := &matrix{schema: schema, cols: a.cols, x: slices.Clone(a.x), empty: slices.Clone(a.empty)}
				side := []*matrix{a, b}[r.IntN(2)]
				clear(side.row(0))
				side.empty[0] = true // the other side's row 0 may be empty or not
				if rel == ReplaceOne && r.IntN(2) == 0 {
					fillRow(r, schema, side.row(0))
					side.empty[0] = false
				}
				ya, yb := transformWith(t, c.step, st, a), transformWith(t, c.step, st, b)
				d := displacement(ya, yb)
				free := 0.0
				for j, v := range ya.row(0) {
					free = math.Hypot(free, v-yb.row(0)[j])
				}
				for k, bound := range [3]float64{pr.Pair.T1, pr.Pair.TF, pr.Pair.TInf} {
					if worst = max(worst, d[k]/bound); !(d[k] <= bound) {
						t.Fatalf("n = %d, %v: displacement %d is %v, above its bound %v", n, rel, k, d[k], bound)
					}
				}
				if !(free <= pr.Pair.D()) {
					t.Fatalf("n = %d, %v: the free row moved by %v, above its bound %v", n, rel, free, pr.Pair.D())
				}
				for i := range n {
					if !(norm2(ya.row(i)) <= up(pr.Pair.R)) {
						t.Fatalf("row norm %v above R = %v", norm2(ya.row(i)), pr.Pair.R)
					}
					for j, col := range st.Out.Features() {
						if v := ya.row(i)[j]; !ya.empty[i] && !(v >= col.Lo-1e-12 && v <= col.Hi+1e-12) {
							t.Fatalf("column %q left [%v, %v] with %v", col.Name, col.Lo, col.Hi, v)
						}
					}
				}
			}
			t.Logf("worst observed/bound: %.3f", worst)
			if worst < 0.1 {
				t.Errorf("worst observed/bound is %.3f: the attack has lost its teeth", worst)
			}
		})
	}
}

// rowsWithHoles draws rows at random and at the corners of their domain, row 0 present.
func rowsWithHoles(r *rand.Rand, s frames.Schema, n int, holes bool) *matrix {
	d := len(s.Features())
	m := &matrix{schema: s, cols: d, x: make([]float64, n*d), empty: make([]bool, n)}
	alike, share := r.IntN(2) == 0, r.Float64()
	for i := range n {
		switch {
		case holes && i > 0 && r.Float64() < share:
			m.empty[i] = true
		case alike && i > 1 && !m.empty[i-1]:
			copy(m.row(i), m.row(i-1))
		default:
			fillRow(r, s, m.row(i))
		}
	}
	return m
}

func fillRow(r *rand.Rand, s frames.Schema, row []float64) {
	for j, c := range s.Features() {
		row[j] = []float64{c.Lo, c.Hi, c.Lo + (c.Hi-c.Lo)*r.Float64()}[r.IntN(3)]
	}
}

func transformWith(t *testing.T, p Preprocessor, st Stage, src *matrix) *matrix {
	t.Helper()
	f, err := p.Fit(context.Background(), src, st)
	if err != nil {
		t.Fatal(err)
	}
	return must(materialise(context.Background(), src, st.Out, f))
}
