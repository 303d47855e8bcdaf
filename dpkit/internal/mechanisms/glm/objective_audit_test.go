package glm

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestObjectiveAudit trains on worst-case neighbours, tells them apart by the released margin of the row that differs, and
// compares the μ that this certifies with the one that was charged. For every threshold Φ⁻¹(true positives) − Φ⁻¹(false
// positives) ≤ μ; rates are bounded by Chernoff's inequality, at 4e-12 for each of 60 bounds.
func TestObjectiveAudit(t *testing.T) {
	const draws = 4000
	row := []float64{1}
	for _, c := range []struct {
		name  string
		d     int
		back  int
		least float64 // of the charged μ
	}{{"no other row", 1, 0, 0.3}, {"others that saturate its gradient", 1, 30, 0.5}, {"two features", 2, 30, 0.5}} {
		t.Run(c.name, func(t *testing.T) {
			var x [][]float64
			var y []float64
			free := make([]float64, c.d)
			copy(free, row)
			for range c.back {
				x, y = append(x, free), append(y, 0)
			}
			in := rowsOf(t, append(x, free), append(y, 1))
			out := &rows.Matrix{Domain: in.Domain, Cols: in.Cols, X: append([]float64{}, in.X...), Y: append([]float64{}, in.Y...)}
			out.Remove(c.back) // the row that is there on one side only
			st := stage.Stage{In: in.Domain, Out: in.Domain}
			st.Before.N, st.Before.R, st.Before.F, st.Before.Neighbours = c.back+1, 1, 1, accountant.AddRemove
			o := ObjectiveFit{How: ByObjective{Epsilon: 8, Delta: 1e-3}}
			pl, err := o.Task().Calibrate(st)
			if err != nil {
				t.Fatal(err)
			}
			claimed := must(st.Spent.Mu(o.Budget()))
			rng := noise.New()
			margin := func(w []float64) float64 { return Dot(append(append([]float64{}, free...), pl.C), w) }
			margins := func(table *rows.Matrix) []float64 {
				m := make([]float64, draws)
				for i := range m {
					m[i] = margin(pl.Out.Draw(rng, must(pl.Minimise(t.Context(), rows.InProcess{In: table}, pl.Draw(rng)))))
				}
				return m
			}
			with, without := margins(in), margins(out)
			best := 0.0
			centre, scale := margin(must(pl.Minimise(t.Context(), rows.InProcess{In: out}, make([]float64, pl.D+1)))), pl.Sigma*pl.C2/pl.Lambda
			for k := range 10 {
				threshold := centre + scale*float64(k-4)/4
				share := func(m []float64) float64 {
					n := 0
					for _, v := range m {
						if v > threshold {
							n++
						}
					}
					return float64(n) / draws
				}
				best = max(best, quad.NormalQuantile(rateBound(share(with), draws, false))-quad.NormalQuantile(rateBound(share(without), draws, true)))
			}
			t.Logf("certifies μ %.3f of the charged %.3f", best, claimed)
			if !(best <= claimed) {
				t.Errorf("the releases differ by μ ≥ %v, charged %v", best, claimed)
			}
			if best < c.least*claimed {
				t.Errorf("the audit certifies μ = %v of %v only: it has lost its teeth", best, claimed)
			}
		})
	}
}

// rateBound is the upper (or lower) end of Chernoff's interval for a rate that was seen in n draws: n·KL(seen, rate) = ln(1/4e-12).
func rateBound(seen float64, n int, upper bool) float64 {
	kl := func(q float64) float64 {
		v := 0.0
		if seen > 0 {
			v += seen * math.Log(seen/q)
		}
		if seen < 1 {
			v += (1 - seen) * math.Log((1-seen)/(1-q))
		}
		return v * float64(n)
	}
	inside, outside := seen, 0x1p-60
	if upper {
		outside = 1 - 0x1p-50
	}
	for range 80 {
		if mid := (inside + outside) / 2; kl(mid) < -math.Log(4e-12) {
			inside = mid
		} else {
			outside = mid
		}
	}
	return outside
}
