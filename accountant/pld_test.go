package accountant

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// plainLaw hides what a law is, so that nothing is merged.
type plainLaw struct{ LossLaw }

// lawEvent is an event with one law and no curve.
type lawEvent struct{ law LossLaw }

func (e lawEvent) RDP(Neighbours) (Curve, error) {
	return func(float64) float64 { return math.Inf(1) }, nil
}
func (e lawEvent) String() string                       { return "lawEvent" }
func (e lawEvent) Losses(Neighbours) ([]LossLaw, error) { return []LossLaw{e.law}, nil }

// TestPLDGaussian composes Gaussians numerically, without their closed form: the bounds surround the
// exact ε and δ.
func TestPLDGaussian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mu float64
		n  int
	}{{0.5, 1}, {1, 4}, {0.02, 1000}, {1e-3, 30}, {0.01, 100000}} {
		law, err := pld.NewGaussian(c.mu)
		if err != nil {
			t.Fatal(err)
		}
		d, err := PLD(Repeat(lawEvent{plainLaw{law}}, c.n), AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		profile := gaussianProfile(c.mu*math.Sqrt(float64(c.n)), 0)
		for _, delta := range []float64{1e-2, 1e-5, 1e-15} {
			t.Run(fmt.Sprintf("mu %g, %d times, delta %g", c.mu, c.n, delta), func(t *testing.T) {
				want, err := profile.Epsilon(delta)
				if err != nil {
					t.Fatal(err)
				}
				upper, lower, err := d.Epsilon(delta)
				if err != nil {
					t.Fatal(err)
				}
				if !(upper >= want*(1-1e-12) && lower <= want && upper-lower <= 1e-4*upper) {
					t.Errorf("ε in [%.10g, %.10g], exact %.10g", lower, upper, want)
				}
				exact := profile(want)
				upper, lower, err = d.Delta(want)
				if err != nil {
					t.Fatal(err)
				}
				if !(upper >= exact*(1-1e-9) && lower <= exact && upper-lower <= 1e-3*upper) {
					t.Errorf("δ in [%.10g, %.10g], exact %.10g", lower, upper, exact)
				}
			})
		}
	}
}

