package perinstance

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
	"github.com/dpkit-go/dpnb/viz"
)

// gradientLine is how often Algorithm 4's |ḡ| is below |f'∇Jᵀx| for a gradient's noise of σ₂ = ratio·σ, as printed and with the absolute
// value, at ρ; exact up to a quadrature of relative error 1e-4.
func gradientLine(ratio, rho float64) (printed, mended float64) {
	q := upper(rho)
	const steps = 4000
	for i := range steps {
		g := -8 + 16*(float64(i)+0.5)/steps // f'∇Jᵀx over its deviation; the noisy one is g + ratio·N(0, 1)
		density := math.Exp(-g*g/2) / math.Sqrt(2*math.Pi) * 16 / steps
		within := func(lo, hi float64) float64 {
			return max(0, quad.NormalCDF((hi-g)/ratio)-quad.NormalCDF((lo-g)/ratio))
		}
		// |noisy + ratio q| < |g|, and |noisy| + ratio q < |g|.
		printed += density * within(-math.Abs(g)-ratio*q, math.Abs(g)-ratio*q)
		if room := math.Abs(g) - ratio*q; room > 0 {
			mended += density * within(-room, room)
		}
	}
	return printed, mended
}

// GradientLineFigure draws them against σ₂/σ.
func GradientLineFigure(rho float64) viz.View {
	printed, mended := viz.Series{Name: "as printed"}, viz.Series{Name: "with the absolute value"}
	for i := range 40 {
		ratio := math.Pow(10, -1+2*float64(i)/39)
		p, m := gradientLine(ratio, rho)
		printed.X, printed.Y = append(printed.X, ratio), append(printed.Y, 100*p)
		mended.X, mended.Y = append(mended.X, ratio), append(mended.Y, 100*m)
	}
	return viz.Lines(viz.LineChart{
		Title: "Algorithm 4: the bound on the gradient's part", X: viz.Axis{Name: "noise on the gradient, σ2 / σ", Log: true}, Y: viz.Axis{Name: "runs in which it is false", Unit: "%"},
		Series: []viz.Series{printed, mended}, Rules: []viz.Rule{{Name: fmt.Sprintf("promised: ρ = %g %%", 100*rho), At: 100 * rho}},
	})
}

// LogarithmFigure is the first term's bound against a = f”‖x‖²/Λ: the printed −log(1 − a), ours, and what is attained, by a member
// whose Hessian is its own and Λ, and by another record.
func LogarithmFigure() viz.View {
	printed, ours, pair := viz.Series{Name: "printed: −log(1 − a)"}, viz.Series{Name: "ours: log(1 + a)"}, viz.Series{Name: "attained: by a record alone in its direction", Style: viz.PointStyle}
	for i := range 61 {
		a := math.Pow(10, -2+4*float64(i)/60)
		if a < 1 {
			printed.X, printed.Y = append(printed.X, a), append(printed.Y, -math.Log1p(-a))
		}
		ours.X, ours.Y = append(ours.X, a), append(ours.Y, math.Log1p(a))
		if i%4 == 0 { // −log(1 − m) at m = a/(1 + a), which is log(1 + m) at m = a
			pair.X, pair.Y = append(pair.X, a), append(pair.Y, -math.Log1p(-a/(1+a)))
		}
	}
	return viz.Lines(viz.LineChart{
		Title: "Theorem 8: the term of the determinants", X: viz.Axis{Name: "a = f''‖x‖²/Λ", Log: true}, Y: viz.Axis{Name: "bound, nats", Log: true},
		Series: []viz.Series{ours, printed, pair}, Rules: []viz.Rule{{Name: "printed: undefined from here", At: 1, Vertical: true}},
	})
}

