package viz

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	calculus "github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// smoothCost is a cost by hand with the curves of a Gaussian sum: C = 0.7, μ = 1.2, σ = 81/11 behind τ = 0.30864.
func smoothCost(t testing.TB, conditional bool) dpkit.Cost {
	t.Helper()
	c := handCost(conditional)
	end := calculus.State{Neighbours: accountant.ReplaceOne, N: 30000, R: 1, F: 1, M: 29999, T1: 0.30864, TF: 0.01, TInf: 0.001, DFree: 2}
	behind := func(p calculus.State) (accountant.Event, error) {
		return calculus.GaussianOn(p, calculus.Query{C: 0.7, Lipschitz: 1.2}, 81.0/11)
	}
	e, err := behind(end)
	if err != nil {
		t.Fatal(err)
	}
	onward := func(_ int, p calculus.State) (calculus.State, error) { return p, nil }
	return cost.WithLaw(c, cost.Law{Event: e, End: end, Behind: behind, Onward: onward})
}

// TestSRDPSaysWhy: without a curve, and without displacement, the picture says so.
func TestSRDPSaysWhy(t *testing.T) {
	if text := SRDP(handCost(false)).Text(); !strings.Contains(text, "No curve is known") {
		t.Errorf("without curves:\n%s", text)
	}
	c := smoothCost(t, false)
	c.Steps = nil
	c.NotPrivate = "a demonstration"
	if text := SRDP(c, 2, 32).Text(); !strings.Contains(text, "displace nothing") || !strings.Contains(text, "NOT PRIVATE") || !strings.Contains(text, "α = 32") {
		t.Errorf("a chain that displaces nothing:\n%s", text)
	}
}

type unpriced struct{}

func (unpriced) String() string { return "Mean()" }

func (unpriced) Event() (accountant.Event, accountant.Neighbours, error) {
	return nil, 0, errors.New("a target is missing")
}

// TestEventOf: plans are drawn as events are, outside their failures, and what has no price says why.
func TestEventOf(t *testing.T) {
	f, err := datasets.SyntheticAdult(2000, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Demo(f, 1, accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	data := s.Data().OneHot().Impute(dpkit.Midpoint{}).Scale()
	fit := EventOf("a fit", data.FitLogistic(dpkit.ByGradient{Solver: dpkit.PoissonSampling{}, Epsilon: 1, Delta: 1e-6, Steps: 20}))
	mean := EventOf("", data.Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}))
	for name, v := range map[string]View{
		"RDP":      RDP(accountant.ReplaceOne, fit, mean, EventOf("", unpriced{}), EventOf("nothing", nil)),
		"Profiles": Profiles(accountant.ReplaceOne, mean, EventOf("", unpriced{}), EventOf("nothing", nil)),
	} {
		text := v.Text()
		for _, want := range []string{"a target is missing", "got no event", "Mean("} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if name == "RDP" && !strings.Contains(text, "a fit, outside a failure of probability") {
			t.Errorf("the fit's failure is not named:\n%s", text)
		}
	}
}

// What a release would cost behind other displacements than its chain's.
func ExampleSRDP() {
	f, err := datasets.SyntheticAdult(2000, 7)
	if err != nil {
		panic(err)
	}
	s, err := dpkit.Demo(f, 1, accountant.ReplaceOne)
	if err != nil {
		panic(err)
	}
	plan := s.Data().OneHot().Impute(dpkit.Mean{}).Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 20})
	cost, err := plan.Cost()
	if err != nil {
		panic(err)
	}
	SRDP(cost)                                    // .Show() in a notebook
	RDP(accountant.ReplaceOne, EventOf("", plan)) // its Rényi curve
	fmt.Printf("%.1f nats\n", cost.SRDP(8, cost.Tau()))
	// Output: 0.1 nats
}