// TestPLDMerges: Gaussian parts are one Gaussian, equal parts one term, and parts that cost nothing none.
func TestPLDMerges(t *testing.T) {
	gauss := Gaussian{Sensitivity: 1, Sigma: 4, Neighbours: AddRemove}
	e := Compose(gauss, Repeat(Compose(gauss, poissonStep(0, 1, AddRemove)), 8), poissonStep(1, 4, AddRemove))
	upper, _, err := EpsilonPLD(e, AddRemove, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	want, err := EpsilonOf(Repeat(gauss, 10), AddRemove, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if !(upper >= want.Epsilon*(1-1e-12) && upper <= want.Epsilon*(1+1e-4)) {
		t.Errorf("ε = %g, want %g", upper, want.Epsilon)
	}
	step := poissonStep(0.1, 1, AddRemove)
	a, _, err1 := EpsilonPLD(Compose(step, step, step), AddRemove, 1e-6)
	b, _, err2 := EpsilonPLD(Repeat(step, 3), AddRemove, 1e-6)
	if a != b || err1 != nil || err2 != nil {
		t.Errorf("composed %g, %v, repeated %g, %v", a, err1, b, err2)
	}
}

// TestPLDDistance: what the sampler is away from the law is charged beside it.
func TestPLDDistance(t *testing.T) {
	noise := distant{Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: AddRemove}}
	step := poissonStep(0.1, 1, AddRemove)
	with, err := PLD(Compose(noise, step), AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	without, err := PLD(Compose(Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: AddRemove}, step), AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	for _, delta := range []float64{1e-5, 1e-9, 1e-13} {
		a, lower, err1 := with.Epsilon(delta)
		b, _, err2 := without.Epsilon(delta)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !(a >= b) || !(lower <= a) || (delta == 1e-13) != math.IsInf(a, 1) {
			t.Errorf("δ = %g: ε = %g (at least %g), without the distance %g", delta, a, lower, b)
		}
	}
}

func TestBest(t *testing.T) {
	step := poissonStep(0.01, 1, AddRemove)
	cases := []struct {
		name, route string
		event       Event
		epsilon     float64
	}{
		{"Gaussian", "exact Gaussian profile", Repeat(Gaussian{Sensitivity: 1, Sigma: 20, Neighbours: AddRemove}, 1000), 7.511275899121607},
		{"subsampled", "PLD", Repeat(step, 1000), 1.828236665024666},
		{"no law", "RDP", lawless{}, math.Inf(1)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g, err := Best(c.event, AddRemove, 1e-5, BestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(g.Route, c.route) || !(g.Epsilon >= c.epsilon*(1-1e-6)) || g.Epsilon > c.epsilon*(1+2e-5) {
				t.Errorf("got %v by %q, want ε = %g by %q", g, g.Route, c.epsilon, c.route)
			}
			if math.IsInf(g.Epsilon, 1) {
				return
			}
			back, err := BestDelta(c.event, AddRemove, g.Epsilon, BestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(back.Delta-1e-5) < 1e-8) {
				t.Errorf("δ at ε = %g: %g, want about 1e-5", g.Epsilon, back.Delta)
			}
		})
	}
}

// lawless is an event without any bound.
type lawless struct{}

func (lawless) RDP(Neighbours) (Curve, error) {
	return func(float64) float64 { return math.Inf(1) }, nil
}
func (lawless) String() string { return "lawless" }

func TestPLDErrors(t *testing.T) {
	step := poissonStep(0.1, 1, AddRemove)
	shifted := step
	shifted.Shift = DisplacedRows{Rows: 1, Each: 0.1, Total: 0.1}
	batch := step
	batch.Sampling = Sampling{Kind: WithoutReplacement, Batch: 1, Rows: 10}
	cases := []struct {
		name  string
		event Event
		want  error
	}{
		{"nil", nil, ErrParameter},
		{"nil part", Compose(nil), ErrParameter},
		{"count", Repeat(step, 0), ErrParameter},
		{"relation", Laplace{Sensitivity: 1, Scale: 1, Neighbours: ReplaceOne}, ErrNeighbours},
		{"no law", lawless{}, ErrNoRoute},
		{"displaced rows", shifted, ErrNoRoute},
		{"batch under add/remove", batch, ErrParameter},
		{"too many", Repeat(Repeat(step, 1<<20), 1<<20), ErrNoRoute},
		{"rate -0.1", poissonStep(-0.1, 1, AddRemove), ErrParameter},
		{"rate NaN", poissonStep(math.NaN(), 1, AddRemove), ErrParameter},
		{"sigma NaN", poissonStep(0.1, math.NaN(), AddRemove), ErrParameter},
		{"no sampling", SubsampledGaussian{C: 1, Sigma: 1, Neighbours: AddRemove}, ErrParameter},
		{"scale -1", Laplace{Sensitivity: 1, Scale: -1, Neighbours: AddRemove}, ErrParameter},
		{"epsilon NaN", PureDP{Epsilon: math.NaN(), Neighbours: AddRemove}, ErrParameter},
		{"delta 2", ApproxDP{Epsilon: 1, Delta: 2, Neighbours: AddRemove}, ErrParameter},
		{"k 1", RandomizedResponse{K: 1, Epsilon: 1, Neighbours: AddRemove}, ErrParameter},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := PLD(c.event, AddRemove); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	if _, _, err := EpsilonPLD(step, AddRemove, math.NaN()); !errors.Is(err, ErrDelta) {
		t.Errorf("δ = NaN: got %v, want ErrDelta", err)
	}
	d, err := PLD(step, AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Delta(-1); !errors.Is(err, ErrEpsilon) {
		t.Errorf("ε = -1: got %v, want ErrEpsilon", err)
	}
	// Without noise everything is revealed.
	if upper, _, err := EpsilonPLD(poissonStep(0.1, 0, AddRemove), AddRemove, 1e-5); err != nil || !math.IsInf(upper, 1) {
		t.Errorf("σ = 0: got %g, %v, want +Inf", upper, err)
	}
}

func BenchmarkCalibratePLD(b *testing.B) {
	for b.Loop() {
		if _, err := CalibratePLD(Budget{Epsilon: 3, Delta: 1e-5}, AddRemove, func(sigma float64) Event {
			return Repeat(poissonStep(0.00426667, sigma, AddRemove), 14063)
		}, CalibratePLDOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
