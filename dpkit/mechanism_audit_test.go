package dpkit

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/quad"
	"gonum.org/v1/gonum/mathext"
)

// auditAlpha bounds the probability that one end of an interval is wrong. An audit has four such ends, and maxAudits of
// them raise a false alarm with probability below 4·102·2.4e-12 = 9.8e-10. Seeds are fixed besides: what is green stays green until
// the code changes.
const (
	auditAlpha = 2.4e-12
	maxAudits  = 102
)

// auditCase is a pair of neighbouring tables and a release that tells them apart, as a user would make it: a chain, its
// releases under many seeds, and what it says that it costs.
type auditCase struct {
	name   string
	schema frames.Schema
	rel    accountant.Neighbours
	sides  [2][][]float64 // rows: features, then the label if there is one; nil is a row that was zeroed out
	plan   func(Pipeline) *plan
	// told is how much a release, a *V, speaks for the first table: the closer to its likelihood ratio, the sharper the audit.
	told  func(v any) float64
	draws int  // of each table
	pure  bool // the claim is the ε of the guarantee; else the μ of the Gaussian that covers the event
	// caught is the factor by which a release may claim less than it costs before this audit catches it; 0: 2.
	caught float64
	why    string // for another factor than 2: why no pair is known that attains the claim
}

// tells makes a statistic of a released value.
func tells[V any](f func(V) float64) func(any) float64 {
	return func(v any) float64 { return f(*v.(*V)) }
}

// session is a demonstration on one of the tables.
func (c auditCase) session(t *testing.T, side int) *Session {
	t.Helper()
	d := len(c.schema.Features())
	m := &rows.Matrix{Domain: c.schema, Cols: d}
	b := &frames.Block{Rows: len(c.sides[side]), Cols: d}
	for i, row := range c.sides[side] {
		if row == nil {
			row = c.sides[1-side][i] // removed below
		}
		b.X = append(b.X, row[:d]...)
		b.Y = append(b.Y, row[d:]...)
	}
	s := must(Demo(must(frames.FromBlock(c.schema, b)), 1+uint64(side)<<32, c.rel))
	m.X = slices.Clone(b.X)
	if len(b.Y) > 0 {
		m.Y = slices.Clone(b.Y)
	}
	for i, row := range c.sides[side] {
		if row == nil {
			m.Remove(i)
			s.src = m
		}
	}
	return s
}

// releases of the plan on one of the tables, and what they say.
func (c auditCase) releases(t *testing.T, side, draws int) []float64 {
	t.Helper()
	values, err := c.plan(c.session(t, side).Data()).replicate(t.Context(), draws)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, draws)
	for i, v := range values {
		out[i] = c.told(v)
	}
	return out
}

// auditClaim is what a release says that it costs.
type auditClaim struct {
	pure           bool
	size, delta    float64 // μ or ε, and with which probability it may fail
	epsilon, fails float64 // of the guarantee
}

func (c auditCase) claim(t *testing.T) auditClaim {
	t.Helper()
	q, err := c.plan(c.session(t, 0).Data()).quote()
	if err != nil {
		t.Fatal(err)
	}
	g := q.price.Guarantee
	out := auditClaim{pure: c.pure, size: g.Epsilon, delta: g.Delta, epsilon: g.Epsilon, fails: g.Delta}
	if !c.pure {
		e, failure, err := accountant.SplitFailures(q.price.Event, c.rel)
		if err != nil {
			t.Fatal(err)
		}
		mu, tv, err := accountant.GDPOf(e, c.rel)
		if err != nil {
			t.Fatalf("no Gaussian covers %v: %v; audit it by its ε", q.price.Event, err)
		}
		out.size, out.delta = mu, tv+failure
	}
	return out
}

