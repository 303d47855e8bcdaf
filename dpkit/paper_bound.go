package dpkit

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// PaperBound is a Rényi divergence that Hu, Sanyal, Schölkopf 2024 (Provable Privacy with Non-Private
// Pre-Processing) print, or that is set beside it. It is for teaching: it holds at best for datasets with
// properties that nobody checked, in part for none, and nothing in this module takes one for a guarantee.
type PaperBound struct{ value float64 }

// Value is the number; NaN where the paper prints none.
func (b PaperBound) Value() float64 { return b.value }

// String says what the number is not.
func (b PaperBound) String() string {
	if math.IsNaN(b.value) {
		return "not printed"
	}
	return fmt.Sprintf("%.6g (not a guarantee)", b.value)
}

// PaperMechanism is a row of Table 2 of Hu, Sanyal, Schölkopf 2024.
type PaperMechanism string

// The mechanisms, with the noise that the paper gives them for its ε; n rows, L-Lipschitz losses.
const (
	PaperGaussian    PaperMechanism = "Gaussian"    // σ = Δ/ε
	PaperLaplace     PaperMechanism = "Laplace"     // b = Δ/ε
	PaperExponential PaperMechanism = "exponential" // weights e^(ε·score/2Δ)
	PaperGD          PaperMechanism = "DP-GD"       // σ = L√T/(εn) on the mean gradient
	PaperSGDSampled  PaperMechanism = "SGD-samp"    // σ = L√T/(εn) on the gradient of one row drawn out of n
	PaperSGDIterated PaperMechanism = "SGD-iter"    // σ = √(2 ln n/n)·8L/ε, the last of a random number of steps
)

// PaperStep is a column of the table.
type PaperStep string

// The preprocessors. Deduplication and quantization are by clusters of radius η, scaling by the
// standard deviation, and PCA is a projection to the first k components.
const (
	PaperNoStep       PaperStep = "none"
	PaperDedup        PaperStep = "deduplication"
	PaperQuantization PaperStep = "quantization"
	PaperImputation   PaperStep = "mean imputation"
	PaperPCA          PaperStep = "PCA"
	PaperScaling      PaperStep = "scaling"
)

var (
	paperMechanisms = []PaperMechanism{PaperGaussian, PaperLaplace, PaperExponential, PaperGD, PaperSGDSampled, PaperSGDIterated}
	paperSteps      = []PaperStep{PaperNoStep, PaperDedup, PaperQuantization, PaperImputation, PaperPCA, PaperScaling}
)

// PaperSetting holds what the paper's formulas speak of: a mechanism's parameters, and promises about
// every dataset that could be there, which is why no number here is a guarantee. Rows lie in the unit ball, and
// one is replaced. Constants hold on the rows that the step makes, so behind scaling they are clipped.
type PaperSetting struct {
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

// check fills in defaults and reports the first parameter that no setting can have.
func (s PaperSetting) check() (PaperSetting, error) {
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
		{"Epsilon", s.Epsilon, s.Epsilon > 0 && num.InRange(s.Epsilon), "a positive number"},
		{"Rows", float64(s.Rows), s.Rows >= 2, "at least 2"},
		{"Columns", float64(s.Columns), s.Columns >= 1, "at least 1"},
		{"Sensitivity", s.Sensitivity, num.InRange(s.Sensitivity), "a positive number, or 0 for 1"},
		{"Lipschitz", s.Lipschitz, num.InRange(s.Lipschitz), "a positive number, or 0 for 1"},
		{"Smoothness", s.Smoothness, num.InRange(s.Smoothness), "a positive number, or 0 for 1"},
		{"Cluster", float64(s.Cluster), s.Cluster >= 1 && s.Cluster <= s.Rows, "1 to Rows"},
		{"Eta", s.Eta, s.Eta > 0 && s.Eta <= 1, "a number in (0, 1]"},
		{"Missing", float64(s.Missing), s.Missing >= 0 && s.Missing < s.Rows, "0 to Rows - 1"},
		{"Gap", s.Gap, s.Gap > 0 && s.Gap <= 1, "a number in (0, 1]"},
		{"Std", s.Std, s.Std > 0 && s.Std <= 1, "a number in (0, 1]"},
	} {
		if !f.ok {
			return s, fmt.Errorf("dpkit: paper: %s: got %g, want %s: %w", f.name, f.v, f.want, ErrParameter)
		}
	}
	return s, nil
}

// printed is the bound of Table 2 (Theorem 17 where the table leaves it out), with Theorem 1 for no step.
// The paper claims it from the order 11 on. Its constants are 1; others enter as in Theorem 2.
func (s PaperSetting) printed(m PaperMechanism, step PaperStep) float64 {
	n, p, a, e2 := float64(s.Rows), s.printedRows(step), s.Order, s.Epsilon*s.Epsilon
	if step == PaperNoStep {
		switch m {
		case PaperLaplace, PaperExponential:
			return s.Epsilon
		case PaperSGDSampled:
			return a * a * e2 / 2
		}
		return a * e2 / 2
	}
	tau, tau2 := s.printedTau(m, step)
	f, g := s.Lipschitz/s.Sensitivity, s.Smoothness/s.Lipschitz
	switch m {
	case PaperGaussian:
		return 1.05 * a * e2 * (1 + f*f*tau2)
	case PaperLaplace, PaperExponential:
		return s.Epsilon * (1 + f*tau)
	case PaperGD:
		return 1.05 * a * e2 * (4 + g*g*tau2)
	case PaperSGDSampled:
		if step == PaperPCA || step == PaperScaling {
			return 1.05 * a * e2 * (2*a + g*g*tau2)
		}
	case PaperSGDIterated:
		if step != PaperPCA && step != PaperScaling && n-p > 1 {
			return 1.1 * a * e2 * (1 + g*g*tau2*(n/math.Log(n))/((n-p)/math.Log(n-p)))
		}
	}
	return math.NaN()
}

// printedRows is the paper's p.
func (s PaperSetting) printedRows(step PaperStep) float64 {
	switch step {
	case PaperDedup, PaperQuantization:
		return 2 * float64(s.Cluster)
	case PaperImputation:
		return float64(s.Missing)
	}
	return 0
}

// printedTau is Δ₂Δ∞ as the table has it, and its square, which the table forgets to take for scaling.
func (s PaperSetting) printedTau(m PaperMechanism, step PaperStep) (tau, square float64) {
	p := s.printedRows(step)
	switch step {
	case PaperDedup:
		tau = p
	case PaperQuantization:
		tau = s.Eta * p
	case PaperImputation:
		tau = 2 * p / (float64(s.Rows) - p)
	case PaperPCA:
		tau = 12.2 / s.Gap
	case PaperScaling:
		tau = 4 / (s.Std * s.Std * s.Std)
		if m != PaperSGDSampled {
			return tau, tau
		}
	}
	return tau, tau * tau
}
