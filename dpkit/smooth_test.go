package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// TestCurvesOfEveryMechanism: curves rise in α and τ, are 0 where nothing is displaced, do not fall below each other where theorems say so,
// and come back from JSON as upper bounds of themselves.
func TestCurvesOfEveryMechanism(t *testing.T) {
	finite := 0
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		for i, end := range []func(Pipeline) *plan{e.end, e.beside} {
			if end == nil {
				continue
			}
			c, err := end(d).Cost()
			if err != nil {
				t.Fatal(err)
			}
			event, rel, err := end(d).event()
			if err != nil || fmt.Sprint(event) == "" || rel != e.rel {
				t.Fatalf("event %v under %v: %v", event, rel, err)
			}
			tau := c.Tau()
			if tau == 0 {
				tau = c.Curves().Tau[1]
			}
			if math.IsInf(c.RDP(8), 1) && (e.kind != "found" || c.Curves().Why == "") { // a key of one person may show
				t.Errorf("chain %d: no Rényi curve: %s", i, c.Curves().Why)
			}
			if !math.IsInf(c.SRDP(8, tau), 1) {
				finite++
			}
			const round = 1 + 1e-9
			for _, alpha := range []float64{1.25, 2, 3.7, 8, 33} {
				if got := c.SRDP(alpha, 0); got != 0 {
					t.Errorf("chain %d: SRDP(%g, 0) = %g", i, alpha, got)
				}
				if c.RDP(alpha) > c.RDP(2*alpha)*round || c.SRDP(alpha, tau) > c.SRDP(2*alpha, tau)*round {
					t.Errorf("chain %d: curves fall behind α = %g", i, alpha)
				}
				for _, f := range []func(alpha, tau float64) float64{c.SRDP, c.Displaced, c.Theorem2} {
					if f(alpha, tau/3) > f(alpha, tau)*round || f(alpha, tau) > f(alpha, 3*tau)*round {
						t.Errorf("chain %d: a curve falls in τ at α = %g", i, alpha)
					}
				}
				if c.Displaced(alpha, c.Tau())*round < c.RDP(alpha) {
					t.Errorf("chain %d: one hop that knows τ alone costs %g at α = %g, the release %g", i, c.Displaced(alpha, c.Tau()), alpha, c.RDP(alpha))
				}
				if c.Displaced(alpha, tau)*round < c.SRDP(alpha, tau) {
					t.Errorf("chain %d: at α = %g a row that changes too costs less", i, alpha)
				}
			}
			for _, bad := range []float64{1, 0, -2, math.NaN()} {
				if !math.IsInf(c.RDP(bad), 1) || !math.IsInf(c.SRDP(bad, tau), 1) || !math.IsInf(c.SRDP(2, -tau), 1) || !math.IsInf(c.StepSRDP(0, 2), 1) {
					t.Errorf("chain %d: a number at α = %g", i, bad)
				}
			}
			// The bound of Theorem 2 does not rise in α near 1, where its factor is large; the next order's holds and is less.
			var back Cost
			if err := json.Unmarshal(must(json.Marshal(c)), &back); err != nil {
				t.Fatal(err)
			}
			for _, alpha := range []float64{1.2, 2, 7, 64, 65} {
				for _, x := range []float64{0, tau / 3, tau, 100 * tau} {
					if back.RDP(alpha) < c.RDP(alpha) || back.SRDP(alpha, x) < c.SRDP(alpha, x) || back.Displaced(alpha, x) < c.Displaced(alpha, x) {
						t.Errorf("chain %d: read back at α = %g, τ = %g: less than was written", i, alpha, x)
					}
				}
			}
			if a, b := asJSON(c), asJSON(back); a != b {
				t.Errorf("chain %d: written again it is another\n%s\n%s", i, a, b)
			}
		}
	})
	if finite < 15 {
		t.Errorf("%d smooth curves, want those of all sums, matrices, gradients and mixtures", finite)
	}
}