// proven is the least that a test of power p and level q (true and false alarms) proves on the claim's scale: μ ≥ Φ⁻¹(p − δ) − Φ⁻¹(q)
// (Dong, Roth, Su 2022), or ε ≥ ln((p − δ)/q) (Wasserman, Zhou 2010).
func proven(pure bool, delta, p, q float64) float64 {
	switch p -= delta; {
	case !(p > 0):
		return 0
	case pure:
		return max(0, math.Log(p/q))
	case q >= 1:
		return 0
	}
	return max(0, quad.NormalQuantile(p)-quad.NormalQuantile(q))
}

// A rule decides between the tables by a threshold on the statistic.
type auditRule struct {
	at    float64
	below bool // it speaks for the first table below the threshold
	first int  // the table that an alarm speaks for
}

// alarms counts the releases at which the rule gives one.
func (r auditRule) alarms(sorted []float64) int {
	k, _ := slices.BinarySearch(sorted, r.at)
	if r.below {
		return k
	}
	return len(sorted) - k
}

// proof bounds what the rule's alarms on releases of both tables prove; each end of the two intervals is wrong with probability alpha.
func (r auditRule) proof(pure bool, delta float64, sorted [2][]float64, alpha float64) float64 {
	yes, no := sorted[r.first], sorted[1-r.first]
	return proven(pure, delta, leastShare(r.alarms(yes), len(yes), alpha), mostShare(r.alarms(no), len(no), alpha))
}

// seen is what the shares of alarms themselves prove, which is at least [auditRule.proof]: the intervals lie around them.
func (r auditRule) seen(pure bool, delta float64, sorted [2][]float64) float64 {
	yes, no := sorted[r.first], sorted[1-r.first]
	p, q := r.alarms(yes), r.alarms(no)
	if p == len(yes) || q == 0 {
		return math.Inf(1)
	}
	return proven(pure, delta, float64(p)/float64(len(yes)), float64(q)/float64(len(no)))
}

// bestRule is the one that proves most on releases that nothing else is computed from.
func bestRule(pure bool, delta float64, pilot [2][]float64) (best auditRule) {
	most := -1.0
	for i := range 2 * 24 {
		v := pilot[i%2]
		for flip := range 4 {
			r := auditRule{v[len(v)*(i/2+1)/25], flip%2 == 0, flip / 2}
			if r.seen(pure, delta, pilot) <= most {
				continue
			}
			if got := r.proof(pure, delta, pilot, 1e-4); got > most {
				best, most = r, got
			}
		}
	}
	return best
}

// TestEveryMechanismIsAudited draws many releases of each mechanism, in each of its variants, on tables that differ in one row, and
// proves by them how much they tell of it at least: no more than what was billed, and more than half of it, so that a release that
// claims half of what it costs, as one whose noise is half of what is billed does, is caught. Where the worst pair is not known
// the case names the factor that is caught, and why.
func TestEveryMechanismIsAudited(t *testing.T) {
	cases := auditCases(t)
	if len(cases) > maxAudits {
		t.Errorf("%d audits, want at most the %d of the stated rate of false alarms", len(cases), maxAudits)
	}
	auditsAreComplete(t, cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claim := c.claim(t)
			var pilot, seen [2][]float64
			for side := range 2 {
				all := c.releases(t, side, c.draws+c.draws/4)
				pilot[side], seen[side] = all[:c.draws/4], all[c.draws/4:]
				slices.Sort(pilot[side])
				slices.Sort(seen[side])
			}
			got := bestRule(claim.pure, claim.delta, pilot).proof(claim.pure, claim.delta, seen, auditAlpha)
			t.Logf("%s: proves %.3f of %.3f: by a factor %.2f", c.name, got, claim.size, claim.size/got)
			if !(got <= claim.size) {
				t.Errorf("releases prove %v, billed %v", got, claim.size)
			}
			if !claim.pure {
				if e := bestRule(true, claim.fails, pilot).proof(true, claim.fails, seen, auditAlpha); !(e <= claim.epsilon) {
					t.Errorf("releases prove ε ≥ %v at δ = %g, guaranteed %v", e, claim.fails, claim.epsilon)
				}
			}
			caught := cmp.Or(c.caught, 2)
			if caught > 2 && c.why == "" {
				t.Errorf("it catches a factor %v: say why not 2", caught)
			}
			if !(got > claim.size/caught) {
				t.Errorf("releases prove %v of %v: a release that claims a part 1/%v of what it costs is not caught", got, claim.size, caught)
			}
		})
	}
}

