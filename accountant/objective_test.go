package accountant

import (
	"errors"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
	"github.com/dpkit-go/dpnb/internal/single"
)

func TestObjectivePerturbationErrors(t *testing.T) {
	good := ObjectivePerturbation{C: 1, Sigma: 3, Lambda: 1, Neighbours: AddRemove}
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		spoil func(*ObjectivePerturbation)
		want  error
	}{
		{"C", func(o *ObjectivePerturbation) { o.C = 0 }, ErrParameter},
		{"infinite C", func(o *ObjectivePerturbation) { o.C = math.Inf(1) }, ErrParameter},
		{"negative sigma", func(o *ObjectivePerturbation) { o.Sigma = -1 }, ErrParameter},
		{"NaN sigma", func(o *ObjectivePerturbation) { o.Sigma = nan }, ErrParameter},
		{"no lambda", func(o *ObjectivePerturbation) { o.Lambda = 0 }, ErrParameter},
		{"NaN lambda", func(o *ObjectivePerturbation) { o.Lambda = nan }, ErrParameter},
		{"unknown loss", func(o *ObjectivePerturbation) { o.Loss = 9 }, ErrParameter},
		{"slope of the logistic loss", func(o *ObjectivePerturbation) { o.Slope = 0.5 }, ErrParameter},
		{"GLM without a slope", func(o *ObjectivePerturbation) { o.Loss, o.Curvature = GLM, 1 }, ErrParameter},
		{"GLM without a curvature", func(o *ObjectivePerturbation) { o.Loss, o.Slope = MonotoneGLM, 1 }, ErrParameter},
		{"relation", func(o *ObjectivePerturbation) { o.Neighbours = ReplaceOne }, ErrNeighbours},
	} {
		o := good
		c.spoil(&o)
		_, err1 := o.RDP(AddRemove)
		_, err2 := o.Profile(AddRemove)
		if !errors.Is(err1, c.want) || !errors.Is(err2, c.want) {
			t.Errorf("%s: got %v and %v, want %v", c.name, err1, err2, c.want)
		}
	}
	good.Sigma = 0
	if g, err := EpsilonOf(good, AddRemove, 1e-6); err != nil || !math.IsInf(g.Epsilon, 1) {
		t.Errorf("no noise: got %v, %v, want ε = +Inf", g, err)
	}
	b := Budget{1, 1e-5}
	for name, o := range map[string]ObjectivePerturbation{
		"no relation":     {C: 1},
		"no C":            {Neighbours: AddRemove},
		"GLM without Λ":   {C: 1, Loss: GLM, Slope: 1, Curvature: 1, Neighbours: AddRemove},
		"too small a Λ":   {C: 1, Lambda: 1e-3, Loss: GLM, Slope: 1, Curvature: 1, Neighbours: AddRemove},
		"negative lambda": {C: 1, Lambda: -1, Neighbours: AddRemove},
	} {
		if _, err := CalibrateObjectivePerturbation(b, o); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, _, err := KiferObjectivePerturbation(b, 0, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("Kifer, no gradient bound: got %v", err)
	}
	if _, _, err := KiferObjectivePerturbation(Budget{}, 1, 1); !errors.Is(err, ErrEpsilon) {
		t.Errorf("Kifer, no budget: got %v", err)
	}
}

// A record of a one-dimensional regression: a row with the sign of its label.
type record = float64

// thetaDensity is the density of the minimiser of Σ ℓ(xθ) + (Λ/2)θ² + push·θ + bθ: b is a function of θ. The loss ℓ(m) is
// ln(1 + e^(−m)), and for MonotoneGLM a smoothed hinge ln(1 + e^(κ(1−m)))/κ with slope 1 and curvature κ/4.
func thetaDensity(o ObjectivePerturbation, data []record, theta, push float64) float64 {
	grad, hess := o.Lambda*theta+push, o.Lambda
	kappa, margin := 1.0, 0.0
	if o.Loss == MonotoneGLM {
		kappa, margin = 4*o.Curvature, 1
	}
	for _, x := range data {
		p := 1 / (1 + math.Exp(kappa*(x*theta-margin)))
		grad -= x * p
		hess += x * x * kappa * p * (1 - p)
	}
	return quad.NormalPDF(grad/o.Sigma, 0) / o.Sigma * hess
}

