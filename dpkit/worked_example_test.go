package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// workedExample is the worked example of the stability calculus (docs/theory/calculus.md#the-worked-example) as chains: rows like those of the Adult census,
// n = 32561 of 20 columns in a box that a public map has put around 0, three of which may miss, in the unit ball;
// logistic regression by DP-GD in 100 steps, C = 1, ‖w‖ ≤ 4/R. Pricing reads no row: they are zeros.
type workedExample struct {
	goldenWorked
	clean, capped, floored Pipeline
}

func newWorkedExample(t *testing.T) workedExample {
	t.Helper()
	var file struct {
		Worked goldenWorked `json:"worked_example"`
	}
	if err := json.Unmarshal(golden.Committed(t, "calculus"), &file); err != nil {
		t.Fatal(err)
	}
	p := file.Worked.Params
	var cols []frames.Column
	for j := range p.D {
		c := frames.Numeric(fmt.Sprint("x", j), -p.Box, p.Box)
		if j < 3 {
			c = c.MayMiss()
		}
		cols = append(cols, c)
	}
	s := must(frames.NewSchema(append(cols, frames.Label("y", "a", "b"))...))
	f := must(frames.FromBlock(s, &frames.Block{Rows: p.N, Cols: p.D, X: make([]float64, p.N*p.D), Y: make([]float64, p.N)}))
	data := demo(t, f).Data()
	return workedExample{
		file.Worked,
		data.Impute(Midpoint{}).ClipNorm(p.R),
		data.ClipNorm(p.R).Impute(Mean{Pad: 1, MaxMissing: Declare(float64(p.P))}),
		data.ClipNorm(p.R).Impute(Mean{Pad: p.N / 2}),
	}
}

// fit is the model at the end of a chain. Its W is 4 in units of 1/R wherever the chain ends, so that μ is that of
// the example; its C is 1, in units of R where the chain ends.
func (w workedExample) fit(t *testing.T, p Pipeline) Plan[LogisticModel] {
	t.Helper()
	o := ByGradient{
		Epsilon: 1, Delta: w.Params.Delta, MaxNorm: w.Params.W, TaintedNorm: w.Params.W, Clip: 1, Steps: w.Params.T, NoIntercept: true,
	}
	c, err := p.FitLogistic(o).Cost()
	if err != nil {
		t.Fatal(err)
	}
	o.Clip = 1 / c.Steps[len(c.Steps)-1].R
	return p.FitLogistic(o)
}

