package dpkit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// strengths are the ways in which ρ may be certified.
func strengths() []Certificate {
	t := Tested{Share: 0.1, Delta: 1e-8}
	return []Certificate{{}, Declare(0.02), Test(0.02, t), Bound(t)}
}

// TestRelativeDescent: every ground for ρ is priced within the target, says in its scope what it rests on, and fits.
func TestRelativeDescent(t *testing.T) {
	ctx := context.Background()
	f := linearFrame(t, 40000, 11, false)
	exact := must(must(OnPublic(frames.Public(f))).Data().Scale().FitLinear(linearBy(linear.Settings{})).Release(ctx))
	best := must(exact.Value.RMSE(ctx, frames.Public(f)))
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, c := range strengths() {
			o := linear.Settings{Epsilon: 2, Delta: 1e-6, Method: models.RelativeGaussianDescent, Strength: c}
			plan := must(Demo(f, 5, rel)).Data().Scale().FitLinear(linearBy(o))
			r, err := plan.Release(ctx)
			if err != nil {
				t.Errorf("%v, %v: %v", rel, c, err)
				continue
			}
			g := r.Cost.Guarantee
			if !(g.Epsilon <= 2 && g.Epsilon > 1.99 && g.Delta <= 1e-6) {
				t.Errorf("%v, %v: guarantee %v", rel, c, g)
			}
			want := map[stage.Origin]accountant.ScopeKind{"": accountant.Unconditional, stage.FromDeclaration: accountant.Conditional, stage.FromTest: accountant.Tested}[c.Ground()]
			if g.Scope.Kind != want {
				t.Errorf("%v, %v: scope %v", rel, c, g.Scope)
			}
			if (r.Value.Strength > 0) != query.IsOpen(c) {
				t.Errorf("%v, %v: the model tells strength %g", rel, c, r.Value.Strength)
			}
			rmse := must(r.Value.RMSE(ctx, frames.Public(f)))
			t.Logf("%v, %v: RMSE %.4f, least squares %.4f", rel, c, rmse, best)
			if !(rmse < best+1.5) { // the label's bounds are ±10, its deviation 1.8
				t.Errorf("%v, %v: RMSE %.4f, least squares %.4f", rel, c, rmse, best)
			}
		}
	}
}

func TestRelativeDescentBadInput(t *testing.T) {
	s := must(Demo(linearFrame(t, 400, 2, false), 1, ReplaceOne))
	good := linear.Settings{Epsilon: 1, Delta: 1e-6, Method: models.RelativeGaussianDescent, Ridge: 1}
	for _, c := range []struct {
		name  string
		spoil func(*linear.Settings)
		says  string
	}{
		{"negative steps", func(l *linear.Settings) { l.Steps = -1 }, "steps T"},
		{"too many steps", func(l *linear.Settings) { l.Steps = linear.MaxDescentSteps + 1 }, "steps T"},
		{"no order", func(l *linear.Settings) { l.Steps, l.Ridge = 4000, 1e-5 }, "smallest feasible"},
		{"strength 0", func(l *linear.Settings) { l.Strength = Declare(0) }, "strength"},
		{"NaN strength", func(l *linear.Settings) { l.Strength = Declare(math.NaN()) }, "strength"},
		{"strength above 1", func(l *linear.Settings) { l.Strength = Declare(1.5) }, "strength"},
		{"share", func(l *linear.Settings) { l.Strength = Bound(Tested{Share: 2, Delta: 1e-9}) }, "share"},
		{"no delta", func(l *linear.Settings) { l.Strength = Test(0.1, Tested{Share: 0.1}) }, "Delta"},
		{"all of delta", func(l *linear.Settings) { l.Strength = Test(0.1, Tested{Share: 0.1, Delta: 1e-6}) }, "smaller Delta"},
		{"NaN ridge", func(l *linear.Settings) { l.Ridge = math.NaN() }, "Ridge"},
		{"NaN epsilon", func(l *linear.Settings) { l.Epsilon = math.NaN() }, "epsilon"},
		{"delta 0", func(l *linear.Settings) { l.Delta = 0 }, "delta"},
	} {
		o := good
		c.spoil(&o)
		if _, err := s.Data().Scale().FitLinear(linearBy(o)).Cost(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error that says %q", c.name, err, c.says)
		}
	}
	if _, err := s.Data().Scale().FitLinear(linearBy(good)).Cost(); err != nil {
		t.Errorf("good: %v", err)
	}
	// Displaced rows, and private steps before it.
	for name, p := range map[string]Pipeline{
		"displaced":     must(Demo(linearFrame(t, 400, 2, true), 1, ReplaceOne)).Data().Impute(Mean{}).Scale(),
		"private steps": s.Data().Scale().PCA(PrivateComponents{K: 2, Share: 0.2}),
	} {
		if _, err := p.FitLinear(linearBy(good)).Cost(); !errors.Is(err, ErrOrder) {
			t.Errorf("%s: got %v, want ErrOrder", name, err)
		}
	}
}

