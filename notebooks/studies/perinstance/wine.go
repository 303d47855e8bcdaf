package perinstance

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// wine is Figures 8 and 10. Objective perturbation of least squares has unbounded gradients: no ε is promised, only the losses of
// the records at hand are known, and the report is the independent one. Beside it two releases with a worst case of ε = 1, whose
// losses follow from their laws: second moments with noise of the orthogonal ensemble, and Gaussian mixtures.
func (s Settings) wine(ctx context.Context) ([]Kind, error) {
	f, _, err := datasets.WineRed()
	if err != nil {
		return nil, err
	}
	x, y, err := encoded(ctx, f)
	if err != nil {
		return nil, err
	}
	var out []Kind
	for _, c := range [][2]float64{{1, 1}, {4, 1}, {4, 30}} {
		k, err := s.squares(x, y, c[0], c[1])
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	target := dpkit.Target{Epsilon: 1, Delta: s.Delta}
	moments, err := audited(ctx, s, f, "second moments", func(p dpkit.Pipeline) dpkit.Plan[dpkit.GramMatrix] { return p.Gram(target) })
	if err != nil {
		return nil, err
	}
	mixtures, err := audited(ctx, s, f, "Gaussian mixture", func(p dpkit.Pipeline) dpkit.Plan[dpkit.Sketch] {
		return p.GaussMix(dpkit.Sketching{Epsilon: 1, Delta: s.Delta})
	})
	return append(out, moments, mixtures), err
}

// squares is least squares by objective perturbation, whose minimiser solves (XᵀX + Λ)θ = Xᵀy − b.
func (s Settings) squares(x [][]float64, y []float64, sigma, lambda float64) (Kind, error) {
	k := Kind{Name: "least squares, objective pert.", Sigma: sigma, Lambda: lambda, Parts: "none", Runs: s.Runs}
	d := len(x[0])
	gram, right := mat.NewSymDense(d, nil), make([]float64, d)
	for i, row := range x {
		gram.SymRankOne(gram, 1, mat.NewVecDense(d, row))
		for j, v := range row {
			right[j] += v * y[i]
		}
	}
	for j := range d {
		gram.SetSym(j, j, gram.At(j, j)+lambda)
	}
	var chol mat.Cholesky
	chol.Factorize(gram)
	rng := rand.New(rand.NewPCG(s.Seed, 8))
	var losses, bounds, ratios []float64
	for range s.Runs {
		b := make([]float64, d)
		for j := range b {
			b[j] = right[j] - sigma*rng.NormFloat64()
		}
		var theta mat.VecDense
		if err := chol.SolveVecTo(&theta, mat.NewVecDense(d, b)); err != nil {
			return k, err
		}
		o := pdp.ObjectivePerturbation{Theta: theta.RawVector().Data, Sigma: sigma, Lambda: lambda, Loss: pdp.Squared{}}
		a, err := o.Audit(x, y)
		if err != nil {
			return k, err
		}
		sealed, err := a.Members()
		if err != nil {
			return k, err
		}
		all, _ := sealed.Open()
		for i, l := range all {
			bound, err := o.Bound(x[i], y[i], s.Rho)
			if err != nil {
				return k, err
			}
			l = math.Abs(l)
			losses, bounds, ratios = append(losses, l), append(bounds, bound), append(ratios, bound/l)
			if l > bound {
				k.Beyond++
			}
		}
	}
	k.Records = len(losses)
	k.Beyond = rounded(k.Beyond / float64(len(losses)))
	k.Losses, k.Bounds, k.Ratios = summarise(losses), summarise(bounds), summarise(finite(ratios))
	k.Totals = k.Bounds
	return k, nil
}

// audited collects losses of a release whose law is known.
func audited[V any](ctx context.Context, s Settings, f *frames.Frame, name string, plan func(dpkit.Pipeline) dpkit.Plan[V]) (Kind, error) {
	k := Kind{Name: name, Epsilon: 1, Parts: "–", Runs: s.Few}
	var losses []float64
	for run := range s.Few {
		session, err := dpkit.Demo(f, s.Seed+uint64(run), dpkit.AddRemove)
		if err != nil {
			return k, err
		}
		p := plan(session.Data().Scale())
		r, err := p.Release(ctx)
		if err != nil {
			return k, err
		}
		a, err := p.Audit(ctx, r.Value)
		if err != nil {
			return k, err
		}
		all, _ := a.Losses.Open()
		losses = append(losses, finite(all)...)
	}
	k.Records, k.Losses = len(losses), summarise(losses)
	return k, nil
}
