package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// sheffet is the baseline of Sheffet 2017, Algorithm 1: with a Laplace test that the smallest eigenvalue of the rows' Gram
// matrix is large the sketch is drawn without noise, else with σ² = (γ − 1)R². The test passes iff
//
//	λ/R² + Lap(1/ε_t) > γ + ln(1/2δ_t)/ε_t,
//
// so that rows with λ < γR², for which no noise is too little, pass with probability δ_t at most. It departs from the
// printed algorithm, whose noise γ is a standard deviation where a variance is meant and whose γ is not in units
// of R²: both are false for some rows. ε_t = ε/4 and δ_t = δ/2 as printed.
type sheffet struct {
	*linearMixing
	method    LinearMethod
	test      laplaceTest
	threshold float64 // in absolute units
}

// laplaceTest is a statistic with discrete Laplace noise.
type laplaceTest struct {
	laplaceSum
	delta float64
}

const (
	sheffetTestShare  = 0.25 // of ε
	sheffetDeltaShare = 0.5  // of δ
)

func newSheffet(l linear, dom *linearDomain, st Stage) (*sheffet, error) {
	if st.Before.Displaced() {
		return nil, fmt.Errorf("steps before displace rows, and then the smallest eigenvalue has no price; fit by LinearMixing or AdaSSP: %w", ErrOrder)
	}
	if l.ReleaseEigenvalue || l.CoefficientsOnly {
		return nil, fmt.Errorf("ReleaseEigenvalue, CoefficientsOnly: they are for LinearMixing: %w", ErrParameter)
	}
	target := l.target()
	whole := target
	target.Epsilon *= 1 - sheffetTestShare
	target.Delta *= 1 - sheffetDeltaShare
	l.Epsilon, l.Delta = target.Epsilon, target.Delta
	mix, err := newLinearMixing(l, dom, st)
	if err != nil {
		return nil, err
	}
	s := &sheffet{linearMixing: mix, method: l.Method}
	s.test.delta = whole.Delta * sheffetDeltaShare
	return s, s.settleTest(whole.Epsilon * sheffetTestShare * (1 - 0x1p-30))
}

// settleTest calibrates the test's noise; an eigenvalue changes by at most R² (Weyl), is computed to within off and
// rounded to the grid, and discrete noise is priced at one step more than the rounding can be seen to move ([laplaceSum]).
func (s *sheffet) settleTest(epsilon float64) error {
	n := float64(s.pair.N)
	t := &s.test.laplaceSum
	t.coordinates, t.scale = 1, 0
	s0 := up(s.square() + 2*spectralRounding(s.pair.N, s.m)*n*s.square())
	t.s = s0
	for range 8 {
		grid, steps, err := noise.NewLaplaceGrid(up(t.s/epsilon), up(n*s.square()))
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := t.steps > 0 && grid == t.grid
		t.grid, t.steps, t.scale = grid, steps, float64(steps)*grid.Step()
		if settled {
			return nil
		}
		t.s = up(s0 + 2*grid.Step())
	}
	return fmt.Errorf("noise grid: no grid fits %d rows at this target; raise ε", s.pair.N)
}

// ideal is the mixture's, but at the constants of the paper for Sheffet2017: for the sketch's share (ε', δ') the γ with
// (2√(2k ln(4/δ')) + 2 ln(4/δ'))/γ = ε' (Sheffet 2019, Theorem 2; docs/theory/mechanisms.md#sheffets-test).
func (s *sheffet) finish() (err error) {
	if len(s.st.spent.events) > 0 {
		return fmt.Errorf("steps of the chain ask private queries, and Sheffet's test cannot share its target with them; fit by AdaSSP: %w", ErrOrder)
	}
	if err := s.linearMixing.finish(); err != nil {
		return err
	}
	if s.method == Sheffet2017 {
		if s.pair.Neighbours != accountant.AddRemove {
			return fmt.Errorf("Sheffet2017: its constants hold for add/remove only (a row zeroed out, their number public), got %v; use Sheffet2017Exact: %w", s.pair.Neighbours, ErrParameter)
		}
		t := s.rest(s.target)
		log := math.Log(4 / t.Delta)
		gamma := up((2*math.Sqrt(2*float64(s.k)*log) + 2*log) / t.Epsilon)
		key := mixtureKey{k: s.k, free: s.pair.F, rel: s.pair.Neighbours, target: t}
		s.idealMixture.noise = max(s.idealMixture.noise, gamma-1) // at least the exact one
		s.idealMixture.free = s.idealMixture.noise
		if s.event, err = key.at(s.idealMixture.noise); err != nil {
			return err
		}
	}
	// λ ≥ γR² and the failure of the test; an eigenvalue is computed to within off, and noise lies on a grid.
	gamma := (1 + s.noise) * s.square()
	off := spectralRounding(s.pair.N, s.m) * float64(s.pair.N) * s.square()
	s.threshold = up(gamma + off - s.test.scale*math.Log(2*s.test.delta) + 4*s.test.grid.Step())
	return nil
}

func (s *sheffet) bill(l linear) (bill, error) {
	rel := s.pair.Neighbours
	b, err := s.mixture.bill(ReleaseCost{
		Name:      describe(l),
		Constants: []Constant{{"γ", s.threshold / s.square(), FromParameter, "least noisy eigenvalue, in units of C², with which no noise is added"}},
		Reference: "Sheffet 2017, Algorithm 1, units and noise corrected",
	}, s.cover,
		accountant.Laplace{Sensitivity: s.test.s, Scale: s.test.scale, Neighbours: rel},
		accountant.ApproxDP{Delta: s.test.delta, Neighbours: rel})
	if err != nil {
		return b, err
	}
	// Basic composition of the test and the sketch.
	test := accountant.Laplace{Sensitivity: s.test.s, Scale: s.test.scale, Neighbours: rel}
	g, err := accountant.EpsilonOf(test, rel, 0)
	if err != nil {
		return b, err
	}
	b.Guarantee.Epsilon = up(b.Guarantee.Epsilon + g.Epsilon) // settleTest has room for the rounding
	b.Guarantee.Delta += s.test.delta                         // two halves: exact
	if target := l.target(); !(b.Guarantee.Epsilon <= target.Epsilon && b.Guarantee.Delta <= target.Delta) {
		return b, fmt.Errorf("calibration: got %v for the target (%g, %g)", b.Guarantee, target.Epsilon, target.Delta)
	}
	return b, nil
}

func (s *sheffet) fit(m *secondMoments, rng *noise.Source) (coefficients, error) {
	most := float64(s.pair.N) * s.square()
	steps, _ := s.test.grid.Round(clamp(m.smallest(s.m, most), 0, most))
	noisy := []int64{steps}
	noise.AddLaplace(rng, noisy, s.test.steps)
	variance := s.variance()
	if s.test.grid.Value(noisy[0]) > s.threshold {
		variance = 0
	}
	l, err := s.factorAt(m, variance)
	if err != nil {
		return coefficients{}, err
	}
	return s.regress(l, rng, s.method)
}