// TestRelativeDescentLedger: a ledger charges it with a Reserve, and refuses it without; a test that does not pass is
// paid for, says so, and is replayed.
func TestRelativeDescentLedger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := linearFrame(t, 20000, 6, false)
	good := linear.Settings{Epsilon: 1, Delta: 1e-6, Method: models.RelativeGaussianDescent, Strength: Bound(Tested{Share: 0.1, Delta: 1e-8})}
	without := private(t, f, ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	if _, err := without.Data().Scale().FitLinear(linearBy(good)).Release(ctx); !errors.Is(err, ledger.ErrBudget) {
		t.Errorf("without a reserve: got %v, want ErrBudget", err)
	}
	s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 8, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test", Reserve: 5e-6}))
	t.Cleanup(func() { _ = s.Close() })
	first, err := s.Data().Scale().FitLinear(linearBy(good)).Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	spent := first.Status.Spent.Epsilon
	t.Logf("ε = 1 is charged as %.3g", spent)
	if !(spent > 0.8 && spent < 2.5) {
		t.Errorf("charged ε = %g", spent)
	}
	if again := must(s.Data().Scale().FitLinear(linearBy(good)).Release(ctx)); !again.Replayed || !slices.Equal(again.Value.Coef, first.Value.Coef) || again.Value.Strength != first.Value.Strength {
		t.Error("drawn again")
	}
	refused := good
	refused.Strength = Test(0.9, Tested{Share: 0.1, Delta: 1e-8}) // of rows whose eigenvalue is far below
	for i := range 2 {
		r, err := s.Data().Scale().FitLinear(linearBy(refused)).Release(ctx)
		if !errors.Is(err, ErrTestFailed) || r.Refused == "" || r.Replayed != (i == 1) || len(r.Value.Coef) > 0 {
			t.Errorf("release %d: got %v, refused %q, replayed %v", i+1, err, r.Refused, r.Replayed)
		}
		if r.Guarantee.Epsilon == 0 {
			t.Error("the refusal was not paid for")
		}
	}
	if st := must(s.Status()); st.Releases != 2 || len(st.Interrupted) > 0 {
		t.Errorf("status %+v", st)
	}
}

// TestRelativeDescentSensitivity: the gradient that is computed moves by no more than what is charged, on rows at their bounds,
// wherever the iterate is.
func TestRelativeDescentSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		const n, p = 12, 2
		st := auditStage(t, rel, n, p)
		o := linear.Settings{Epsilon: 5, Delta: 0.01, NoIntercept: true, LabelScale: 1, Method: models.RelativeGaussianDescent, Ridge: 0.7, Steps: 1}
		d := must(linear.LeastSquares{Settings: o}.Prepare(st)).(*linear.RelativeDescent)
		eta, absolute, err := d.Gradient(d.Floor).Sensitivity(rel)
		if err != nil {
			t.Fatal(err)
		}
		row := func() []float64 {
			a := 2 * math.Pi * r.Float64()
			return []float64{d.Rx * math.Cos(a), d.Rx * math.Sin(a), d.Height * math.Copysign(1, r.NormFloat64())}
		}
		worst := 0.0
		for range 20000 {
			rows := make([][]float64, n)
			one := row() // rows that agree make the largest changes
			for i := range rows {
				rows[i] = one
				if r.IntN(3) == 0 {
					rows[i] = row()
				}
			}
			other := slices.Clone(rows)
			other[0] = row()
			if rel == AddRemove {
				other[0] = []float64{0, 0, 0}
			}
			a, b := momentsOfRows(rows), momentsOfRows(other)
			theta := []float64{r.NormFloat64(), r.NormFloat64()}
			linear.Project(theta, d.Ball(d.Floor)*r.Float64())
			g, h := d.At(a, theta), d.At(b, theta)
			moved := math.Hypot(g[0]-h[0], g[1]-h[1])
			least := min(num.Norm2(g), num.Norm2(h))
			worst = max(worst, moved*moved/(eta*eta*least*least+absolute*absolute))
			if num.Norm2(g) > d.Noise.Max {
				t.Fatalf("a gradient of norm %g, bound %g", num.Norm2(g), d.Noise.Max)
			}
		}
		t.Logf("%v: %.3f of the sensitivity", rel, worst)
		if !(worst <= 1) || worst < 0.1 {
			t.Errorf("%v: the gradient moves by %.4f of the squared sensitivity", rel, worst)
		}
	}
}

