package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenArgs are the arguments of a function of a file; a handler that reads one marks it.
type goldenArgs struct {
	t       *testing.T
	numbers map[string]float64
	words   map[string]string
	used    map[string]bool
}

func newGoldenArgs(t *testing.T, raw json.RawMessage) goldenArgs {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	a := goldenArgs{t, map[string]float64{}, map[string]string{}, map[string]bool{}}
	for k, v := range all {
		switch v := v.(type) {
		case float64:
			a.numbers[k] = v
		case string:
			a.words[k] = v
		default:
			t.Fatalf("argument %s: got %v, want a number or a word", k, v)
		}
	}
	return a
}

// get is a number that must be there.
func (a goldenArgs) get(name string) float64 {
	a.t.Helper()
	x, ok := a.numbers[name]
	if !ok {
		a.t.Fatalf("no argument %q", name)
	}
	a.used[name] = true
	return x
}

// or is a number that may be missing.
func (a goldenArgs) or(name string, otherwise float64) float64 {
	if _, ok := a.numbers[name]; !ok {
		return otherwise
	}
	return a.get(name)
}

func (a goldenArgs) relation() accountant.Neighbours {
	a.used["adj"] = true
	switch a.words["adj"] {
	case "addrm":
		return accountant.AddRemove
	case "", "replace":
		return ReplaceOne
	}
	a.t.Fatalf("unknown relation %q", a.words["adj"])
	return 0
}

// unread fails where an argument was not heeded.
func (a goldenArgs) unread() {
	for k := range a.numbers {
		if !a.used[k] {
			a.t.Errorf("unknown argument %s", k)
		}
	}
	for k := range a.words {
		if !a.used[k] {
			a.t.Errorf("unknown argument %s", k)
		}
	}
}

// rdp is an event's Rényi divergence at an order.
func rdp(t *testing.T, e accountant.Event, rel accountant.Neighbours, alpha float64) float64 {
	t.Helper()
	curve, err := e.RDP(rel)
	if err != nil {
		t.Fatal(err)
	}
	return curve(alpha)
}

// moved is a pair whose common rows are displaced by so much, however many they are.
func moved(rel accountant.Neighbours, r float64, f int, t1, tF float64) pair.State {
	const n = min(1<<40, math.MaxInt)
	return pair.State{Neighbours: rel, N: n, R: r, F: f, M: n - f, T1: t1, TF: tF, TInf: tF, DFree: math.Inf(1)}
}

// functions are the mechanisms of calculus.json, by the public functions of the accountant.
func (g goldenHandlers) functions(t *testing.T, raw json.RawMessage) {
	var list []struct {
		Fn    string
		Args  json.RawMessage
		Value golden.OrNull
	}
	golden.Decode(t, raw, &list)
	handlers := goldenFunctions()
	for i, e := range list {
		t.Run(fmt.Sprintf("%02d %s", i, e.Fn), func(t *testing.T) {
			// What stands behind the name explains it, but for the relation of sgm_rdp, which is its name's.
			name := strings.FieldsFunc(e.Fn, func(r rune) bool { return r == '(' || r == ' ' })[0]
			handler, ok := handlers[name]
			if !ok {
				t.Fatalf("no handler for the function %q", name)
			}
			a := newGoldenArgs(t, e.Args)
			handler(g, t, a, float64(e.Value))
			a.unread()
		})
	}
}