// trueObjective returns the profile at ε and the divergence of order α of two datasets, by quadrature over θ.
func trueObjective(o ObjectivePerturbation, a, b []record, eps, alpha float64) (delta, divergence float64) {
	moment := 0.0
	delta = overTheta(o, a, b, eps, 0, func(p, q *[quad.Nodes]float64, lo, hi float64) {
		var x [quad.Nodes]float64
		for i := range x {
			if p[i] != 0 && q[i] != 0 {
				x[i] = p[i] * math.Pow(p[i]/q[i], alpha-1)
			}
		}
		moment += quad.Integral(&x, lo, hi)
	})
	return delta, math.Log(moment) / (alpha - 1)
}

// trueDelta is the profile of trueObjective, with the public regulariser push·θ.
func trueDelta(o ObjectivePerturbation, a, b []record, eps, push float64) float64 {
	return overTheta(o, a, b, eps, push, func(_, _ *[quad.Nodes]float64, _, _ float64) {})
}

// overTheta integrates the profile over panels of θ, and shows the densities of each at the nodes of its rule.
func overTheta(o ObjectivePerturbation, a, b []record, eps, push float64, show func(p, q *[quad.Nodes]float64, lo, hi float64)) (delta float64) {
	panels := 300
	end := (14*o.Sigma + float64(len(a)+len(b))*o.C + math.Abs(push)) / o.Lambda
	grown := math.Exp(eps)
	for i := range panels {
		// Cells that grow from 0 on, where the densities vary.
		edge := func(i int) float64 {
			u := 2*float64(i)/float64(panels) - 1
			return end * u * math.Abs(u)
		}
		var x, p, q [quad.Nodes]float64
		quad.Place(&x, edge(i), edge(i+1))
		for i, theta := range &x {
			p[i], q[i] = thetaDensity(o, a, theta, push), thetaDensity(o, b, theta, push)
			x[i] = max(0, p[i]-grown*q[i])
		}
		delta += quad.Integral(&x, edge(i), edge(i+1))
		show(&p, &q, edge(i), edge(i+1))
	}
	return delta
}

// TestObjectivePerturbationTruth: the exact profile and divergence of one-dimensional problems are never above the
// prices, and the calibrated mechanism attains its δ.
func TestObjectivePerturbationTruth(t *testing.T) {
	t.Parallel()
	backgrounds := [][]record{
		{},
		{1, -1},
		{0.5, 0.5, -0.2, 0.9, -1, -1, -1, 1},
		{1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	}
	scale := func(data []record, c float64) []record {
		out := make([]record, len(data))
		for i, x := range data {
			out[i] = c * x
		}
		return out
	}
	with := func(data []record, x record) []record { return append(append([]record{}, data...), x) }
	const alpha = 3
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, b := range []Budget{{0.3, 1e-4}, {2, 1e-5}} {
			for _, o := range []ObjectivePerturbation{
				{C: 1, Neighbours: rel},
				{C: 4, Neighbours: rel},
				{C: 1, Lambda: 30, Loss: MonotoneGLM, Slope: 1, Curvature: 1, Neighbours: rel},
			} {
				C := o.C
				o = must[ObjectivePerturbation](t)(CalibrateObjectivePerturbation(b, o))
				curve, profile := curveOf(t, o, rel), must[Profile](t)(o.Profile(rel))
				worst, attained := 0.0, 0.0
				for _, back := range backgrounds {
					back = scale(back, C)
					pairs := [][2][]record{{with(back, C), back}, {with(back, C/3), back}}
					if rel == ReplaceOne {
						pairs = [][2][]record{{with(back, C), with(back, -C)}, {with(back, C), with(back, C/2)}, {with(back, C/2), with(back, -C)}}
					}
					for _, pair := range pairs {
						for _, p := range [2][2][]record{pair, {pair[1], pair[0]}} {
							delta, divergence := trueObjective(o, p[0], p[1], b.Epsilon, alpha)
							worst = max(worst, delta/profile(b.Epsilon))
							attained = max(attained, divergence/curve(alpha))
						}
					}
				}
				if worst > 1+1e-5 || attained > 1+1e-6 {
					t.Errorf("%v: worst δ %g, divergence %g, of the prices", o, worst, attained)
				}
				if rel == AddRemove && o.Loss == Logistic && worst < 0.95 {
					t.Errorf("%v: worst δ %g of the price, want .95", o, worst)
				}
				t.Logf("%v, ε = %g: worst δ %.6g, divergence %.4g of the price", o, b.Epsilon, worst, attained)
			}
		}
	}
}