// TestAuditRelativeGaussian: T adaptive releases of the closest pair of vectors, told apart by their likelihood ratio,
// prove no more than the claim, and no less than a third of it.
func TestAuditRelativeGaussian(t *testing.T) {
	t.Parallel()
	const n, delta, d, steps = 40000, 0.02, 4, 2
	g := must(linear.NewRelativeNoise(d, 2, 0x1p-47))
	for _, c := range []struct{ eta, epsilon float64 }{{0.02, 1.5}, {0.1, 3}} {
		p := must(linear.CalibrateRelative(g, accountant.Budget{Epsilon: c.epsilon, Delta: delta}, ReplaceOne, steps, c.eta, 1e-6, 1e-6))
		draw := must(p.At(c.eta, 1e-6))
		rng := noise.New()
		sides := [2]float64{1, 1 / (1 + c.eta)} // along the first axis
		loss := func(q []float64, at float64) float64 {
			v := draw.Gamma * at * at
			s := (q[0] - at) * (q[0] - at)
			for _, x := range q[1:] {
				s += x * x
			}
			return s/(2*v) + d/2.0*math.Log(v)
		}
		got := audited(n, delta, func(side int) float64 {
			var sum float64
			for range steps {
				q := must(p.Draw(rng, []float64{sides[side], 0, 0, 0}, draw))
				sum += loss(q, sides[1]) - loss(q, sides[0])
			}
			return sum
		})
		t.Logf("η = %g: audited %.3f of %g", c.eta, got, c.epsilon)
		if got > c.epsilon || got < c.epsilon/3 {
			t.Errorf("η = %g: releases prove ε ≥ %.3f of %g", c.eta, got, c.epsilon)
		}
	}
}

// TestAuditRelativeDescent: whole trainings on rows at their bounds, of which one changes, prove no more than the claim.
func TestAuditRelativeDescent(t *testing.T) {
	t.Parallel()
	const n, delta = 20000, 0.01
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, c := range []Certificate{{}, Bound(Tested{Share: 0.3, Delta: 0.001})} {
			st := auditStage(t, rel, 60, 2)
			o := linear.Settings{Epsilon: 2, Delta: delta, NoIntercept: true, LabelScale: 1, Method: models.RelativeGaussianDescent, Ridge: 1, Steps: 2, Strength: c}
			d := must(linear.LeastSquares{Settings: o}.Prepare(st)).(*linear.RelativeDescent)
			rows := [][]float64{{d.Rx, 0, d.Height}}
			for range 59 { // rows that add nothing: the gradient is small, and so is the noise
				rows = append(rows, []float64{0, 0, 0})
			}
			other := slices.Clone(rows)
			other[0] = []float64{d.Rx, 0, -d.Height}
			if rel == AddRemove {
				other[0] = []float64{0, 0, 0}
			}
			moments := [2]*linear.NormalEquations{momentsOfRows(rows), momentsOfRows(other)}
			rng := noise.New()
			got := audited(n, delta, func(side int) float64 { return must(d.Fit(moments[side], rng)).W[0] })
			t.Logf("%v, %v: audited %.3f of 2", rel, c, got)
			if got > 2 {
				t.Errorf("%v, %v: releases prove ε ≥ %.3f of 2", rel, c, got)
			}
		}
	}
}

