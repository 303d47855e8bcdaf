package pdp

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
)

// A Report tells everybody what a release of logistic regression, or of least squares, by objective perturbation can have cost
// them (Redberg, Wang 2021, "Privately Publishable Per-instance Privacy", Algorithms 2 and 4, corrected; see [Bounds]). It is made
// of released values and public constants alone: publish it, store it as JSON, evaluate it in any process. What it says of
// a record is for the record's owner: the list of its values at the records of a private dataset is not public.
//
// Objective perturbation of least squares has gradients without a bound: no ε holds for everybody, so that no plan of dpkit releases
// it, and a report is all that can be promised to a person (the source's Figure 8).
//
// Without the three noisy statistics it is independent of the data beyond the coefficients, and costs nothing.
type Report struct {
	// Theta are the released coefficients, that of the constant feature last: they are near the minimiser θ* of
	// Σ ℓ + (Λ/2)‖θ‖² + bᵀθ, b ~ N(0, σ² I), and noise hides how near.
	Theta []float64 `json:"theta"`
	// Squared says that ℓ is [Squared], with any numbers as labels, in place of [Logistic].
	Squared  bool    `json:"squared,omitempty"`
	Constant float64 `json:"constant"` // the constant feature; 0: none
	Radius   float64 `json:"radius"`   // rows beyond this norm, without the constant feature, count as shortened to it
	Sigma    float64 `json:"sigma"`    // σ
	Lambda   float64 `json:"lambda"`   // Λ
	Rows     int     `json:"rows"`     // n, public
	Rho      float64 `json:"rho"`      // probability with which what the report says may fail

	Near   float64 `json:"near"`   // bound on ‖Theta − θ*‖
	Output float64 `json:"output"` // the noise between them is that of a Gaussian mechanism with this μ
	Slip   float64 `json:"slip"`   // probability, a part of Rho, that Near fails or that a sampler was off its law

	// Worst is what the whole release costs at worst; zero under Squared, where nothing is promised to everybody.
	Worst accountant.Budget `json:"worst"`

	Gradient   *NoisyVector `json:"gradient,omitempty"`   // ∇J(θ*) = −b
	Hessian    *NoisyVector `json:"hessian,omitempty"`    // Σ ℓ'' x xᵀ at Theta: its rows from the diagonal on, √2 times off it
	Eigenvalue *NoisyNumber `json:"eigenvalue,omitempty"` // the smallest of that matrix
}

// NoisyVector is a statistic with independent normal noise of deviation Sigma on each coordinate.
type NoisyVector struct {
	Value []float64 `json:"value"`
	Sigma float64   `json:"sigma"`
}

// NoisyNumber is a number with normal noise of deviation Sigma.
type NoisyNumber struct {
	Value float64 `json:"value"`
	Sigma float64 `json:"sigma"`
}

// maxCoefficients bounds the length of Theta.
const maxCoefficients = 4096

// Validate reports numbers of the wrong shape or out of range; the error wraps [ErrParameter].
func (r *Report) Validate() error {
	bad := func(name string, got any, want string) error {
		return fmt.Errorf("pdp: report: %s: got %v, want %s: %w", name, got, want, ErrParameter)
	}
	k := len(r.Theta)
	if k == 0 || k > maxCoefficients {
		return bad("theta", k, fmt.Sprintf("1 to %d coefficients", maxCoefficients))
	}
	for _, v := range r.Theta {
		if !(math.Abs(v) <= largest) {
			return bad("theta", "a coefficient that is not finite or too large", "finite ones")
		}
	}
	for _, f := range []struct {
		name   string
		v      float64
		lo, hi float64
	}{
		{"constant", r.Constant, 0, largest},
		{"radius", r.Radius, 1 / largest, largest},
		{"sigma", r.Sigma, 1 / largest, largest},
		{"lambda", r.Lambda, 1 / largest, largest},
		{"rho", r.Rho, math.SmallestNonzeroFloat64, 1 - 0x1p-53},
		{"near", r.Near, 0, largest},
		{"output", r.Output, 0, largest},
		{"slip", r.Slip, 0, r.Rho / 2},
	} {
		if !(f.v >= f.lo && f.v <= f.hi) {
			return bad(f.name, f.v, fmt.Sprintf("a number in [%.6g, %.6g]", f.lo, f.hi))
		}
	}
	if r.Squared && r.Worst != (accountant.Budget{}) {
		return bad("worst", r.Worst, "none for least squares, whose gradients have no bound")
	}
	if r.Rows < 1 {
		return bad("rows", r.Rows, "at least 1")
	}
	if k == 1 && r.Constant > 0 {
		return bad("theta", k, "a coefficient beside that of the constant feature")
	}
	if !(r.Worst.Epsilon >= 0 && r.Worst.Epsilon <= largest) || !(r.Worst.Delta >= 0 && r.Worst.Delta < 1) {
		return bad("worst", r.Worst, "ε ≥ 0 and δ in [0, 1)")
	}
	for _, v := range []struct {
		name string
		of   *NoisyVector
		size int
	}{{"gradient", r.Gradient, k}, {"hessian", r.Hessian, k * (k + 1) / 2}} {
		if v.of == nil {
			continue
		}
		if err := v.of.check(v.size); err != "" {
			return bad(v.name, err, fmt.Sprintf("%d finite numbers and a positive sigma", v.size))
		}
	}
	if e := r.Eigenvalue; e != nil {
		if err := (&NoisyVector{[]float64{e.Value}, e.Sigma}).check(1); err != "" {
			return bad("eigenvalue", err, "a finite number and a positive sigma")
		}
	}
	return nil
}

// largest bounds the sizes in a report, so that their squares are in the range of float64.
const largest = 0x1p200

// check says what is wrong; empty if nothing is.
func (v *NoisyVector) check(size int) string {
	if len(v.Value) != size {
		return fmt.Sprintf("%d numbers", len(v.Value))
	}
	if !(v.Sigma >= 1/largest && v.Sigma <= largest) {
		return fmt.Sprintf("sigma %g", v.Sigma)
	}
	if slices.ContainsFunc(v.Value, func(x float64) bool { return !(math.Abs(x) <= largest) }) {
		return "a number that is not finite or too large"
	}
	return ""
}

// UnmarshalJSON reads a report and checks it; the error of one that says something impossible wraps [ErrParameter].
func (r *Report) UnmarshalJSON(raw []byte) error {
	type plain Report
	var p plain
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("pdp: report: %w", err)
	}
	got := Report(p)
	if err := got.Validate(); err != nil {
		return err
	}
	*r = got
	return nil
}

// loss is ℓ.
func (r *Report) loss() Loss {
	if r.Squared {
		return Squared{}
	}
	return Logistic{}
}

// bend bounds ℓ”.
func (r *Report) bend() float64 {
	if r.Squared {
		return 1
	}
	return 0.25
}

// String tells the report's kind and shape.
func (r Report) String() string {
	kind := "independent of the data"
	if r.Gradient != nil || r.Hessian != nil || r.Eigenvalue != nil {
		kind = "data-dependent"
	}
	if r.Squared {
		kind += ", least squares"
	}
	return fmt.Sprintf("privacy report on %d coefficients from %d rows, %s", len(r.Theta), r.Rows, kind)
}
