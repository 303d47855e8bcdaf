package pdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
	"github.com/dpkit-go/dpnb/internal/sentinel"
)

// ErrParameter reports an argument outside its range or of the wrong shape. Its text has no value of a record.
var ErrParameter = sentinel.ErrParameter

// ObjectivePerturbation is a release of the exact minimiser θ of
//
//	J(θ) + bᵀθ,  J(θ) = Σ_i ℓ(x_iᵀθ; y_i) + (Λ/2)‖θ‖²,  b ~ N(0, σ² I_d).
//
// All fields are public.
type ObjectivePerturbation struct {
	Theta  []float64 // the released minimiser, of length d
	Sigma  float64   // σ, above 0
	Lambda float64   // Λ, above 0
	Loss   Loss      // ℓ
}

// Audit is what the curator learns from a release and its data. It holds private data and prints as its shape.
type Audit struct {
	release ObjectivePerturbation
	rows    Curator[[][]float64]
	labels  Curator[[]float64]
	grad    Curator[[]float64] // ∇J(θ) = −b
	factor  Curator[[]float64] // the Cholesky factor L of ∇²J(θ), lower, row by row
	inverse Curator[[]float64] // L⁻¹, likewise
	n       int
}

// Audit reads the data of the release: rows of length d, as they entered the sum, and their labels. It keeps
// both. The work is n d² + d³. Errors wrap [ErrParameter].
func (o ObjectivePerturbation) Audit(rows [][]float64, labels []float64) (Audit, error) {
	if err := o.validate(); err != nil {
		return Audit{}, err
	}
	if len(rows) != len(labels) {
		return Audit{}, fmt.Errorf("pdp: audit: labels: got %d for %d rows, want as many: %w", len(labels), len(rows), ErrParameter)
	}
	d := len(o.Theta)
	hessian := make([]float64, d*d)
	grad := make([]float64, d)
	for i, x := range rows {
		first, second, err := o.at(x, labels[i])
		if err != nil {
			return Audit{}, err
		}
		for j, xj := range x {
			grad[j] += first * xj
			for k := 0; k <= j; k++ {
				hessian[j*d+k] += second * xj * x[k]
			}
		}
	}
	a, err := o.AuditOf(grad, hessian, len(rows))
	if err != nil {
		return Audit{}, err
	}
	a.rows, a.labels = sealed(rows), sealed(labels)
	return a, nil
}

// AuditOf makes the audit of sums over n rows that were gathered elsewhere: the gradient Σ ℓ' x of length d and the
// Hessian Σ ℓ” x xᵀ, row by row, of which the lower triangle counts, both at θ. Of such an audit [Audit.Losses] tells the
// losses; it holds no rows. Errors wrap [ErrParameter].
func (o ObjectivePerturbation) AuditOf(gradient, hessian []float64, n int) (Audit, error) {
	if err := o.validate(); err != nil {
		return Audit{}, err
	}
	d := len(o.Theta)
	if len(gradient) != d || len(hessian) != d*d {
		return Audit{}, fmt.Errorf("pdp: audit: sums: got a gradient of %d and a Hessian of %d numbers, want %d and %d: %w", len(gradient), len(hessian), d, d*d, ErrParameter)
	}
	grad, factor := slices.Clone(gradient), slices.Clone(hessian)
	for j := range d {
		factor[j*d+j] += o.Lambda
		grad[j] += o.Lambda * o.Theta[j]
	}
	if !factorise(factor, d) {
		return Audit{}, fmt.Errorf("pdp: audit: the Hessian has no Cholesky factor in float64; scale the rows or raise lambda: %w", ErrParameter)
	}
	return Audit{release: o, grad: sealed(grad), factor: sealed(factor), inverse: sealed(inverted(factor, d)), n: n}, nil
}

// Member is the loss of the i-th record against the data without it,
//
//	−ln(1 − m) − ℓ' xᵀ∇J/σ² + ℓ'²‖x‖²/(2σ²),  m = ℓ'' xᵀ H⁻¹ x,
//
// for the derivatives at xᵀθ and H = ∇²J(θ) of all the data (Redberg, Wang 2021, Corollary 7; docs/theory/mechanisms.md#loss-of-one-record). The error
// wraps [ErrParameter].
func (a Audit) Member(i int) (Curator[float64], error) {
	x, y, err := a.record(i)
	if err != nil {
		return Curator[float64]{}, err
	}
	p, err := a.parts(x, y)
	if err != nil {
		return Curator[float64]{}, err
	}
	return sealed(p.loss(a.release.Lambda, true)), nil
}

