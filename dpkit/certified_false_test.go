package dpkit

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestFalseCertificates: where a declared number is wrong the guarantee is void, and nothing else: rows stay finite, inside
// the bounds and the ball that the chain promises to what is behind it.
func TestFalseCertificates(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		build func(p Pipeline, size float64) Pipeline
	}{
		{"missing rows", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Mean{Pad: 1, MaxMissing: Declare(1)})
		}},
		{"observed values", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Mean{Pad: 1, MinObserved: Declare(20)})
		}},
		{"trimmed, observed values", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(TrimmedMean{Trim: 0.4, Pad: 1, MinObserved: Declare(20)})
		}},
		{"median, missing rows", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Median{MaxMissing: Declare(1)})
		}},
		{"ridge, eigenvalue", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Ridge{Lambda: 1e-6, Pad: 1, MinEigen: Declare(20), MaxMissing: Declare(1)})
		}},
		{"spread", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Midpoint{}).Standardize(Standard{MinSpread: Declare(0.4)}, "x")
		}},
		{"spread, with a gain", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Midpoint{}).Standardize(Standard{MinSpread: Declare(1e-9), Gain: 1e9})
		}},
		{"gap", func(p Pipeline, _ float64) Pipeline {
			return p.Impute(Midpoint{}).PCA(Hard{K: 1, Gap: Declare(0.9)})
		}},
		{"block, removed", func(p Pipeline, size float64) Pipeline {
			return p.Impute(Midpoint{}).Dedup(Ball{Eta: size / 4, MaxBlock: Declare(2)})
		}},
		{"block, moved", func(p Pipeline, size float64) Pipeline {
			return p.Impute(Midpoint{}).QuantizeBall(Ball{Eta: size / 4, MaxBlock: Declare(2)})
		}},
		{"cluster, moved", func(p Pipeline, size float64) Pipeline {
			return p.Impute(Midpoint{}).QuantizeBall(Ball{Eta: size / 4, MaxCluster: 2, Declared: true})
		}},
	} {
		for _, size := range []float64{4 * frames.MinWidth, 1, frames.MaxBound / 2} {
			s := must(frames.NewSchema(
				frames.Numeric("w", -size, size), frames.Numeric("x", -size, size).MayMiss(), frames.Numeric("z", size, size+max(frames.MinWidth, 0x1p-40*size)).MayMiss(), frames.Label("y", "no", "yes"),
			))
			for name, cell := range map[string]func(i int) float64{
				"constant":         func(int) float64 { return size },
				"one row differs":  func(i int) float64 { return size * float64(min(i, 1)) },
				"a hair of spread": func(i int) float64 { return size * (0.5 + 0x1p-53*float64(i%3)) },
				"subnormal":        func(i int) float64 { return 5e-324 * float64(i%2) },
				"zero":             func(int) float64 { return 0 },
				"missing":          func(int) float64 { return nan },
				"one is there": func(i int) float64 {
					if i == 3 {
						return -size
					}
					return nan
				},
			} {
				t.Run(fmt.Sprintf("%s/%g/%s", c.name, size, name), func(t *testing.T) {
					table := make([][]float64, 24)
					for i := range table {
						w, x := cell(i), cell(i)
						if math.IsNaN(w) {
							w = size
						}
						table[i] = []float64{w, x, nan, 0}
					}
					p := c.build(demo(t, frameOf(t, s, table)).Data(), size)
					stages, end, err := p.trace()
					if err != nil {
						t.Fatal(err)
					}
					if end.Before.R < num.MinSize/2 || scopeOf(stages).Validate() != nil {
						t.Fatalf("R = %g, %v", end.Before.R, scopeOf(stages))
					}
					q := quote{stages: stages, end: end}
					out, err := q.apply(t.Context(), p.s.src, nil)
					if err != nil {
						t.Fatal(err)
					}
					m := out.rows.(*rows.Matrix)
					for i := range m.Rows() {
						if m.IsEmpty(i) {
							continue
						}
						if n := num.Norm2(m.Row(i)); !(n <= stage.Up(end.Before.R)) {
							t.Fatalf("row %d has the norm %g, above R = %g", i, n, end.Before.R)
						}
						for j, f := range end.In.Features() {
							if v, slack := m.Row(i)[j], 0x1p-40*end.Before.R; !(v >= f.Lo-slack) || !(v <= f.Hi+slack) {
								t.Fatalf("row %d: %s = %g left [%g, %g]", i, f.Name, v, f.Lo, f.Hi)
							}
						}
					}
				})
			}
		}
	}
}

// TestFalseSpread: a column without the spread that was declared is divided by at least half of it.
func TestFalseSpread(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("x", -1, 1), frames.Label("y", "no", "yes")))
	const declared = 0.4
	for _, differing := range []float64{0, 5e-324, 1e-16, 1e-3, 0.5} {
		table := make([][]float64, 50)
		for i := range table {
			table[i] = []float64{0, 0}
		}
		table[0][0] = differing
		p := demo(t, frameOf(t, s, table)).Data().Standardize(Standard{MinSpread: Declare(declared)})
		stages, end, err := p.trace()
		if err != nil {
			t.Fatal(err)
		}
		out := must(quote{stages: stages, end: end}.apply(t.Context(), p.s.src, nil)).rows.(*rows.Matrix)
		stretched := out.Row(0)[0] - out.Row(1)[0] // by gain/spread, and the gain is the declared spread
		if want := 2 * differing; stretched > want*(1+1e-12) || stretched < differing {
			t.Errorf("a value %g from the others is %g from them behind the step, want at most %g", differing, stretched, want)
		}
	}
}