func goldenFunctions() map[string]func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
	exact := func(f func(t *testing.T, a goldenArgs) float64) func(goldenHandlers, *testing.T, goldenArgs, float64) {
		return func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			t.Helper()
			g.Same(t, "value", f(t, a), want)
		}
	}
	poisson := func(a goldenArgs, rel accountant.Neighbours, sigma float64) accountant.SubsampledGaussian {
		return accountant.SubsampledGaussian{C: 1, Sigma: sigma, Sampling: accountant.PoissonSampling(a.get("q")), Neighbours: rel}
	}
	// One eigenvalue 1+t of the whitened Gram matrix is a pair of normal laws with these variances.
	phi := func(t *testing.T, x, alpha float64) float64 {
		t.Helper()
		d, err := accountant.SphericalPair{From: 1 + x, To: 1, Coordinates: 1}.Divergence(alpha)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	gaussMix := func(t *testing.T, a goldenArgs, p pair.State) float64 {
		t.Helper()
		v := a.get("v")
		m, err := pair.GaussMixOn(p, pair.GaussMixOptions{K: int(a.get("k")), Noise: v - a.or("lam", 0), Floor: a.or("lam", 0)})
		if err != nil {
			t.Fatal(err)
		}
		return rdp(t, m, p.Neighbours, a.get("alpha"))
	}
	// The reference is the published or the split bound. The library takes the least of several, which is never
	// less than what the same rows cost without a displacement.
	subsampled := func(g goldenHandlers, t *testing.T, a goldenArgs, want float64, s accountant.Sampling) {
		t.Helper()
		e := accountant.SubsampledGaussian{C: 1, Sigma: a.get("s"), Sampling: s, Neighbours: ReplaceOne}
		alpha := a.get("alpha")
		still := rdp(t, e, ReplaceOne, alpha)
		e.Shift = accountant.DisplacedRows{Rows: int(a.or("n", 1e5+1)) - 1, Each: a.get("mu_ti"), Total: a.get("mu_tau")}
		// The file's shares of the noise are optimised numerically.
		if got := rdp(t, e, ReplaceOne, alpha); !(got <= want*(1+1e-3)) || !(got >= still) {
			t.Errorf("got %g, want at least %g, without a displacement, and at most %g", got, still, want)
		}
	}
	return map[string]func(g goldenHandlers, t *testing.T, a goldenArgs, want float64){
		"gauss_rdp": exact(func(t *testing.T, a goldenArgs) float64 {
			return rdp(t, accountant.Gaussian{Sensitivity: a.get("S"), Sigma: a.get("sigma"), Neighbours: ReplaceOne}, ReplaceOne, a.get("alpha"))
		}),
		"laplace_rdp": exact(func(t *testing.T, a goldenArgs) float64 {
			return rdp(t, accountant.Laplace{Sensitivity: a.get("t"), Scale: 1, Neighbours: ReplaceOne}, ReplaceOne, a.get("alpha"))
		}),
		"weak_triangle_cstar": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			free, shift, alpha := a.get("Sf"), a.get("Stau"), a.get("alpha")
			// Of two Gaussians the triangle at c is least at c*, where it is the direct bound.
			at := func(c float64) float64 {
				return (alpha*c-1)/(c*(alpha-1))*alpha*c*shift*shift/2 + (c*alpha-1)/(c-1)*free*free/2
			}
			direct := alpha * (free + shift) * (free + shift) / 2
			g.Near(t, "the triangle at c*", at(want), direct)
			for _, c := range []float64{1 + (want-1)*0.99, 1 + (want-1)*1.01} {
				if !(at(c) > direct) {
					t.Errorf("the triangle at %g is %g, not above that at c*, %g", c, at(c), direct)
				}
			}
			curve := func(s float64) accountant.Curve { return func(alpha float64) float64 { return alpha * s * s / 2 } }
			got := accountant.WeakTriangle(curve(free), curve(shift))(alpha)
			golden.Within(t, "the best triangle", got, direct, 1e-4, 1e-12)
		},
		"sgm_rdp": exact(func(t *testing.T, a goldenArgs) float64 {
			return rdp(t, poisson(a, accountant.AddRemove, a.get("s")), accountant.AddRemove, a.get("alpha"))
		}),
		"sgm_replace": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			alpha, s := a.get("alpha"), a.get("s")
			g.Same(t, "split", 2*rdp(t, poisson(a, accountant.AddRemove, s/math.Sqrt2), accountant.AddRemove, alpha), want)
			g.AtMost(t, "exact", rdp(t, poisson(a, ReplaceOne, s), ReplaceOne, alpha), want)
		},
		"wbk_wor": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			// Wang, Balle, Kasiviswanathan 2019, Theorem 9, for a replaced row of norm 1: ε(j) = 2j/s² without sampling.
			alpha, q, s := int(a.get("alpha")), a.get("q"), a.get("s")
			eps := func(j int) float64 { return 2 * float64(j) / (s * s) }
			terms := []float64{0, 2*math.Log(q) + logChoose(alpha, 2) + min(math.Log(4*math.Expm1(eps(2))), eps(2)+math.Ln2)}
			for j := 3; j <= alpha; j++ {
				terms = append(terms, float64(j)*math.Log(q)+logChoose(alpha, j)+float64(j-1)*eps(j)+math.Ln2)
			}
			g.Near(t, "published", logSumExp(terms)/float64(alpha-1), want)
			const rows = 1_000_000
			e := accountant.SubsampledGaussian{
				C: 1, Sigma: s, Sampling: accountant.BatchSampling(int(math.Round(q*rows)), rows), Neighbours: ReplaceOne,
			}
			// At least what the row costs that is there on one side only.
			one := accountant.SubsampledGaussian{C: 1, Sigma: s, Sampling: accountant.PoissonSampling(q), Neighbours: accountant.AddRemove}
			between(t, "event", rdp(t, e, ReplaceOne, float64(alpha)), rdp(t, one, accountant.AddRemove, float64(alpha)), want)
		},
		"dpsgd_poisson": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			subsampled(g, t, a, want, accountant.PoissonSampling(a.get("q")))
			// The reference gives a share of the noise to the two gradients and the rest to the displacement.
			alpha, s, each := a.get("alpha"), a.get("s"), min(a.get("mu_ti"), 2)
			law := binomialLaw(int(math.Ceil(a.get("mu_tau")/each-1e-12)), a.get("q"))
			least := math.Inf(1)
			for k := 1; k < 1000; k++ {
				share := float64(k) / 1000
				c := alpha * (alpha - 1) * each * each / (2 * (1 - share) * s * s)
				least = min(least, 2*rdp(t, poisson(a, accountant.AddRemove, s*math.Sqrt(share/2)), accountant.AddRemove, alpha)+
					logMeanExp(law, func(k float64) float64 { return c * k * k })/(alpha-1))
			}
			golden.Within(t, "split", least, want, 1e-3, 1e-3)
		},
		"dpsgd_wor": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			subsampled(g, t, a, want, accountant.BatchSampling(int(a.get("b")), int(a.get("n"))))
		},
		"logE_exp": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			c, r, q := a.get("c"), int(a.get("r")), a.get("q")
			g.Near(t, "expectation", logMeanExp(binomialLaw(r, q), func(k float64) float64 { return c * k * k }), want)
			// At the order 2 it is what r rows displaced by σ√c cost, when a free row costs next to nothing.
			e := accountant.SubsampledGaussian{
				C: math.Sqrt(c) / 2, Sigma: 1, Sampling: accountant.PoissonSampling(q), Neighbours: ReplaceOne,
				Shift: accountant.DisplacedRows{Rows: r, Each: math.Sqrt(c)},
			}
			still := e
			still.Shift = accountant.DisplacedRows{}
			both := logMeanExp(binomialLaw(r, q), func(k float64) float64 { return c * (k + 1) * (k + 1) })
			got, least := rdp(t, e, ReplaceOne, 2), rdp(t, still, ReplaceOne, 2)
			if !(got >= least) || !(got <= both) {
				t.Errorf("displaced rows cost %g, want %g to %g", got, least, both)
			}
		},
		"phi": exact(func(t *testing.T, a goldenArgs) float64 { return phi(t, a.get("t"), a.get("alpha")) }),
		"psimax": exact(func(t *testing.T, a goldenArgs) float64 {
			e := a.get("e")
			return max(phi(t, e, a.get("alpha")), phi(t, -e, a.get("alpha"))) / (e * e)
		}),
		"gaussmix_state": exact(func(t *testing.T, a goldenArgs) float64 {
			return gaussMix(t, a, moved(a.relation(), a.get("R"), 1, math.MaxFloat64/2, a.get("tF")))
		}),
		"gaussmix_shift_only": exact(func(t *testing.T, a goldenArgs) float64 {
			return gaussMix(t, a, moved(ReplaceOne, a.or("R", 1), 0, math.MaxFloat64/2, a.get("tF")))
		}),
		"mu_logistic": exact(func(_ *testing.T, a goldenArgs) float64 { // every coordinate is displaced
			return gradient.LogisticLipschitz(a.get("RW"), a.get("RW"))
		}),
		"ssp_S": exact(func(t *testing.T, a goldenArgs) float64 {
			f := int(a.get("f"))
			s, err := pair.GramSensitivity(moved(a.relation(), a.get("R"), f, a.get("t1"), math.MaxFloat64/4))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}),
		"rho_to_eps": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			got, err := accountant.EpsilonOf(accountant.ZCDP{Rho: a.get("rho"), Neighbours: ReplaceOne}, ReplaceOne, a.or("delta", 1e-6))
			if err != nil {
				t.Fatal(err)
			}
			// The reference takes the best of a list of orders.
			golden.Within(t, "ε", got.Epsilon, want, float64(g.Tolerance), 5e-4)
		},
		"eps_to_rho": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			got, err := accountant.RhoFor(accountant.Budget{Epsilon: a.get("eps"), Delta: a.or("delta", 1e-6)})
			if err != nil {
				t.Fatal(err)
			}
			golden.Within(t, "ρ", got, want, 5e-4, 1e-8) // likewise
		},
		"ptr_threshold": exact(func(t *testing.T, a goldenArgs) float64 {
			x, err := accountant.TestThresholdLaplace(a.get("beta"), a.get("Delta_T"), a.get("eps0"), a.get("delta0"))
			if err != nil {
				t.Fatal(err)
			}
			return x
		}),
		"output_pert_S": exact(func(t *testing.T, a goldenArgs) float64 {
			// The gradients' sum moves by S·nλ, and the minimiser by 1/(nλ) of that.
			p := moved(a.relation(), 1, int(a.get("f")), a.get("tau"), math.MaxFloat64/4)
			total, _, err := pair.Query{C: a.get("L"), Lipschitz: a.get("mu")}.Sensitivity(p)
			if err != nil {
				t.Fatal(err)
			}
			return total / (a.get("n") * a.get("lam"))
		}),
		"expmech_rdp": func(g goldenHandlers, t *testing.T, a goldenArgs, want float64) {
			got := rdp(t, accountant.Exponential{Epsilon: 2 * a.get("eta") * a.get("dq"), Neighbours: ReplaceOne}, ReplaceOne, a.get("alpha"))
			g.AtMost(t, "value", got, want)
		},
		"group_gauss": exact(func(t *testing.T, a goldenArgs) float64 {
			return rdp(t, accountant.Gaussian{Sensitivity: a.get("C2") * a.get("g"), Sigma: a.get("sigma"), Neighbours: ReplaceOne}, ReplaceOne, a.get("alpha"))
		}),
	}
}

