package viz

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// What the burn-down computes is what the ledger's filter says after each charge.
func TestBurnAgreesWithTheLedger(t *testing.T) {
	for _, reserve := range []float64{0, 1e-7} {
		l, err := ledger.Create(filepath.Join(t.TempDir(), "a.ledger"), ledger.Config{
			Budget: accountant.Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Dataset: "a", Reserve: reserve, Rehearsal: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for i, mu := range []float64{0.05, 0.2, 0.01, 0.15} {
			e := accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: accountant.ReplaceOne}
			g, err := accountant.EpsilonOf(e, accountant.ReplaceOne, 1e-7)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Release(context.Background(), ledger.Request{ID: strings.Repeat("0123456789abcdef", 2)[:31] + string(rune('a'+i)), Event: e, Guarantee: g},
				func(context.Context) (json.RawMessage, error) { return json.RawMessage("1"), nil }); err != nil {
				t.Fatal(err)
			}
			s, err := l.Status()
			if err != nil {
				t.Fatal(err)
			}
			es, err := l.Entries()
			if err != nil {
				t.Fatal(err)
			}
			b, err := burn(s, es)
			if err != nil {
				t.Fatal(err)
			}
			n := len(es)
			if d := b.spent[n] - s.Spent.Epsilon; math.Abs(d) > 1e-9 {
				t.Errorf("after %d charges: got ε = %v, the ledger says %v", n, b.spent[n], s.Spent.Epsilon)
			}
			left := 1.0
			for _, share := range b.share {
				left -= share
			}
			if math.Abs(left-b.left[n]) > 1e-9 || !(b.left[n] < b.left[n-1]) {
				t.Errorf("after %d charges: %v left, shares leave %v", n, b.left[n], left)
			}
			if v := BurnDown(s, es); !strings.Contains(v.Text(), up(s.Spent.Epsilon)) {
				t.Errorf("the ledger's ε is not shown:\n%s", v.Text())
			}
		}
	}
}

// Every δ of every line is at least the exact one, and that of the Rényi curve is near the best order's.
func TestProfilesAreUpperBounds(t *testing.T) {
	const rel = accountant.AddRemove
	e := accountant.Repeat(gaussian(4), 16)
	exact, err := e.(accountant.Profiler).Profile(rel)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := e.RDP(rel)
	if err != nil {
		t.Fatal(err)
	}
	routes, missing := accountantsOf(e, rel)
	if len(routes) != 4 || missing != "" {
		t.Fatalf("got %d accountants, missing %q", len(routes), missing)
	}
	for _, r := range routes {
		for _, x := range evenly(0, 6, 13) {
			d, err := r.delta(x)
			if err != nil || !(d >= exact(x)*(1-1e-9)) {
				t.Errorf("%s at ε = %v: got δ = %v, %v, exactly %v", r.name, x, d, err, exact(x))
			}
			if best, _, err := curve.Delta(x); r.name == "Rényi DP" && (err != nil || d < best*(1-1e-9) || d > best*1.02) {
				t.Errorf("at ε = %v: got δ = %v, the best order has %v (%v)", x, d, best, err)
			}
		}
	}
}

// A Gaussian that is reached up to a total variation pays (1 + e^ε)·tv, and has no ε where that outgrows δ.
func TestGaussianRoute(t *testing.T) {
	p, err := accountant.Gaussian{Sensitivity: 1, Sigma: 1, Neighbours: accountant.AddRemove}.Profile(accountant.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	r := gaussianRoute(p, 1e-8)
	for _, x := range []float64{0, 1, 3} {
		d, err := r.delta(x)
		if want := p(x) + (1+math.Exp(x))*1e-8; err != nil || d < want || d > want*(1+1e-9) {
			t.Errorf("at %v: got %v, %v, want %v", x, d, err, want)
		}
	}
	if x, err := r.epsilon(1e-9); err == nil {
		t.Errorf("got ε = %v at a δ below the total variation", x)
	}
	if x, err := r.epsilon(1e-3); err != nil || !(x > 0) {
		t.Errorf("got ε = %v, %v", x, err)
	}
}

func TestMeanBand(t *testing.T) {
	s := MeanBand("a", 0.95, []float64{1, 2, 3}, [][]float64{{1, 2, 3}, {5}, nil})
	const half = 4.302652729911275 / 1.7320508075688772 // t of 2 degrees of freedom, s = 1
	if s.Y[0] != 2 || math.Abs(s.Lo[0]-(2-half)) > 1e-9 || math.Abs(s.Hi[0]-(2+half)) > 1e-9 {
		t.Errorf("got %v in [%v, %v]", s.Y[0], s.Lo[0], s.Hi[0])
	}
	if s.Y[1] != 5 || s.Lo[1] != 5 || s.Hi[1] != 5 || !math.IsNaN(s.Y[2]) {
		t.Errorf("got %v [%v, %v]", s.Y, s.Lo, s.Hi)
	}
}

// Every finite loss is counted, and the warning stands in every form.
func TestPDPCounts(t *testing.T) {
	v := PDP(0.5, Losses{Name: "a", Values: []float64{-1, 0, 0.25, 2, math.NaN()}})
	total := 0.0
	for _, n := range v.fig.Panels[0].(axesPanel).layers[0].(histogramLayer).Counts {
		total += n
	}
	if total != 4 {
		t.Errorf("counted %v losses", total)
	}
	for _, s := range []string{v.Text(), v.HTML(), v.alt, v.fig.Alarms[0]} {
		if !strings.Contains(strings.ToUpper(s), "FOR THE CURATOR ONLY") {
			t.Errorf("no warning in %s", s)
		}
	}
}

// A printed loss is never below the value.
func TestLossesAreRoundedUp(t *testing.T) {
	v := Lines(LineChart{X: Axis{Name: "x"}, Y: Axis{Name: "ε", Loss: true}, Series: []Series{{X: []float64{1}, Y: []float64{1.00001}}}})
	if s := v.Text(); !strings.Contains(s, "1.001") {
		t.Errorf("got %s", s)
	}
}