// EnsembleFigure is the norm of the noise of Algorithm 6 at d = 50, σ₃ = 1, drawn, beside the printed and the right quantile at
// ρ = 8.465e-6.
func EnsembleFigure() (viz.View, error) {
	norms, err := ensemble(150)
	if err != nil {
		return viz.View{}, err
	}
	var edges []float64
	for e := 11.5; e <= 17.5; e += 0.2 {
		edges = append(edges, e)
	}
	counts := make([]float64, len(edges)-1)
	for _, v := range norms {
		counts[max(0, min(int((v-edges[0])/0.2), len(counts)-1))]++
	}
	return viz.Histogram(viz.HistogramChart{
		Title: fmt.Sprintf("Algorithm 6: the norm of its noise in %d draws, d = 50, σ3 = 1", len(norms)),
		X:     viz.Axis{Name: "norm"}, Y: viz.Axis{Name: "draws"}, Edges: edges, Sets: []viz.HistogramSet{{Name: "norm of the noise", Counts: counts}},
		Rules: []viz.Rule{{Name: "printed τ = 12", At: 12, Vertical: true}, {Name: "right τ = 12√2", At: quad.GOEQuantile(50, printedRho/2), Vertical: true}},
	}), nil
}

// printedRho is the ρ at which the source says τ = 12 for d = 50.
const printedRho = 8.465e-6

func ensemble(draws int) ([]float64, error) {
	const d = 50
	rng := rand.New(rand.NewPCG(6, 50))
	norms := make([]float64, draws)
	for i := range norms {
		m := mat.NewSymDense(d, nil)
		for j := range d {
			m.SetSym(j, j, math.Sqrt2*rng.NormFloat64())
			for k := range j {
				m.SetSym(j, k, rng.NormFloat64())
			}
		}
		v, err := eigenvalues(m, nil)
		if err != nil {
			return nil, err
		}
		norms[i] = max(v[d-1], -v[0])
	}
	return norms, nil
}

// formulas are the ε at δ of a Gaussian mechanism with that μ: of Theorems 11, 14 and 17, of Algorithm 5, and exact.
func formulas(mu, delta float64) (theorem, algorithm, exact float64, err error) {
	theorem = mu*mu/2 + mu*math.Sqrt(2*math.Log(1/delta))
	algorithm = mu*mu/2 + mu*math.Sqrt(2*math.Log(2/delta))
	g, err := accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: accountant.AddRemove}, accountant.AddRemove, delta)
	return theorem, algorithm, g.Epsilon, err
}

// FormulaFigure is the ε of one statistic, and of the report's three together: as printed, their sum, which has three δ, beside
// the exact one at δ.
func FormulaFigure(delta float64) (viz.View, error) {
	theorem, algorithm, exact := viz.Series{Name: "Theorems 11, 14, 17"}, viz.Series{Name: "Algorithm 5: log(2/δ)"}, viz.Series{Name: "exact"}
	sum, together := viz.Series{Name: "Theorems 11, 14, 17"}, viz.Series{Name: "exact"}
	for i := range 25 {
		mu := math.Pow(10, -2+2.3*float64(i)/24)
		t, a, e, err := formulas(mu, delta)
		if err != nil {
			return viz.View{}, err
		}
		_, _, all, err := formulas(math.Sqrt(3)*mu, delta)
		if err != nil {
			return viz.View{}, err
		}
		for s, y := range map[*viz.Series]float64{&theorem: t, &algorithm: a, &exact: e, &sum: 3 * t, &together: all} {
			s.X, s.Y = append(s.X, mu), append(s.Y, y)
		}
	}
	x, y := viz.Axis{Name: "μ: sensitivity over noise", Log: true}, viz.Axis{Name: "ε", Log: true, Loss: true}
	return viz.Panels("What the report's own statistics cost", fmt.Sprintf("δ = %g.", delta),
		viz.LineChart{Title: "one statistic", X: x, Y: y, Series: []viz.Series{exact, theorem, algorithm}},
		viz.LineChart{Title: "three of the same μ: the sum of their ε", X: x, Y: y, Series: []viz.Series{together, sum}}), nil
}