// binomialLaw are the logarithms of the probabilities of 0 to n successes.
func binomialLaw(n int, q float64) []float64 {
	law := make([]float64, n+1)
	for k := range law {
		law[k] = logChoose(n, k)
		if k > 0 {
			law[k] += float64(k) * math.Log(q)
		}
		if k < n {
			law[k] += float64(n-k) * math.Log1p(-q)
		}
	}
	return law
}

// hypergeometricLaw are those of 0 to b of r marked rows among b drawn out of n.
func hypergeometricLaw(n, r, b int) []float64 {
	law := make([]float64, b+1)
	for k := range law {
		law[k] = math.Inf(-1)
		if k <= r && b-k <= n-r {
			law[k] = logChoose(r, k) + logChoose(n-r, b-k) - logChoose(n, b)
		}
	}
	return law
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, _ := math.Lgamma(float64(n-k) + 1)
	return a - b - c
}

// logMeanExp is ln E e^{f(K)}.
func logMeanExp(law []float64, f func(k float64) float64) float64 {
	terms := make([]float64, len(law))
	for k, p := range law {
		terms[k] = p + f(float64(k))
	}
	return logSumExp(terms)
}

func logSumExp(terms []float64) float64 {
	most := math.Inf(-1)
	for _, x := range terms {
		most = max(most, x)
	}
	if math.IsInf(most, 0) {
		return most
	}
	sum := 0.0
	for _, x := range terms {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}
