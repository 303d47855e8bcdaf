package pdp

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Bounds evaluates a [Report] (docs/theory/mechanisms.md#published-bounds-on-the-loss): make it once, ask it often. [Bounds.At] holds for members and for others alike, [Bounds.Member]
// and [Bounds.NonMember] for who knows which.
//
// With t = xᵀb, f' and f” the derivatives at xᵀθ* and m = f” xᵀH⁻¹x the loss of a member is
// −ln(1−m) + f't/σ² + f'²‖x‖²/(2σ²), of another record −ln(1+m) − f't/σ² + f'²‖x‖²/(2σ²). The parts:
//
//   - t. Without a gradient it is normal with the deviation σ‖x‖. With ĝ = −b + N(0, s²I) the difference t + κxᵀĝ,
//     κ = σ²/(σ²+s²), is normal around 0 with the deviation ‖x‖σs/√(σ²+s²), whatever the data, and independent of ĝ: that
//     interval is narrower than either of the source's two, and needs no choice between them. f' and t are multiplied as
//     intervals, whose signs stay: the source's [f'ĝ]ᵀx + s|f'x|q cancels where f'ĝᵀx < 0. For the logistic loss the
//     sign of f' is that of −y: t counts for more on that side, where the logarithm adds to it, than on the other, and
//     ρ is parted between the sides so that both ends are about as far for a row of |f'| = 0.4, f” = 0.24; see split. For least
//     squares the sign of f' is that of a residual, which b decides too: both sides have the same part.
//   - m. Both logarithms are at most ln(1 + f”‖x‖²/Λ) in size. With a Hessian Ĥ = Σℓ”xxᵀ + s·GOE/√2 and λ_max(GOE) ≤ τ,
//     H ≥ Λ + e^(−C·near)(Ĥ − τs/√2), and H ≥ λ for λ from the noisy eigenvalue; hence
//     m ≤ min over w in [0, 1] of f”xᵀ[(1−w)(…) + wλ]⁻¹x, and ln(1+m), −ln(1−m) where m < 1: the source takes the
//     logarithm of a negative number elsewhere, and a quantile in another normalisation (12 for 12√2 at d = 50).
//   - Coefficients and gradient together: the noise e on ĝ costs f'xᵀe/s² + f'²‖x‖²/(2s²) more, where a member's loss has
//     f't/σ²; the two are a loss as that of the coefficients with 1/σ² + 1/s² in place of 1/σ², of which no part is
//     known. That is far less than the sum of two bounds.
//   - Theta is near θ* only: f' moves by ‖x‖·near/4 at most, f” and Σℓ”xxᵀ by factors e^(±‖x‖near), as |ℓ”'| ≤ ℓ”; for least
//     squares by ‖x‖·near, and not at all.
//
// All noise is counted once: what the parts of a number may fail with sums to Rho. Without statistics nothing less can
// be said of m: where all other rows are orthogonal to x, −ln(1−m) is ln(1 + f”‖x‖²/Λ).
//
// Each answer stands for itself: who asks At, Member and NonMember, or bounds for more than one Who, and takes the least,
// has to count Rho for each.
type Bounds struct {
	r           Report
	who         Who
	model, both linear
	pull        float64   // κ
	output      float64   // loss of the noise on the coefficients
	own         float64   // the quantile of the report's own loss
	curved      float64   // of the part of it that its Hessian and eigenvalue have
	row         float64   // C ≥ ‖x‖
	least       float64   // λ ≤ the smallest eigenvalue of H
	values      []float64 // descending
	vectors     []float64 // row-major, row k that of values[k]
}

// linear is the law of what multiplies f' in a loss: t/σ², where t, for ‖x‖ = 1, is normal.
type linear struct {
	sigma     float64 // σ
	deviation float64 // of t, or of what is not known of it
	rho       float64 // probability with which it may be farther off than is said, for one record
	ball      float64 // for any x it is farther off than ball deviations with that probability; +Inf: not used
	most      float64 // neither side is farther off than so many deviations; +Inf: no such limit
}

// Shares of ρ: of the Hessian's noise, of the eigenvalue's, of the noise on the coefficients, and, in a bound on all of the
// release, of what the Hessian and the eigenvalue cost. Quantiles of the first two hardly depend on them, and the third
// noise is small.
const spectralPart, outputPart, curvedPart = 1.0 / 64, 1.0 / 256, 1.0 / 8

// Bounds returns the evaluator of the report. Its work is d³ for one with a Hessian. Errors wrap [ErrParameter].
func (r *Report) Bounds(who Who) (*Bounds, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if who > ForAnyone {
		return nil, fmt.Errorf("pdp: report: bounds: got %v, want ForOne, ForAllRows or ForAnyone: %w", who, ErrParameter)
	}
	k := len(r.Theta)
	b := &Bounds{r: *r, who: who, row: quad.Inflate(math.Hypot(r.Radius, r.Constant), 0x1p-40), least: r.Lambda}
	rho := (r.Rho - r.Slip) * (1 - 0x1p-40)
	left := rho * (1 - outputPart)
	b.output = quad.Inflate(r.Output*r.Output/2+r.Output*b.quantile(k, rho*outputPart), 0x1p-40)
	shrink := math.Exp(-b.row*r.Near) * (1 - 0x1p-40)
	if r.Squared {
		shrink = 1 // ℓ” is the same everywhere
	}
	if e := r.Eigenvalue; e != nil {
		left -= rho * spectralPart
		// What the solver rounds is in the sensitivity of e.Value; here it is counted on the other side.
		rounding := 0x1p-35 * float64(r.Rows) * b.row * b.row * r.bend()
		if low := e.Value - e.Sigma*above(rho*spectralPart) - rounding; low > 0 {
			b.least += shrink * low * (1 - 0x1p-40)
		}
	}
	if r.Hessian != nil {
		left -= rho * spectralPart
		if err := b.decompose(shrink, quad.GOEQuantile(k, rho*spectralPart)); err != nil {
			return nil, err
		}
	}
	b.model = b.linear(k, left)
	if all := r.coordinates(); all > 0 {
		b.own = b.quantile(all, rho)
		if g := r.Gradient; g != nil {
			all -= len(g.Value)
		}
		if all > 0 {
			left -= rho * curvedPart
			b.curved = b.quantile(all, rho*curvedPart)
		}
	}
	b.both = b.linear(k, left)
	if g := r.Gradient; g != nil {
		b.pull = 1 / (1 + (g.Sigma/r.Sigma)*(g.Sigma/r.Sigma))
		half := r.Sigma / math.Hypot(1, r.Sigma/g.Sigma) // σs/√(σ²+s²): 1/half² = 1/σ² + 1/s²
		b.model.deviation = quad.Inflate(half, 0x1p-40)
		b.both.sigma, b.both.deviation = half, quad.Inflate(half, 0x1p-40)
	}
	return b, nil
}

// linear is the law of t itself, which may be farther off than is said with a probability of rho.
func (b *Bounds) linear(k int, rho float64) linear {
	l := linear{sigma: b.r.Sigma, deviation: quad.Inflate(b.r.Sigma, 0x1p-40), rho: b.each(rho * (1 - 0x1p-40)), ball: math.Inf(1), most: math.Inf(1)}
	// Which is less depends on n, d and ρ alone.
	all := chiQuantile(k, rho*(1-0x1p-40))
	if b.who == ForAnyone || all < above(l.rho/2) {
		l.ball = all
	}
	if b.who == ForAllRows { // all rows at once are some of everybody at once
		l.most = all
	}
	return l
}

// quantile bounds ⟨u, z⟩ in size for a normal vector z of k coordinates and the unit vector u of a record, or of all
// records, outside a probability of rho.
func (b *Bounds) quantile(k int, rho float64) float64 {
	switch one := above(b.each(rho) / 2); b.who {
	case ForAnyone:
		return chiQuantile(k, rho)
	case ForAllRows: // which is less depends on n, k and ρ alone
		return min(one, chiQuantile(k, rho))
	default:
		return one
	}
}

// split returns how many deviations t may be off on the side on which it adds to the logarithm, and on the other. The two have
// the probability ρ together; with lead, the other side's end has that many deviations less to carry. What lead
// is made of must be fixed before b is drawn, or independent of what is left of b.
func (l *linear) split(lead float64) (with, against float64) {
	if l.ball < math.Inf(1) {
		return l.ball, l.ball
	}
	with, against = quad.UnevenTails(l.rho, lead)
	if max(with, against) <= l.most {
		return with, against
	}
	// A lead nearer to 0 is as good a split; at 0 both are at most the limit, else the ball were less.
	far, near := lead, 0.0
	far = max(-50, min(far, 50)) // as UnevenTails counts it
	for range 30 {
		mid := (far + near) / 2
		if up, down := quad.UnevenTails(l.rho, mid); max(up, down) <= l.most {
			near = mid
		} else {
			far = mid
		}
	}
	with, against = quad.UnevenTails(l.rho, near)
	return with, against
}

// coordinates is the number of noisy ones.
func (r *Report) coordinates() int {
	n := 0
	for _, v := range []*NoisyVector{r.Gradient, r.Hessian} {
		if v != nil {
			n += len(v.Value)
		}
	}
	if r.Eigenvalue != nil {
		n++
	}
	return n
}

// each is the part of a probability that one record has.
func (b *Bounds) each(rho float64) float64 {
	if b.who == ForAllRows {
		return rho / float64(b.r.Rows)
	}
	return rho
}

// above is the upper quantile of a normal variable, rounded up.
func above(rho float64) float64 { return quad.Inflate(-quad.NormalQuantile(rho), 0x1p-44) }

// decompose finds the eigenvalues and vectors of Λ + shrink·(Ĥ − τs/√2).
func (b *Bounds) decompose(shrink, tau float64) error {
	k, h := len(b.r.Theta), b.r.Hessian
	m := make([]float64, k*k)
	at := 0
	for i := range k {
		for j := i; j < k; j++ {
			v := h.Value[at]
			if j > i {
				v /= math.Sqrt2
			}
			m[i*k+j] = v
			at++
		}
	}
	s, err := linalg.Symmetric(m, k, 0) // of released numbers
	if err != nil {
		return fmt.Errorf("pdp: report: hessian: %w", err)
	}
	b.values, b.vectors = s.Values, s.Vectors
	// The eigensolver is off by EigenRounding of the norm, which is √k times the largest eigenvalue at most; 2^-36 covers it and
	// the vectors' error.
	norm := math.Sqrt(float64(k)) * max(s.Values[0], -s.Values[k-1])
	down := quad.Inflate(tau*h.Sigma/math.Sqrt2, 0x1p-40) + 0x1p-36*norm
	for j, v := range b.values {
		b.values[j] = b.r.Lambda + shrink*(v-down)
	}
	return nil
}

// leverage bounds xᵀH⁻¹x from the noisy Hessian and eigenvalue.
func (b *Bounds) leverage(row []float64) float64 {
	square := quad.Inflate(dot(row, row), 0x1p-40)
	best := square / b.least
	if b.values == nil {
		return best
	}
	weights := make([]float64, len(row)) // squared coordinates in the eigenbasis
	for j := range weights {
		weights[j] = dot(b.vectors[j*len(row):(j+1)*len(row)], row)
	}
	// Weights from the least one that leaves the mixture positive on. With an unlucky or a large noise that is close to 1, and the
	// source's regularised estimator, (1 + 2τs/λ) xᵀ(Ĥ + τs)⁻¹x, is one of its kind.
	from := 0.0
	if v := b.values[len(row)-1]; v < 0 {
		from = v / (v - b.least)
	}
	const steps = 64
	for i := range steps {
		w := from + (1-from)*float64(i)/steps
		sum := 0.0
		for j, c := range weights {
			v := (1-w)*b.values[j] + w*b.least
			if !(v > 0) {
				sum = math.Inf(1)
				break
			}
			sum += c * c / v
		}
		best = min(best, sum)
	}
	return quad.Inflate(best, 0x1p-36)
}

// rowOf is the record as it entered the sum: shortened to the radius, with the constant feature.
func (b *Bounds) rowOf(x []float64, y float64) ([]float64, error) {
	d := len(b.r.Theta)
	if b.r.Constant > 0 {
		d--
	}
	if len(x) != d {
		return nil, fmt.Errorf("pdp: report: record: got %d features, want %d: %w", len(x), d, ErrParameter)
	}
	if b.r.Squared && !(math.Abs(y) <= largest) {
		return nil, fmt.Errorf("pdp: report: record: label: got one that is not finite or too large, want a number: %w", ErrParameter)
	}
	if !b.r.Squared && y != 1 && y != -1 {
		return nil, fmt.Errorf("pdp: report: record: label: got another than -1 and +1, want those: %w", ErrParameter)
	}
	norm := math.Sqrt(dot(x, x))
	if math.IsNaN(norm - norm) {
		return nil, fmt.Errorf("pdp: report: record: got features that are not finite or too large: %w", ErrParameter)
	}
	row := append(make([]float64, 0, len(b.r.Theta)), x...)
	if norm > b.r.Radius {
		for j := range row {
			row[j] *= b.r.Radius / norm
		}
	}
	if b.r.Constant > 0 {
		row = append(row, b.r.Constant)
	}
	return row, nil
}

// interval holds a number.
type interval struct{ lo, hi float64 }

// times is the interval of products.
func (a interval) times(b interval) interval {
	p, q, r, s := a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi
	return interval{min(p, q, r, s), max(p, q, r, s)}
}
