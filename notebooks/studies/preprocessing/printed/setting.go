package printed

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Bound is a Rényi divergence that Hu, Sanyal, Schölkopf 2024 (Provable Privacy with Non-Private
// Pre-Processing) print, or that is set beside it. It is for teaching: it holds at best for datasets with
// properties that nobody checked, in part for none, and nothing in this module takes one for a guarantee.
type Bound struct{ value float64 }

// Value is the number; NaN where the paper prints none.
func (b Bound) Value() float64 { return b.value }

// String says what the number is not.
func (b Bound) String() string {
	if math.IsNaN(b.value) {
		return "not printed"
	}
	return fmt.Sprintf("%.6g (not a guarantee)", b.value)
}

// Mechanism is a row of Table 2 of Hu, Sanyal, Schölkopf 2024.
type Mechanism string

// The mechanisms, with the noise that the paper gives them for its ε; n rows, L-Lipschitz losses.
const (
	Gaussian    Mechanism = "Gaussian"    // σ = Δ/ε
	Laplace     Mechanism = "Laplace"     // b = Δ/ε
	Exponential Mechanism = "exponential" // weights e^(ε·score/2Δ)
	GD          Mechanism = "DP-GD"       // σ = L√T/(εn) on the mean gradient
	SGDSampled  Mechanism = "SGD-samp"    // σ = L√T/(εn) on the gradient of one row drawn out of n
	SGDIterated Mechanism = "SGD-iter"    // σ = √(2 ln n/n)·8L/ε, the last of a random number of steps
)

// Step is a column of the table.
type Step string

// The preprocessors. Deduplication and quantization are by clusters of radius η, scaling by the
// standard deviation, and PCA is a projection to the first k components.
const (
	NoStep       Step = "none"
	Dedup        Step = "deduplication"
	Quantization Step = "quantization"
	Imputation   Step = "mean imputation"
	PCA          Step = "PCA"
	Scaling      Step = "scaling"
)

var (
	mechanisms = []Mechanism{Gaussian, Laplace, Exponential, GD, SGDSampled, SGDIterated}
	steps      = []Step{NoStep, Dedup, Quantization, Imputation, PCA, Scaling}
)

// Setting holds what the paper's formulas speak of: a mechanism's parameters, and promises about
// every dataset that could be there, which is why no number here is a guarantee. Rows lie in the unit ball, and
// one is replaced. Constants hold on the rows that the step makes, so behind scaling they are clipped.
type Setting struct {
	Order   float64 // α
	Epsilon float64 // the paper's parameter of the noise
	Rows    int     // n
	Columns int     // d

	Sensitivity float64 // Δ of the output function or the score; 0: 1
	Lipschitz   float64 // L of the function, the score or the loss in the parameters; 0: 1
	Smoothness  float64 // μ: of a gradient in its row; 0: 1
	Steps       int     // T of DP-GD and SGD-samp; 0: 1

	Cluster int     // rows in the largest cluster
	Eta     float64 // η, its radius
	Missing int     // rows with a missing cell
	Gap     float64 // least gap of the covariance's eigenvalues behind the first k
	Std     float64 // least standard deviation of a column
}

// inRange reports whether x is of the sizes of a schema.
func inRange(x float64) bool { return x >= frames.MinWidth && x <= frames.MaxBound }

// check fills in defaults and reports the first parameter that no setting can have.
func (s Setting) check() (Setting, error) {
	for _, f := range []*float64{&s.Sensitivity, &s.Lipschitz, &s.Smoothness} {
		*f = cmp.Or(*f, 1)
	}
	s.Steps = max(s.Steps, 1)
	for _, f := range []struct {
		name string
		v    float64
		ok   bool
		want string
	}{
		{"Order", s.Order, s.Order > 1 && s.Order <= 1e6, "a number in (1, 1e6]"},
		{"Epsilon", s.Epsilon, s.Epsilon > 0 && inRange(s.Epsilon), "a positive number"},
		{"Rows", float64(s.Rows), s.Rows >= 2, "at least 2"},
		{"Columns", float64(s.Columns), s.Columns >= 1, "at least 1"},
		{"Sensitivity", s.Sensitivity, inRange(s.Sensitivity), "a positive number, or 0 for 1"},
		{"Lipschitz", s.Lipschitz, inRange(s.Lipschitz), "a positive number, or 0 for 1"},
		{"Smoothness", s.Smoothness, inRange(s.Smoothness), "a positive number, or 0 for 1"},
		{"Cluster", float64(s.Cluster), s.Cluster >= 1 && s.Cluster <= s.Rows, "1 to Rows"},
		{"Eta", s.Eta, s.Eta > 0 && s.Eta <= 1, "a number in (0, 1]"},
		{"Missing", float64(s.Missing), s.Missing >= 0 && s.Missing < s.Rows, "0 to Rows - 1"},
		{"Gap", s.Gap, s.Gap > 0 && s.Gap <= 1, "a number in (0, 1]"},
		{"Std", s.Std, s.Std > 0 && s.Std <= 1, "a number in (0, 1]"},
	} {
		if !f.ok {
			return s, fmt.Errorf("printed: %s: got %g, want %s: %w", f.name, f.v, f.want, dpkit.ErrParameter)
		}
	}
	return s, nil
}

// printed is the bound of Table 2 (Theorem 17 where the table leaves it out), with Theorem 1 for no step.
// The paper claims it from the order 11 on. Its constants are 1; others enter as in Theorem 2.
func (s Setting) printed(m Mechanism, step Step) float64 {
	n, p, a, e2 := float64(s.Rows), s.printedRows(step), s.Order, s.Epsilon*s.Epsilon
	if step == NoStep {
		switch m {
		case Laplace, Exponential:
			return s.Epsilon
		case SGDSampled:
			return a * a * e2 / 2
		}
		return a * e2 / 2
	}
	tau, tau2 := s.printedTau(m, step)
	f, g := s.Lipschitz/s.Sensitivity, s.Smoothness/s.Lipschitz
	switch m {
	case Gaussian:
		return 1.05 * a * e2 * (1 + f*f*tau2)
	case Laplace, Exponential:
		return s.Epsilon * (1 + f*tau)
	case GD:
		return 1.05 * a * e2 * (4 + g*g*tau2)
	case SGDSampled:
		if step == PCA || step == Scaling {
			return 1.05 * a * e2 * (2*a + g*g*tau2)
		}
	case SGDIterated:
		if step != PCA && step != Scaling && n-p > 1 {
			return 1.1 * a * e2 * (1 + g*g*tau2*(n/math.Log(n))/((n-p)/math.Log(n-p)))
		}
	}
	return math.NaN()
}

// printedRows is the paper's p.
func (s Setting) printedRows(step Step) float64 {
	switch step {
	case Dedup, Quantization:
		return 2 * float64(s.Cluster)
	case Imputation:
		return float64(s.Missing)
	}
	return 0
}

// printedTau is Δ₂Δ∞ as the table has it, and its square, which the table forgets to take for scaling.
func (s Setting) printedTau(m Mechanism, step Step) (tau, square float64) {
	p := s.printedRows(step)
	switch step {
	case Dedup:
		tau = p
	case Quantization:
		tau = s.Eta * p
	case Imputation:
		tau = 2 * p / (float64(s.Rows) - p)
	case PCA:
		tau = 12.2 / s.Gap
	case Scaling:
		tau = 4 / (s.Std * s.Std * s.Std)
		if m != SGDSampled {
			return tau, tau
		}
	}
	return tau, tau * tau
}