func TestWorkedExample(t *testing.T) {
	w := newWorkedExample(t)
	c := w.Params
	rms, std, svt := RMS{Floor: c.Floor}, Standard{Floor: c.Floor}, SoftThreshold{Lambda: c.Lam}
	hard := func(gap float64) Hard { return Hard{K: 8, Gap: Declare(gap)} }
	// Floating point adds 2^-36 and what n sums round, in every row, to what an eigensolver fits.
	const exact, solver = 1e-7, 1e-5
	const sharper = "sharper"
	rho := must(accountant.RhoFor(accountant.Budget{Epsilon: 1, Delta: c.Delta}))
	nominal := 2 * math.Sqrt(float64(c.T)/(2*rho)) // the noise that would do without preprocessing

	var table strings.Builder
	fmt.Fprintf(&table, "%-26s %9s %9s %9s %9s %8s %8s %9s %9s %9s\n", "chain", "t1", "golden", "A", "golden", "σ exact", "σ zCDP", "golden", "ε nominal", "paper c=2")
	for _, e := range []struct {
		name  string
		chain Pipeline
		tol   float64
		note  string // why the chain is cheaper than in the example, if it is
	}{
		{"none", w.clean, exact, ""},
		{"impute_pcap", w.capped, exact, ""},
		{"impute_floor", w.floored, exact, ""},
		{"rms", w.clean.Standardize(rms), exact, ""},
		{"std", w.clean.Standardize(std), exact, sharper + ": mean and spread add in squares (Theorem 4.1)"},
		{"svt0.02", w.clean.PCA(SoftThreshold{Lambda: 0.02}), solver, ""},
		{"svt0.04", w.clean.PCA(SoftThreshold{Lambda: 0.04}), solver, ""},
		{"svt0.1", w.clean.PCA(SoftThreshold{Lambda: 0.1}), solver, ""},
		{"hard0.002", w.clean.PCA(hard(0.002)), solver, ""},
		{"hard0.01", w.clean.PCA(hard(0.01)), solver, ""},
		{"hard0.05", w.clean.PCA(hard(0.05)), solver, ""},
		{"hard0.2", w.clean.PCA(hard(0.2)), solver, ""},
		{"chain_rms_svt", w.capped.Standardize(rms).PCA(svt), solver, ""},
		{"chain_floor", w.floored.Standardize(rms).PCA(svt), solver, ""},
		{"chain_std_svt", w.capped.Standardize(std).PCA(svt), solver, sharper + ": as std"},
		{"chain_rms_hard0.05", w.capped.Standardize(rms).PCA(hard(0.05)), solver, sharper + ": rms knows its columns' heights"},
		{"chain_rms_hard0.01", w.capped.Standardize(rms).PCA(hard(0.01)), solver, sharper + ": rms knows its columns' heights"},
		{"chain_std_hard0.05", w.capped.Standardize(std).PCA(hard(0.05)), solver, sharper + ": as std"},
		{"chain_std_hard0.01", w.capped.Standardize(std).PCA(hard(0.01)), solver, sharper + ": as std"},
		{
			"impute_only+private rest",
			w.capped.Standardize(PrivateRMS{Share: 0.05, Floor: c.Floor}).PCA(PrivateComponents{K: 8, Share: 0.05}), exact, "",
		},
	} {
		t.Run(e.name, func(t *testing.T) {
			want := goldenPrice{S: 2, A: 1, Sigma: nominal, Nominal: 1, Paper: 1.48} // as docs/theory/calculus.md#the-worked-example has it
			printed := 5e-4
			if e.name == "none" {
				printed = 5e-3
			}
			if raw, ok := w.Pipelines[e.name]; ok {
				if err := json.Unmarshal(raw, &want); err != nil {
					t.Fatal(err)
				}
			} else if e.name != "none" {
				t.Fatal("no such pipeline in the file")
			}
			v := cost.Of(e.name, w.fit(t, e.chain))
			if v.Refused != "" {
				t.Fatal(v.Refused)
			}
			r := v.Cost.Release
			last := v.Cost.Steps[len(v.Cost.Steps)-1]
			for _, q := range []struct {
				what      string
				got, want float64
				capped    bool
			}{
				{"t1", v.Displacement, want.T1, false},
				{"tF", v.Frobenius, want.TF, false},
				{"t∞", last.LargestRow, want.TI, true}, // a cell is at most its column's height, not R
				{"S", r.Sensitivity, want.S, false},
				{"A", v.Amplification, want.A, false},
			} {
				low := 1 - 1e-12
				if e.note != "" || q.capped {
					low = 0
				}
				if !(q.got <= q.want*(1+e.tol)) || !(q.got >= q.want*low) {
					t.Errorf("%s = %.12g, want %.12g (off by the factor 1 %+.3g)", q.what, q.got, q.want, q.got/q.want-1)
				}
			}
			if e.note != "" && !(r.Sensitivity < want.S*(1-1e-3)) {
				t.Errorf("S = %g is not below %g: no longer %s", r.Sensitivity, want.S, e.note)
			}

			// Noise and ε by zCDP, of the example's sensitivity and of the chain's.
			sigma := r.Sensitivity * math.Sqrt(float64(c.T)/(2*rho))
			golden.Within(t, "the example's σ", want.S*math.Sqrt(float64(c.T)/(2*rho)), want.Sigma, 1e-6, 1e-4)
			if !(sigma <= want.Sigma*(1+e.tol)) {
				t.Errorf("σ = %g by zCDP, above the example's %g", sigma, want.Sigma)
			}
			// The release calibrates by Gaussian DP, which needs less. Private fits have a share of the budget.
			if !(r.Sigma <= want.Sigma/math.Sqrt(1-v.Share)) {
				t.Errorf("σ = %g, above the example's %g", r.Sigma, want.Sigma/math.Sqrt(1-v.Share))
			}
			curve := func(s float64) accountant.Curve {
				return func(alpha float64) float64 { return alpha * rho * s * s / 4 }
			}
			epsilon := func(c accountant.Curve) float64 {
				eps, _, err := c.Epsilon(w.Params.Delta)
				if err != nil {
					t.Fatal(err)
				}
				return eps
			}
			golden.Within(t, "the example's ε at nominal noise", epsilon(curve(want.S)), want.Nominal, 1e-6, 5e-4)
			golden.Within(t, "the example's ε by c = 2", epsilon(accountant.PaperTheorem2(curve(2), curve(want.S-2))), want.Paper, 1e-5, printed)
			ours := epsilon(curve(r.Sensitivity))
			paper := epsilon(accountant.PaperTheorem2(curve(2), curve(max(0, r.Sensitivity-2))))
			full := accountant.Repeat(accountant.Gaussian{Sensitivity: r.Sensitivity, Sigma: nominal, Neighbours: ReplaceOne}, c.T)
			direct := must(accountant.EpsilonOf(full, ReplaceOne, c.Delta)).Epsilon
			if !(ours <= want.Nominal*(1+2*e.tol)) || !(paper <= want.Paper*(1+2*e.tol)) || !(ours <= paper) || !(direct <= ours) {
				t.Errorf("ε at nominal noise: %g exact, %g by zCDP, %g by c = 2; the example has %g and %g", direct, ours, paper, want.Nominal, want.Paper)
			}
			if g := v.Cost.Guarantee; !(g.Epsilon <= 1) {
				t.Errorf("the release has ε = %g", g.Epsilon)
			}
			fmt.Fprintf(&table, "%-26s %9.5g %9.5g %9.5g %9.5g %8.5g %8.5g %9.5g %9.5g %9.5g  %s\n",
				e.name, v.Displacement, want.T1, v.Amplification, want.A, r.Sigma, sigma, want.Sigma, ours, paper, e.note)
		})
	}
	t.Logf("S in units of C; σ of the noise on a sum at ε = 1; golden is the reference implementation\n%s", &table)
}

