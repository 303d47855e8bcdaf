package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Sheffet is the baseline of Sheffet 2017, Algorithm 1: with a Laplace test that the smallest eigenvalue of the rows' Gram
// matrix is large the sketch is drawn without noise, else with σ² = (γ − 1)R². The test passes iff
//
//	λ/R² + Lap(1/ε_t) > γ + ln(1/2δ_t)/ε_t,
//
// so that rows with λ < γR², for which no noise is too little, pass with probability δ_t at most. It departs from the
// printed algorithm, whose noise γ is a standard deviation where a variance is meant and whose γ is not in units
// of R²: both are false for some rows. ε_t = ε/4 and δ_t = δ/2 as printed.
type Sheffet struct {
	*SketchFit
	method    string
	whole     accountant.Budget // target of test and sketch together
	Test      laplaceTest
	Threshold float64 // in absolute units
}

// laplaceTest is a statistic with discrete Laplace noise.
type laplaceTest struct {
	sums.LaplaceSum
	delta float64
}

const (
	sheffetTestShare  = 0.25 // of ε
	sheffetDeltaShare = 0.5  // of δ
)

func newSheffet(l LeastSquares, dom *LinearDomain, st stage.Stage) (*Sheffet, error) {
	//dp:refuses sheffet/displaced displaced rows move an eigenvalue further than one row
	if st.Before.Displaced() {
		return nil, fmt.Errorf("steps before displace rows, and then the smallest eigenvalue has no price; fit by LinearMixing or AdaSSP: %w", stage.ErrOrder)
	}
	target := l.Target()
	whole := target
	target.Epsilon *= 1 - sheffetTestShare
	target.Delta *= 1 - sheffetDeltaShare
	l.Epsilon, l.Delta = target.Epsilon, target.Delta
	mix, err := newLinearMixing(l, dom, st)
	if err != nil {
		return nil, err
	}
	s := &Sheffet{SketchFit: mix, method: l.Method, whole: whole}
	s.Test.delta = whole.Delta * sheffetDeltaShare
	return s, s.settleTest(whole.Epsilon * sheffetTestShare * (1 - 0x1p-30))
}

// settleTest calibrates the test's noise; an eigenvalue changes by at most R² (Weyl), is computed to within off and
// rounded to the grid, and discrete noise is priced at one step more than the rounding can be seen to move ([sums.LaplaceSum]).
func (s *Sheffet) settleTest(epsilon float64) error {
	n := float64(s.pair.N)
	t := &s.Test.LaplaceSum
	t.Coordinates, t.Scale = 1, 0
	s0 := stage.Up(s.Square() + 2*rows.SpectralRounding(s.pair.N, s.M)*n*s.Square())
	t.S = s0
	for range 8 {
		grid, steps, err := noise.NewLaplaceGrid(stage.Up(t.S/epsilon), stage.Up(n*s.Square()))
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := t.Steps > 0 && grid == t.Grid
		t.Grid, t.Steps, t.Scale = grid, steps, float64(steps)*grid.Step()
		if settled {
			return nil
		}
		t.S = stage.Up(s0 + 2*grid.Step())
	}
	return fmt.Errorf("noise grid: no grid fits %d rows at this target; raise ε", s.pair.N)
}

// Finish is the mixture's, but at the constants of the paper for Sheffet2017: for the sketch's share (ε', δ') the γ with
// (2√(2k ln(4/δ')) + 2 ln(4/δ'))/γ = ε' (Sheffet 2019, Theorem 2; docs/theory/mechanisms.md#sheffets-test).
func (s *Sheffet) Finish() (err error) {
	if err := s.SketchFit.Finish(); err != nil {
		return err
	}
	if s.method == models.Sheffet2017 {
		if s.pair.Neighbours != accountant.AddRemove {
			return fmt.Errorf("Sheffet2017: its constants hold for add/remove only (a row zeroed out, their number public), got %v; set Exact: %w", s.pair.Neighbours, kind.ErrParameter)
		}
		t := s.rest(s.target)
		log := math.Log(4 / t.Delta)
		gamma := stage.Up((2*math.Sqrt(2*float64(s.k)*log) + 2*log) / t.Epsilon)
		key := mixtureKey{k: s.k, free: s.pair.F, rel: s.pair.Neighbours, target: t}
		s.idealMixture.noise = max(s.idealMixture.noise, gamma-1) // at least the exact one
		s.idealMixture.free = s.idealMixture.noise
		if s.event, err = key.at(s.idealMixture.noise); err != nil {
			return err
		}
	}
	// λ ≥ γR² and the failure of the test; an eigenvalue is computed to within off, and noise lies on a grid.
	gamma := (1 + s.noise) * s.Square()
	off := rows.SpectralRounding(s.pair.N, s.M) * float64(s.pair.N) * s.Square()
	s.Threshold = stage.Up(gamma + off - s.Test.Scale*math.Log(2*s.Test.delta) + 4*s.Test.Grid.Step())
	return nil
}

func (s *Sheffet) Bill(name string) (query.Bill, error) {
	rel := s.pair.Neighbours
	b, err := s.mixture.Bill(cost.Release{
		Name:      name,
		Constants: []stage.Constant{{Symbol: "γ", Value: s.Threshold / s.Square(), Origin: stage.FromParameter, Meaning: "least noisy eigenvalue, in units of C², with which no noise is added"}},
		Reference: "Sheffet 2017, Algorithm 1, units and noise corrected",
	}, s.cover,
		accountant.Laplace{Sensitivity: s.Test.S, Scale: s.Test.Scale, Neighbours: rel},
		accountant.ApproxDP{Delta: s.Test.delta, Neighbours: rel})
	if err != nil {
		return b, err
	}
	// Basic composition of the test and the sketch.
	test := accountant.Laplace{Sensitivity: s.Test.S, Scale: s.Test.Scale, Neighbours: rel}
	g, err := accountant.EpsilonOf(test, rel, 0)
	if err != nil {
		return b, err
	}
	b.Guarantee.Epsilon = stage.Up(b.Guarantee.Epsilon + g.Epsilon) // settleTest has room for the rounding
	b.Guarantee.Delta += s.Test.delta                               // two halves: exact
	if target := s.whole; !(b.Guarantee.Epsilon <= target.Epsilon && b.Guarantee.Delta <= target.Delta) {
		return b, fmt.Errorf("calibration: got %v for the target (%g, %g)", b.Guarantee, target.Epsilon, target.Delta)
	}
	return b, nil
}

func (s *Sheffet) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	most := float64(s.pair.N) * s.Square()
	steps, _ := s.Test.Grid.Round(num.Clamp(m.Smallest(s.M, most), 0, most))
	noisy := []int64{steps}
	noise.AddLaplace(rng, noisy, s.Test.Steps)
	variance := s.Variance()
	if s.Test.Grid.Value(noisy[0]) > s.Threshold {
		variance = 0
	}
	l, err := s.factorAt(m, variance)
	if err != nil {
		return Coefficients{}, err
	}
	return s.regress(l, rng, s.method)
}