// TestSmoothCurveAttacked: matrices of two tables whose rows differ by τ in all, in structured ways, are no further apart than the smooth
// curve says: the divergence of the two Gaussian laws is α‖Δ‖²/2σ² exactly.
func TestSmoothCurveAttacked(t *testing.T) {
	const n, d = 60, 3
	schema := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Numeric("b", -1, 1), frames.Numeric("c", -1, 1)))
	table := func(at func(i, j int) float64) *frames.Frame {
		b := &frames.Block{Rows: n, Cols: d, X: make([]float64, n*d)}
		for i := range n {
			for j := range d {
				b.X[i*d+j] = at(i, j)
			}
		}
		return must(frames.FromBlock(schema, b))
	}
	plan := must(Demo(table(func(int, int) float64 { return 0 }), 1, ReplaceOne)).Data().Gram(Target{Epsilon: 1, Delta: 1e-6}).plan()
	c, q := must(plan.Cost()), must(plan.quote())
	second := func(f *frames.Frame) []float64 {
		return must(plan.of.Exact(t.Context(), rows.InProcess{In: f}, q.end)).(*linear.GramMatrix).Second
	}
	starts := map[string]func(i, j int) float64{
		"corners":        func(i, j int) float64 { return 1 },
		"one column":     func(i, j int) float64 { return []float64{1, 0, 0}[j] },
		"zeros":          func(i, j int) float64 { return 0 },
		"signs":          func(i, j int) float64 { return float64(1 - 2*((i+j)%2)) },
		"two magnitudes": func(i, j int) float64 { return []float64{1, 1e-6}[i%2] },
	}
	best := 0.0
	for _, moved := range []int{1, 7, n} { // rows that take τ among them
		for _, each := range []float64{1e-9, 1e-3, 0.5, 1} { // of a coordinate
			for name, start := range starts {
				for _, along := range []int{0, 1, 2, d} { // one column or all
					tau := 0.0
					step := func(i, j int) float64 {
						if i >= moved || along < d && j != along {
							return 0
						}
						s := each
						if start(i, j) > 0 {
							s = -s // inside the bounds
						}
						return s
					}
					for i := range n {
						row := 0.0
						for j := range d {
							row = math.Hypot(row, step(i, j))
						}
						tau += row
					}
					x, y := second(table(start)), second(table(func(i, j int) float64 { return start(i, j) + step(i, j) }))
					distance := 0.0
					for k := range x {
						distance = math.Hypot(distance, x[k]-y[k])
					}
					for _, alpha := range []float64{1.5, 8, 100} {
						attained := alpha * distance * distance / (2 * c.Release.Sigma * c.Release.Sigma)
						bound := c.SRDP(alpha, tau*(1-1e-12))
						if attained > bound*(1+1e-9) {
							t.Errorf("%s, %d rows by %g: %g attained at α = %g, τ = %g, bound %g", name, moved, each, attained, alpha, tau, bound)
						}
						best = max(best, attained/bound)
					}
				}
			}
		}
	}
	if best < 0.2 {
		t.Errorf("the best pair attains %g of the bound: the attack is blind", best)
	}
}

// TestStoredCurvesAreChecked: tables of curves that are none are refused.
func TestStoredCurvesAreChecked(t *testing.T) {
	for name, curves := range map[string]string{
		"a row too few":      `{"orders":[2,4],"rdp":[1,2],"tau":[0],"srdp":[],"displaced":[[1,2]],"theorem2":[[1,2]],"steps":[]}`,
		"a number too few":   `{"orders":[2,4],"rdp":[1],"tau":[],"srdp":[],"displaced":[],"theorem2":[],"steps":[]}`,
		"orders that fall":   `{"orders":[4,2],"rdp":[1,2],"tau":[],"srdp":[],"displaced":[],"theorem2":[],"steps":[]}`,
		"a negative bound":   `{"orders":[2],"rdp":[-1],"tau":[],"srdp":[],"displaced":[],"theorem2":[],"steps":[]}`,
		"a negative τ":       `{"orders":[2],"rdp":[1],"tau":[-1],"srdp":[[1]],"displaced":[[1]],"theorem2":[[1]],"steps":[]}`,
		"a step too many":    `{"orders":[2],"rdp":[1],"tau":[],"srdp":[],"displaced":[],"theorem2":[],"steps":[[1]]}`,
		"a number as a text": `{"orders":[2],"rdp":["1"],"tau":[],"srdp":[],"displaced":[],"theorem2":[],"steps":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var c cost.Plan
			if err := json.Unmarshal([]byte(`{"curves":`+curves+`}`), &c); err == nil {
				t.Error("it was read")
			}
		})
	}
}