// TestWorkedExamplePrivately: the rows of docs/theory/calculus.md#the-worked-example that spend a tenth of ρ, and what Compare says of the chain that fits
// everything without noise.
func TestWorkedExamplePrivately(t *testing.T) {
	t.Parallel()
	w := newWorkedExample(t)
	floor := w.Params.Floor
	written := w.capped.Standardize(RMS{Floor: floor}).PCA(SoftThreshold{Lambda: w.Params.Lam})
	private := w.clean.replaced(0, steps.PrivateMeanImpute{PrivateMean: PrivateMean{Share: 0.03}}).
		Standardize(PrivateRMS{Share: 0.03, Floor: floor}).PCA(PrivateComponents{K: 8, Share: 0.04})
	mixed := w.capped.Standardize(PrivateRMS{Share: 0.05, Floor: floor}).PCA(PrivateComponents{K: 8, Share: 0.05})
	rho := must(accountant.RhoFor(accountant.Budget{Epsilon: 1, Delta: w.Params.Delta}))
	for _, c := range []struct {
		name         string
		chain        Pipeline
		noise, sigma float64 // as docs/theory/calculus.md#the-worked-example has them
	}{
		{"impute non-private, scale and PCA private", mixed, 1.10 * 1.054, 104.9},
		{"everything private", private, 1.054, 95.5},
	} {
		v := cost.Of(c.name, w.fit(t, c.chain))
		if v.Refused != "" {
			t.Fatal(v.Refused)
		}
		sigma := v.Cost.Release.Sensitivity * math.Sqrt(float64(w.Params.T)/(2*rho*(1-v.Share)))
		if math.Abs(v.Share-0.1) > 1e-12 || math.Abs(v.Noise/c.noise-1) > 3e-3 || math.Abs(sigma/c.sigma-1) > 1e-3 {
			t.Errorf("%s: share %g, noise × %g, σ %g, want 0.1, %g, %g", c.name, v.Share, v.Noise, sigma, c.noise, c.sigma)
		}
	}

	plan := w.fit(t, written)
	cmp, err := plan.Compare()
	if err != nil {
		t.Fatal(err)
	}
	v := cost.Of("as written", plan)
	if cmp.Written.Displacement != v.Displacement || cmp.Written.Noise != v.Noise {
		t.Errorf("Compare prices the chain at %g, cost.Of at %g", cmp.Written.Noise, v.Noise)
	}
	if len(cmp.Steps) != 5 || !(cmp.Recommended.Noise < 1.1) {
		t.Errorf("%d steps compared, recommended noise × %g, want 5 and below 1.1, as private fits have", len(cmp.Steps), cmp.Recommended.Noise)
	}
	t.Logf("\n%v", cmp)
}

// replaced is the pipeline with another step at a place.
func (p Pipeline) replaced(i int, step stage.Preprocessor) Pipeline {
	p.steps = slices.Clone(p.steps)
	p.steps[i] = step
	return p
}