// unaudited are the choices of parameters that no audit makes, and why: the law of what is drawn is that of the other choice.
var unaudited = map[string]string{
	`Rule "1/√t"`: ofSums, `Rule "1/t"`: ofSums, `Average ""`: ofSums, `Average "all"`: ofSums,
	`fit/logistic: Solver PoissonSampling`: ofGradient, `fit/logistic: Solver WithoutReplacement`: ofGradient, `fit/logistic: Solver ByIteration`: ofGradient,
	`fit/logistic: Solver FullBatch`: "the draw is that without a solver", `fit/logistic: Average "last"`: ofGradient,
	`fit/multinomial: Alone on`: "it is refused",
	`Link "logistic"`:           "a function of the released moments", `Link "probit"`: "a function of the released moments",
	`means: Noise "geometric"`:                             refusedNoise,
	`sum: Noise "geometric"`:                               refusedNoise,
	`gram: Noise "laplace"`:                                refusedNoise,
	`gram: Noise "geometric"`:                              refusedNoise,
	`table: Noise "laplace"`:                               refusedNoise,
	`table: Noise "geometric"`:                             refusedNoise,
	`cumulative: Noise "laplace"`:                          refusedNoise,
	`cumulative: Noise "geometric"`:                        refusedNoise,
	`correlation: Noise "laplace"`:                         refusedNoise,
	`correlation: Noise "geometric"`:                       refusedNoise,
	`score: Noise "laplace"`:                               refusedNoise,
	`score: Noise "geometric"`:                             refusedNoise,
	`found: Noise "laplace"`:                               refusedNoise,
	`found: Noise "geometric"`:                             refusedNoise,
	`choice: Noise "gaussian"`:                             refusedNoise,
	`choice: Noise "laplace"`:                              refusedNoise,
	`choice: Noise "geometric"`:                            refusedNoise,
	`table/top: Noise "gaussian"`:                          refusedNoise,
	`table/top: Noise "laplace"`:                           refusedNoise,
	`table/top: Noise "geometric"`:                         refusedNoise,
	`quantile: Noise "gaussian"`:                           refusedNoise,
	`quantile: Noise "laplace"`:                            refusedNoise,
	`quantile: Noise "geometric"`:                          refusedNoise,
	"fit/logistic-report, ByObjective: Alone on":           "the draw is that of fit/logistic-objective, and without Share the report is a function of it",
	"fit/logistic-report, Kifer2012":                       "the draw is that of fit/logistic-objective, and without Share the report is a function of it",
	"fit/linear, RelativeGaussianDescent: Strength tested": "what is drawn behind a test that passes is what is drawn for a declared number, and rows that pass have gradients whose noise hides a row",
	"train/local: Strength declared":                       ofLinear, "train/local: Strength tested": ofLinear, "train/local: Strength bounded": ofLinear,
}

const (
	ofGradient   = "the draw is that of fit/gradient with LogLoss"
	ofSums       = "it says what is computed from the noisy sums"
	refusedNoise = "it is refused"
	ofLinear     = "the certificate is that of fit/linear, which is audited with it"
)