// TestObjectivePerturbationReplaceOneIsNotAddRemove: the add/remove calibration is false where a row is replaced.
func TestObjectivePerturbationReplaceOneIsNotAddRemove(t *testing.T) {
	b := Budget{1, 1e-5}
	o := must[ObjectivePerturbation](t)(CalibrateObjectivePerturbation(b,
		ObjectivePerturbation{C: 1, Lambda: 30, Loss: MonotoneGLM, Slope: 1, Curvature: 1, Neighbours: AddRemove}))
	if delta := trueDelta(o, []record{1}, []record{-1}, b.Epsilon, 0); !(delta > 1e-3) {
		t.Errorf("δ = %g for a replaced row, want far above 1e-5", delta)
	}
	o = must[ObjectivePerturbation](t)(CalibrateObjectivePerturbation(b, ObjectivePerturbation{C: 1, Neighbours: AddRemove}))
	// Half the regularisation breaks it too.
	o.Lambda /= 2
	if profileAt(t, o, AddRemove, b.Epsilon) <= b.Delta {
		t.Error("half of Λ is priced within the budget")
	}
}

func TestObjectivePerturbationLaws(t *testing.T) {
	single.Goroutine(t)
	glm := ObjectivePerturbation{C: 1, Sigma: 4, Lambda: 0.5, Loss: GLM, Slope: 1, Curvature: 0.25, Neighbours: AddRemove}
	monotone, logistic := glm, glm
	monotone.Loss = MonotoneGLM
	logistic.Loss, logistic.Slope, logistic.Curvature = Logistic, 0, 0
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, eps := range []float64{0, 0.02, 0.3, 0.45, 1, 4} {
			last := 1.0
			for _, o := range []ObjectivePerturbation{glm, monotone, logistic} {
				o.Neighbours = rel
				delta := profileAt(t, o, rel, eps)
				if delta > last*(1+1e-9) {
					t.Errorf("%v, ε = %g: δ = %g, above %g of a wider class", o, eps, delta, last)
				}
				last = delta
				for name, change := range map[string]func(*ObjectivePerturbation){
					"sigma":  func(o *ObjectivePerturbation) { o.Sigma *= 1.05 },
					"lambda": func(o *ObjectivePerturbation) { o.Lambda *= 1.05 },
					"C":      func(o *ObjectivePerturbation) { o.C /= 1.05 },
				} {
					other := o
					change(&other)
					if less := profileAt(t, other, rel, eps); less > delta*(1+1e-9) {
						t.Errorf("%v, ε = %g: δ rises from %g to %g with %s", o, eps, delta, less, name)
					}
				}
				if byRDP, _, err := curveOf(t, o, rel).Delta(eps); rel == AddRemove && (err != nil || byRDP < delta*(1-1e-9)) {
					t.Errorf("%v, ε = %g: δ = %g by RDP, %g by the loss, %v", o, eps, byRDP, delta, err)
				}
			}
		}
	}
	for _, o := range []ObjectivePerturbation{glm, monotone, logistic} {
		for _, sigma := range []float64{0.3, 4, 100} {
			o.Sigma = sigma
			requireConvex(t, o.String(), curveOf(t, o, AddRemove), 60)
		}
	}
}