// TestRelativeStepSize: with f = ‖θ‖²/2 and γ = 1 a step of τ multiplies E‖θ‖² by (1−τ)² + τ²γd. At the printed τ = 1/(L + γ) it
// grows from d = 4 on (the noise has d coordinates, which Theorem 2 drops), and at L = 10, γ = 5 for d = 1 with the proof's
// 1/(L+γ); at the corrected 1/((1 + dγ)L) it falls at least by 1 − τμ.
func TestRelativeStepSize(t *testing.T) {
	factor := func(l, gamma, tau float64, d int) float64 { return (1-tau*l)*(1-tau*l) + tau*tau*gamma*l*l*float64(d) }
	if f := factor(1, 1, 0.5, 10); math.Abs(f-2.75) > 1e-12 {
		t.Errorf("d = 10: factor %g, want 2.75", f)
	}
	if f := factor(10, 5, 1.0/15, 1); math.Abs(f-2.333) > 1e-3 {
		t.Errorf("d = 1: factor %g, want 2.33", f)
	}
	// Simulated: three steps in 10 dimensions, E‖θ‖² = 2.75³ = 20.797 from 1. The mean of 20000 has a standard deviation below
	// 0.2 and is off by 3 with probability far below 1e-10.
	r := rand.New(rand.NewPCG(5, 6))
	var mean float64
	const trials = 20000
	for range trials {
		theta := make([]float64, 10)
		theta[0] = 1
		for range 3 {
			s := num.Norm2(theta)
			for j := range theta {
				theta[j] -= 0.5 * (theta[j] + s*r.NormFloat64())
			}
		}
		mean += num.Norm2(theta) * num.Norm2(theta) / trials
	}
	if math.Abs(mean-20.797) > 3 {
		t.Errorf("three steps: %.3f, want 20.80; the printed bound is 0.125", mean)
	}
	for _, d := range []int{1, 3, 10, 100} {
		for _, gamma := range []float64{0.01, 1, 5} {
			for _, mu := range []float64{0.1, 1, 10} {
				const l = 10
				tau := 1 / ((1 + float64(d)*gamma) * l)
				// A direction of curvature a, μ ≤ a ≤ L.
				for _, a := range []float64{mu, (mu + l) / 2, l} {
					f := (1-tau*a)*(1-tau*a) + tau*tau*gamma*a*a*float64(d)
					if f > 1-tau*mu+1e-12 {
						t.Errorf("d = %d, γ = %g, μ = %g: factor %g above %g", d, gamma, mu, f, 1-tau*mu)
					}
				}
			}
		}
	}
}

// TestRelativeDescentExplains: the table names what the price rests on.
func TestRelativeDescentExplains(t *testing.T) {
	s := must(Demo(linearFrame(t, 5000, 2, false), 1, ReplaceOne))
	text := must(s.Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6, Method: models.RelativeGaussianDescent, Strength: Declare(0.05)})).Explain())
	for _, want := range []string{"η = ", "R = ", "γ = ", "ρ = 0.0499986 (declared", "conditional on least eigenvalue", "RelativeGaussian(", "Strength: Declare(0.05)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, text)
		}
	}
}

func BenchmarkRelativeDescent(b *testing.B) {
	st := auditStage(b, ReplaceOne, 100_000, 20)
	o := linear.Settings{Epsilon: 1, Delta: 1e-6, Method: models.RelativeGaussianDescent, Steps: 100, Ridge: 0.1}
	d := must(linear.LeastSquares{Settings: o}.Prepare(st)).(*linear.RelativeDescent)
	m := &linear.NormalEquations{Size: d.Size(), Sum: make([]float64, d.Size()*d.Size())}
	rng := noise.New()
	for b.Loop() {
		if _, err := d.Fit(m, rng); err != nil {
			b.Fatal(err)
		}
	}
}

// momentsOfRows is Σ z·zᵀ.
func momentsOfRows(rows [][]float64) *linear.NormalEquations {
	m := len(rows[0])
	s := &linear.NormalEquations{Size: m, Sum: make([]float64, m*m)}
	for _, z := range rows {
		for i := range m {
			for j := range m {
				s.Sum[i*m+j] += z[i] * z[j]
			}
		}
	}
	return s
}