// auditsAreComplete fails for a kind of release, a method, a law of noise, a solver or a switch that no case audits.
func auditsAreComplete(t *testing.T, cases []auditCase) {
	t.Helper()
	kinds, made := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		m := c.plan(c.session(t, 0).Data()).m
		name := wayName(m.(kind.Kinded))
		kinds[name] = true
		for s := range settingsOf(m) {
			made[name+": "+s] = true
		}
	}
	used := map[string]bool{}
	for _, m := range knownMechanisms() {
		name := wayName(m.of)
		if unaudited[name] != "" && !kinds[name] {
			used[name] = true
		} else if !kinds[name] {
			t.Errorf("kind %q: no audit", name)
		}
		for _, p := range parametersOf(m.of) {
			names, _ := choices(p.typ)
			for _, choice := range names {
				key := name + ": " + p.path + " " + choice
				why := unaudited[key]
				if why == "" {
					key = p.path + " " + choice
					why = unaudited[key]
				}
				switch audited := made[name+": "+p.path+" "+choice]; {
				case !audited && why == "":
					t.Errorf("%s: %s %s: no audit; add a case, or say in unaudited why there is none", name, p.path, choice)
				case !audited:
					used[key] = true
				}
			}
		}
	}
	for key := range unaudited {
		if !used[key] {
			t.Errorf("unaudited: %s is no choice of a mechanism, or is audited everywhere", key)
		}
	}
}

// audited returns the largest ε that a scalar statistic of releases proves at δ: the best of 60 thresholds, on either side and in
// either direction. With P and Q the shares of two sides beyond a threshold it is ln((P − tol − δ)/(Q + tol)), tol seven
// standard deviations of a share and 30/n: each is above the truth with probability below 1e-11 (Bernstein), all
// together below 1e-8·0.1.
func audited(n int, delta float64, draw func(side int) float64) float64 {
	var sides [2][]float64
	for side := range sides {
		for range n {
			sides[side] = append(sides[side], draw(side))
		}
		slices.Sort(sides[side])
	}
	worst := 0.0
	tol := func(p float64) float64 { return 7*math.Sqrt(p*(1-p)/float64(n)) + 30/float64(n) }
	for i := range 60 {
		at := sides[i%2][n*(i/2+1)/32]
		below := func(v []float64) float64 { k, _ := slices.BinarySearch(v, at); return float64(k) / float64(n) }
		a, b := below(sides[0]), below(sides[1])
		for _, s := range [][2]float64{{a, b}, {b, a}, {1 - a, 1 - b}, {1 - b, 1 - a}} {
			if p := s[0] - tol(s[0]) - delta; p > 0 {
				worst = max(worst, math.Log(p/(s[1]+tol(s[1]))))
			}
		}
	}
	return worst
}

// auditStage is a pair of few rows of norm at most 1 in the schema y = [−1, 1] with p features.
func auditStage(t testing.TB, rel accountant.Neighbours, n, p int) stage.Stage {
	t.Helper()
	cols := []frames.Column{frames.NumericLabel("y", -1, 1)}
	for j := range p {
		cols = append(cols, frames.Numeric(steps.ComponentName(j), -1, 1))
	}
	schema := must(frames.NewSchema(cols...))
	return stage.Stage{In: schema, Out: schema, Before: must(pair.Start(n, 1, rel))}
}

// leastShare and mostShare are the ends of the exact interval of a share that was seen k times in n draws, each wrong with probability
// alpha at most (Clopper, Pearson 1934).
func leastShare(k, n int, alpha float64) float64 {
	if k == 0 {
		return 0
	}
	return shareWhere(func(p float64) bool { return mathext.RegIncBeta(float64(k), float64(n-k)+1, p) < alpha }) // P(X ≥ k) = I_p(k, n−k+1)
}

func mostShare(k, n int, alpha float64) float64 {
	if k == n {
		return 1
	}
	return shareWhere(func(p float64) bool { return mathext.RegIncBeta(float64(k)+1, float64(n-k), p) < 1-alpha }) // P(X ≤ k) = 1 − I_p(k+1, n−k)
}

// shareWhere is the last number of [0, 1] at which below holds, which it does up to there.
func shareWhere(below func(p float64) bool) float64 {
	lo, hi := 0.0, 1.0
	for range 100 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