// TestObjectiveLossMaximum: the worst slope of the logistic loss against a fine grid.
func TestObjectiveLossMaximum(t *testing.T) {
	for _, bend := range []float64{0.01, 0.5, 4, 100} {
		for _, s := range []float64{0.01, 0.3, 1, 5} {
			l := objectiveLoss{s: s, bend: bend, logistic: true}
			for x := -2*bend - 5; x < 5; x += (2*bend + 10) / 57 {
				best := 0.0
				for i := range 4001 {
					p := float64(i) / 4000
					best = max(best, math.Log1p(p*(1-p)*bend)+p*p*s*s/2+p*x)
				}
				if got := l.worstSlope(x); got < best-1e-13*(1+best) || got > best+1e-5*(1+bend) {
					t.Errorf("C²/Λ = %g, s = %g, x = %g: got %.15g, a grid has %.15g", bend, s, x, got, best)
				}
			}
		}
	}
}

func TestCalibrateObjectivePerturbation(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, b := range []Budget{{0.1, 1e-5}, {1, 1e-8}, {10, 1e-5}} {
			for name, o := range map[string]ObjectivePerturbation{
				"logistic":        {C: 2, Neighbours: rel},
				"logistic with Λ": {C: 2, Lambda: 30, Neighbours: rel},
				"GLM":             {C: 2, Lambda: 400, Loss: GLM, Slope: 0.5, Curvature: 1, Neighbours: rel},
				"monotone GLM":    {C: 2, Lambda: 400, Loss: MonotoneGLM, Slope: 0.5, Curvature: 1, Neighbours: rel},
			} {
				got, err := CalibrateObjectivePerturbation(b, o)
				if err != nil {
					t.Errorf("%s, %+v, %v: %v", name, b, rel, err)
					continue
				}
				delta := profileAt(t, got, rel, b.Epsilon)
				if !(delta <= b.Delta) || (name != "logistic" && delta < b.Delta*(1-1e-6)) {
					t.Errorf("%s, %+v: δ = %.15g of %v", name, b, delta, got)
				}
				if kifer, _, err := KiferObjectivePerturbation(b, 2, 1); err != nil || rel == AddRemove && name == "logistic" && !(got.Sigma < kifer/2) {
					t.Errorf("%s, %+v: σ = %g, Kifer %g, %v", name, b, got.Sigma, kifer, err)
				}
			}
		}
	}
}

func BenchmarkCalibrateObjectivePerturbation(b *testing.B) {
	for name, o := range map[string]ObjectivePerturbation{
		"theorem":     {C: 1, Neighbours: AddRemove},
		"small Λ":     {C: 1, Lambda: 0.5, Neighbours: AddRemove},
		"replace-one": {C: 1, Neighbours: ReplaceOne},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := CalibrateObjectivePerturbation(Budget{1, 1e-5}, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestGLMLossText(t *testing.T) {
	for _, loss := range []GLMLoss{Logistic, MonotoneGLM, GLM} {
		text, err := loss.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back GLMLoss = 99
		if err := back.UnmarshalText(text); err != nil || back != loss {
			t.Errorf("%v: read back %v, %v", loss, back, err)
		}
	}
	if _, err := GLMLoss(3).MarshalText(); !errors.Is(err, ErrParameter) {
		t.Errorf("unknown loss: got %v", err)
	}
	var l GLMLoss
	if err := l.UnmarshalText([]byte("hinge")); !errors.Is(err, ErrParameter) {
		t.Errorf("unknown name: got %v", err)
	}
}
