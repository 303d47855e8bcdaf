package accountant

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExplainGaussian(t *testing.T) {
	e := Compose(Repeat(Compose(addGauss(0.1), addGauss(0.2)), 4), addGauss(0.3))
	x, err := Explain(e, AddRemove, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	want := `(2.44584, 1e-06)-DP, add/remove, unconditional by exact Gaussian profile; shares of μ²
Compose                                                  ε  2.44584  100.0 %
├─ Repeat                                                ε  1.99453   69.0 %
│  └─ 4 × Compose                                        ε  1.99453   69.0 %
│     ├─ Gaussian(sensitivity 0.1, sigma 1, add/remove)  ε 0.396858   13.8 %
│     └─ Gaussian(sensitivity 0.2, sigma 1, add/remove)  ε 0.834118   55.2 %
└─ Gaussian(sensitivity 0.3, sigma 1, add/remove)        ε  1.29171   31.0 %
`
	if got := x.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestExplainShares: the parts' shares add up to their parent's, the root has all, every node's price is its own.
func TestExplainShares(t *testing.T) {
	laplace, approx := Laplace{1, 20, AddRemove}, ApproxDP{0.1, 1e-8, AddRemove}
	for name, e := range map[string]Event{
		"Gaussians": Compose(Repeat(Compose(addGauss(0.1), addGauss(0.2)), 4), addGauss(0.3)),
		"mixed":     Compose(Repeat(Compose(addGauss(0.1), laplace), 4), Repeat(approx, 3)),
		"grid":      Repeat(DiscreteGaussian{1, 10, AddRemove, 1e6, 3}, 5),
		"group":     Compose(Group(Compose(addGauss(0.1), addGauss(0.2)), 3), addGauss(0.3)),
		"groups":    Compose(Group(Repeat(Compose(laplace, addGauss(0.1)), 2), 2), Group(laplace, 5)),
	} {
		t.Run(name, func(t *testing.T) {
			x, err := Explain(e, AddRemove, 1e-6)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(x.Share-1) > 1e-12 || x.Guarantee.Epsilon != priceOf(t, e, 1e-6) {
				t.Errorf("root: share %g, ε = %g", x.Share, x.Guarantee.Epsilon)
			}
			var walk func(Explanation, float64)
			walk = func(n Explanation, above float64) {
				if n.Guarantee.Epsilon > above*(1+1e-9) {
					t.Errorf("%s costs %g, more than its parent's %g", n.Event, n.Guarantee.Epsilon, above)
				}
				sum := 0.0
				for _, p := range n.Parts {
					sum += p.Share
					walk(p, n.Guarantee.Epsilon)
				}
				if len(n.Parts) > 0 && math.Abs(sum-n.Share) > 1e-9 {
					t.Errorf("%s: shares of parts add up to %g, want %g", n.Event, sum, n.Share)
				}
			}
			walk(x, math.Inf(1))
			// The second column is aligned.
			lines := strings.Split(strings.TrimSpace(x.String()), "\n")[1:]
			at := -1
			for _, l := range lines {
				i := utf8.RuneCountInString(l[:strings.Index(l, "  ε ")])
				if at >= 0 && i != at {
					t.Errorf("not aligned:\n%s", x)
				}
				at = i
			}
		})
	}
}

func TestExplainEdges(t *testing.T) {
	for name, e := range map[string]Event{
		"nothing":      Compose(),
		"not private":  Compose(NonPrivate{Reason: "raw"}, addGauss(1)),
		"beyond its δ": Compose(ApproxDP{1, 1e-3, AddRemove}),
		"no noise":     Gaussian{1, 0, AddRemove},
	} {
		x, err := Explain(e, AddRemove, 1e-6)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s := x.String(); strings.Contains(s, "NaN") {
			t.Errorf("%s: %s", name, s)
		}
	}
	for name, c := range map[string]struct {
		e     Event
		delta float64
		want  error
	}{
		"nil":      {nil, 1e-6, ErrParameter},
		"nil part": {Compose(nil), 1e-6, ErrParameter},
		"δ":        {Compose(), 2, ErrDelta},
		"relation": {gaussian(1), 1e-6, ErrNeighbours},
	} {
		if _, err := Explain(c.e, AddRemove, c.delta); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}