// NonMember is the loss of a record that is not in the data, against the data with it:
// −ln(1 + m) + ℓ' xᵀ∇J/σ² + ℓ'²‖x‖²/(2σ²). Errors wrap [ErrParameter].
func (a Audit) NonMember(x []float64, y float64) (Curator[float64], error) {
	p, err := a.parts(x, y)
	if err != nil {
		return Curator[float64]{}, err
	}
	return sealed(p.loss(a.release.Lambda, false)), nil
}

// Leverage is m = ℓ” xᵀ H⁻¹ x of a record, member or not. Errors wrap [ErrParameter].
func (a Audit) Leverage(x []float64, y float64) (Curator[float64], error) {
	p, err := a.parts(x, y)
	if err != nil {
		return Curator[float64]{}, err
	}
	return sealed(p.leverage), nil
}

// String names the shape of the data alone.
func (a Audit) String() string {
	return fmt.Sprintf("pdp audit of %d rows with %d features, for the curator only", a.n, len(a.release.Theta))
}

// Format prints [Audit.String] for every verb.
func (a Audit) Format(f fmt.State, _ rune) { fmt.Fprint(f, a.String()) }

// Bound is a bound on the absolute loss of the record (x, y), member or not, from the release alone:
//
//	ln(1 + ℓ''‖x‖²/Λ) + ℓ'²‖x‖²/(2σ²) + |ℓ'| ‖x‖ Φ⁻¹(1 − ρ/2)/σ,
//
// rounded up. For a record that is fixed before the run it fails with probability at most ρ, over b. The first term
// holds for every Λ (the paper's −ln(1 − ℓ”‖x‖²/Λ) wants a large one): H contains ℓ” x xᵀ where the record is a
// member, so −ln(1 − m) ≤ ln(1 + ℓ”‖x‖²/Λ). The last bounds bᵀx, of the law N(0, σ²‖x‖²), as ∇J = −b: the
// paper's Theorem 9. Whoever takes the least of this and of another such bound must halve ρ for each.
// Errors wrap [ErrParameter].
func (o ObjectivePerturbation) Bound(x []float64, y, rho float64) (float64, error) {
	if err := o.validate(); err != nil {
		return math.NaN(), err
	}
	if !(rho > 0 && rho < 1) {
		return math.NaN(), fmt.Errorf("pdp: bound: rho: got %g, want a probability of failure strictly between 0 and 1: %w", rho, ErrParameter)
	}
	first, second, err := o.at(x, y)
	if err != nil {
		return math.NaN(), err
	}
	// ℓ' and ℓ'' move by at most their size times the error of xᵀθ.
	size := math.Sqrt(dot(x, x))
	margin := 0x1p-49 * float64(len(x)+8) * (1 + size*math.Sqrt(dot(o.Theta, o.Theta)))
	norm := quad.Inflate(size, margin)
	slope := quad.MulUp(quad.Inflate(math.Abs(first), margin), norm) / o.Sigma
	det := math.Log1p(second * norm * norm / o.Lambda)
	return quad.Inflate(det+slope*slope/2+slope*-quad.NormalQuantile(rho/2), margin), nil
}

// parts are the terms of a record's loss.
type parts struct {
	second   float64 // ℓ''
	square   float64 // ‖x‖²
	leverage float64 // m
	cross    float64 // ℓ' xᵀ∇J/σ²
	shift    float64 // ℓ'²‖x‖²/(2σ²)
}

// loss is that of a member, or of another record.
func (p parts) loss(lambda float64, member bool) float64 {
	if !member {
		return -math.Log1p(p.leverage) + p.cross + p.shift
	}
	if p.leverage < 0.5 {
		return -math.Log1p(-p.leverage) - p.cross + p.shift
	}
	// H contains ℓ'' x xᵀ + Λ I, so m ≤ a/(1+a) for a = ℓ''‖x‖²/Λ: rounding near 1 must not exceed that.
	det := math.Log1p(p.second * p.square / lambda)
	if p.leverage < 1 {
		det = min(det, -math.Log1p(-p.leverage))
	}
	return det - p.cross + p.shift
}

