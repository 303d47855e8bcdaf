package dpkit

import (
	"errors"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// TestGeometricNoise: counts by geometric noise are integers with the error and the ε that are said, which a ledger charges, and no law of
// pure ε is off by less. The mean square of 4000 draws is within 6.5 of its standard deviations but for 8e-11.
func TestGeometricNoise(t *testing.T) {
	f := tinyFrame(t, 5000, 5)
	const draws = 4000
	for _, c := range []struct {
		name    string
		rel     accountant.Neighbours
		moves   float64
		epsilon float64
		plan    func(p Pipeline, t Target) Plan[Estimates]
	}{
		{"count", ReplaceOne, 1, 3, func(p Pipeline, t Target) Plan[Estimates] { return p.Count(t, Is("work", "a")) }},
		{"count", AddRemove, 1, 0.5, func(p Pipeline, t Target) Plan[Estimates] { return p.Count(t, Is("work", "a")) }},
		{"histogram", ReplaceOne, 2, 3, func(p Pipeline, t Target) Plan[Estimates] { return p.Histogram("work", t) }},
		{"histogram", AddRemove, 1, 1, func(p Pipeline, t Target) Plan[Estimates] { return p.Histogram("work", t) }},
	} {
		t.Run(c.name+"/"+c.rel.String(), func(t *testing.T) {
			d := must(Demo(f, 1, c.rel)).Data()
			plan := c.plan(d, Target{Epsilon: c.epsilon, Noise: NoiseGeometric})
			if g := must(plan.Cost()).Guarantee; g.Delta != 0 || !(g.Epsilon <= c.epsilon && g.Epsilon > c.epsilon*(1-1e-8)) {
				t.Errorf("guarantee %v, want pure ε = %g", g, c.epsilon)
			}
			exact := must(c.plan(must(OnPublic(frames.Public(f))).Data(), lawTarget).Release(t.Context())).Value
			r := math.Exp(-c.epsilon / c.moves)
			want := math.Sqrt(2*r) / (1 - r)
			laplace := must(c.plan(d, Target{Epsilon: c.epsilon, Noise: NoiseLaplace}).Release(t.Context())).Value
			square := 0.0
			for _, e := range must(plan.Replicate(t.Context(), draws)) {
				if math.Abs(e.Sigma[0]/want-1) > 1e-8 || !(e.Sigma[0] < laplace.Sigma[0]) || e.Values[0] != math.Trunc(e.Values[0]) {
					t.Fatalf("%v: sd %g, want %g, below %g", e.Values, e.Sigma[0], want, laplace.Sigma[0])
				}
				x := e.Values[0] - exact.Values[0]
				square += x * x / draws
			}
			// The fourth moment is 2r(1 + 10r + r²)/(1 − r)⁴.
			sd := math.Sqrt((2*r*(1+10*r+r*r)/math.Pow(1-r, 4) - math.Pow(want, 4)) / draws)
			if math.Abs(square-want*want) > 6.5*sd {
				t.Errorf("mean square %g, want %g ± %g", square, want*want, sd)
			}
			s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 6, Delta: 1e-6}, Pure: 4, Neighbours: c.rel, Dataset: "geometric"}))
			t.Cleanup(func() { _ = s.Close() })
			must(c.plan(s.Data(), Target{Epsilon: c.epsilon, Noise: NoiseGeometric}).Release(t.Context()))
			if e := must(s.ledger.Entries())[0]; e.Mu != 0 || !(e.Pure <= c.epsilon && e.Pure > c.epsilon*(1-1e-8)) {
				t.Errorf("charged %+v", e)
			}
		})
	}
}

// TestGeometricMargin: the margin is the least that the law's own probabilities allow, of releases and of predictions.
func TestGeometricMargin(t *testing.T) {
	d := must(Demo(tinyFrame(t, 500, 5), 1, ReplaceOne)).Data()
	for _, epsilon := range []float64{1e-6, 0.05, 0.3, 1, 3, 9} {
		plan := d.Count(Target{Epsilon: epsilon, Noise: NoiseGeometric}, Is("work", "a"))
		e := must(plan.Release(t.Context())).Value
		r := math.Exp(-epsilon)
		for _, level := range []float64{0.01, 0.5, 0.9, 0.95, 0.999} {
			m, predicted := must(e.Margin(level))[0], must(plan.Error(level)).Margin[0]
			beyond := func(m float64) float64 { return 2 * math.Exp(-epsilon*(m+1)) / (1 + r) }
			if m != predicted || m != math.Trunc(m) || !(beyond(m) <= (1-level)*(1+1e-9)) || m > 0 && !(beyond(m-1) > (1-level)*(1-1e-9)) {
				t.Errorf("ε = %g, level %g: margin %g, predicted %g; beyond it %g, beyond one less %g", epsilon, level, m, predicted, beyond(m), beyond(m-1))
			}
		}
	}
}

// TestGeometricMistakes: it is for counts, of pure ε, and no finer than its sampler.
func TestGeometricMistakes(t *testing.T) {
	d := must(Demo(tinyFrame(t, 500, 5), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Noise: NoiseGeometric}
	for name, c := range map[string]struct {
		cost func() (Cost, error)
		want error
	}{
		"sum":        {d.Sum(target, "age").Cost, ErrParameter},
		"mean":       {d.Select("age").Mean(target).Cost, ErrParameter},
		"table":      {d.By("work").Count().Table(target).Cost, ErrParameter},
		"quantile":   {d.Quantile(target, 0.5, "age").Cost, ErrParameter},
		"δ":          {d.Count(Target{Epsilon: 1, Delta: 1e-6, Noise: NoiseGeometric}, Is("work", "a")).Cost, accountant.ErrDelta},
		"no ε":       {d.Count(Target{Noise: NoiseGeometric}, Is("work", "a")).Cost, accountant.ErrEpsilon},
		"a tiny ε":   {d.Count(Target{Epsilon: 1e-7, Noise: NoiseGeometric}, Is("work", "a")).Cost, ErrParameter},
		"of columns": {d.Histogram("age", target).Cost, ErrColumn},
	} {
		if _, err := c.cost(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}