func (a Audit) parts(x []float64, y float64) (parts, error) {
	factor, ok := a.factor.Open()
	grad, _ := a.grad.Open()
	if !ok {
		return parts{}, fmt.Errorf("pdp: audit: got the zero value, want one of ObjectivePerturbation.Audit: %w", ErrParameter)
	}
	first, second, err := a.release.at(x, y)
	if err != nil {
		return parts{}, err
	}
	variance := a.release.Sigma * a.release.Sigma
	square := dot(x, x)
	return parts{
		second: second, square: square,
		leverage: second * inverseForm(factor, x),
		cross:    first * dot(x, grad) / variance,
		shift:    first * first * square / (2 * variance),
	}, nil
}

func (a Audit) record(i int) ([]float64, float64, error) {
	rows, _ := a.rows.Open()
	labels, _ := a.labels.Open()
	if i < 0 || i >= len(rows) {
		return nil, 0, fmt.Errorf("pdp: audit: member: got %d, want an index below the number of rows, %d: %w", i, len(rows), ErrParameter)
	}
	return rows[i], labels[i], nil
}

// at returns the derivatives of the loss at a record.
func (o ObjectivePerturbation) at(x []float64, y float64) (first, second float64, err error) {
	if len(x) != len(o.Theta) {
		return 0, 0, fmt.Errorf("pdp: record: got %d features, want %d, as many as theta has: %w", len(x), len(o.Theta), ErrParameter)
	}
	return o.derivatives(dot(x, o.Theta), dot(x, x), y)
}

// derivatives are those of the loss at u = xᵀθ for a row of that squared norm.
func (o ObjectivePerturbation) derivatives(u, square, y float64) (first, second float64, err error) {
	first, second = o.Loss.Derivatives(u, y)
	if s := u + square + y + first + second; math.IsNaN(s-s) || !(second >= 0) {
		return 0, 0, fmt.Errorf("pdp: record: got features, a label or derivatives that are not finite, or a loss that is not convex: %w", ErrParameter)
	}
	if _, ok := o.Loss.(Logistic); ok && y != 1 && y != -1 {
		return 0, 0, fmt.Errorf("pdp: record: label: got another than -1 and +1, want those for the logistic loss: %w", ErrParameter)
	}
	return first, second, nil
}

func (o ObjectivePerturbation) validate() error {
	bad := func(name string, got any, want string) error {
		return fmt.Errorf("pdp: ObjectivePerturbation: %s: got %v, want %s: %w", name, got, want, ErrParameter)
	}
	switch {
	case len(o.Theta) == 0:
		return bad("theta", "no coefficients", "the released minimiser")
	case !(o.Sigma > 0) || math.IsInf(o.Sigma, 1):
		return bad("sigma", o.Sigma, "a positive finite number")
	case !(o.Lambda > 0) || math.IsInf(o.Lambda, 1):
		return bad("lambda", o.Lambda, "a positive finite number")
	case o.Loss == nil:
		return bad("loss", "none", "Logistic, Squared or another")
	}
	for _, t := range o.Theta {
		if math.IsNaN(t - t) {
			return bad("theta", "a coefficient that is not finite", "finite ones")
		}
	}
	return nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// factorise replaces the lower triangle of a d×d matrix by its Cholesky factor; false where it has none.
func factorise(a []float64, d int) bool {
	for i := range d {
		for j := 0; j <= i; j++ {
			sum := a[i*d+j] - dot(a[i*d:i*d+j], a[j*d:j*d+j])
			if i > j {
				a[i*d+j] = sum / a[j*d+j]
				continue
			}
			if !(sum > 0) || math.IsInf(sum, 1) {
				return false
			}
			a[i*d+i] = math.Sqrt(sum)
		}
	}
	return true
}

// inverseForm is xᵀ H⁻¹ x = ‖L⁻¹x‖² for the factor L of H.
func inverseForm(l, x []float64) float64 {
	d := len(x)
	z := make([]float64, d)
	for i := range d {
		z[i] = (x[i] - dot(l[i*d:i*d+i], z[:i])) / l[i*d+i]
	}
	return dot(z, z)
}
