package pdp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Who says whom a bound is for: which records are right about their losses at the same time.
type Who uint8

const (
	// ForOne is one record that was fixed before the run.
	ForOne Who = iota
	// ForAllRows is any n records that were fixed before the run, as those of the dataset: each has a part ρ/n of what
	// depends on the record.
	ForAllRows
	// ForAnyone is every record at once, those that were made up after the release too.
	ForAnyone
)

// String names the choice.
func (w Who) String() string {
	switch w {
	case ForOne:
		return "one record"
	case ForAllRows:
		return "all rows at once"
	case ForAnyone:
		return "everybody at once"
	default:
		return fmt.Sprintf("Who(%d)", uint8(w))
	}
}

// View is what a person is told: bounds on the absolute privacy loss, which hold together with probability 1 − Rho.
type View struct {
	Model  float64 // of the released coefficients
	Report float64 // of the report's own noisy statistics; 0 for a report that has none
	Rho    float64
	Who    Who
	Worst  float64 // the ε that everybody was promised, for all of the release
}

// Total bounds the loss of the coefficients and the report together.
func (v View) Total() float64 { return quad.AddUp(v.Model, v.Report) }

// String says it in a sentence.
func (v View) String() string {
	return fmt.Sprintf("your loss is at most %s (worst case %.3g), with probability %.6g", roundedUp(v.Total()), v.Worst, 1-v.Rho)
}

// roundedUp prints three digits, never less than x.
func roundedUp(x float64) string {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Sprint(x)
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(x)))
	return fmt.Sprintf("%.3g", math.Ceil(x*scale*(1-1e-9))/scale)
}

// Bounds evaluates a [Report]: make it once, ask it often. It holds for members and for others alike.
//
// With t = xᵀb, f' and f” the derivatives at xᵀθ* and m = f” xᵀH⁻¹x the loss of a member is
// −ln(1−m) + f't/σ² + f'²‖x‖²/(2σ²), of another record −ln(1+m) − f't/σ² + f'²‖x‖²/(2σ²). The parts:
//
//   - t. Without a gradient it is normal with the deviation σ‖x‖. With ĝ = −b + N(0, s²I) the difference t + κxᵀĝ,
//     κ = σ²/(σ²+s²), is normal around 0 with the deviation ‖x‖σs/√(σ²+s²), whatever the data, and independent of ĝ: that
//     interval is narrower than either of the source's two, and needs no choice between them. f' and t are multiplied as
//     intervals, whose signs stay: the source's [f'ĝ]ᵀx + s|f'x|q cancels where f'ĝᵀx < 0. For the logistic loss the
//     sign of f' is that of −y: t counts for more on that side, where the logarithm adds to it, than on the other, and
//     ρ is parted between the sides so that both ends are about as far for a row of f' = ½, f” = ¼; see split.
//   - m. Both logarithms are at most ln(1 + f”‖x‖²/Λ) in size. With a Hessian Ĥ = Σℓ”xxᵀ + s·GOE/√2 and λ_max(GOE) ≤ τ,
//     H ≥ Λ + e^(−C·near)(Ĥ − τs/√2), and H ≥ λ for λ from the noisy eigenvalue; hence
//     m ≤ min over w in [0, 1] of f”xᵀ[(1−w)(…) + wλ]⁻¹x, and ln(1+m), −ln(1−m) where m < 1: the source takes the
//     logarithm of a negative number elsewhere, and a quantile in another normalisation (12 for 12√2 at d = 50).
//   - Theta is near θ* only: f' moves by ‖x‖·near/4 at most, f” and Σℓ”xxᵀ by factors e^(±‖x‖near), as |ℓ”'| ≤ ℓ”.
//
// All noise is counted once: what each part may fail with sums to Rho.
type Bounds struct {
	r         Report
	who       Who
	deviation float64 // of t or of the difference, for ‖x‖ = 1
	rho       float64 // probability with which it may be farther off than is said, for one record
	ball      float64 // for any x it is farther off than ball deviations with that probability; +Inf: not used
	pull      float64 // κ
	output    float64 // loss of the noise on the coefficients
	own       float64 // the quantile of the report's own loss
	row       float64 // C ≥ ‖x‖
	least     float64 // λ ≤ the smallest eigenvalue of H
	values    []float64
	vectors   *mat.Dense
}

// Shares of ρ: of the Hessian's noise, of the eigenvalue's, of the noise on the coefficients, and of the report's own loss.
// Quantiles of the first two hardly depend on them, and the third noise is small.
const spectralPart, outputPart, ownPart = 1.0 / 64, 1.0 / 256, 1.0 / 8

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
	if e := r.Eigenvalue; e != nil {
		left -= rho * spectralPart
		if low := e.Value - e.Sigma*above(rho*spectralPart); low > 0 {
			b.least += shrink * low * (1 - 0x1p-40)
		}
	}
	if r.Hessian != nil {
		left -= rho * spectralPart
		if err := b.decompose(shrink, quad.GOEQuantile(k, rho*spectralPart)); err != nil {
			return nil, err
		}
	}
	if r.Gradient != nil || r.Hessian != nil || r.Eigenvalue != nil {
		left -= rho * ownPart
		b.own = b.quantile(r.coordinates(), rho*ownPart)
	}
	b.deviation, b.rho, b.ball = quad.Inflate(r.Sigma, 0x1p-40), b.each(left*(1-0x1p-40)), math.Inf(1)
	if g := r.Gradient; g != nil {
		b.pull = 1 / (1 + (g.Sigma/r.Sigma)*(g.Sigma/r.Sigma))
		b.deviation = quad.Inflate(r.Sigma/math.Hypot(1, r.Sigma/g.Sigma), 0x1p-40)
	}
	// Which is less depends on n, d and ρ alone.
	if all := chiQuantile(k, left); who == ForAnyone || all < above(b.rho/2) {
		b.ball = all
	}
	return b, nil
}

// quantile bounds ⟨u, z⟩ in size for a normal vector z of k coordinates and the unit vector u of a record, or of all
// records, outside a probability of rho.
func (b *Bounds) quantile(k int, rho float64) float64 {
	if b.who == ForAnyone {
		return chiQuantile(k, rho)
	}
	return above(b.each(rho) / 2)
}

// split returns how many deviations t may be off on the side on which it adds to the logarithm, and on the other. The two have
// the probability ρ together; with lead, the other side's end has that many deviations less to carry. What lead
// is made of must be fixed before b is drawn, or independent of what is left of b.
func (b *Bounds) split(lead float64) (with, against float64) {
	if b.ball < math.Inf(1) {
		return b.ball, b.ball
	}
	lead = max(-50, min(lead, 50))
	fails := func(z float64) bool { return quad.NormalCDF(-z)+quad.NormalCDF(-z-lead) > b.rho }
	lo, hi := -40.0, 90.0
	for range 60 {
		if mid := (lo + hi) / 2; fails(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	hi += 0x1p-40 * (1 + math.Abs(hi))
	return hi, hi + lead
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

// chiQuantile is a number that the norm of a normal vector exceeds with a probability of at most rho, rounded up.
func chiQuantile(k int, rho float64) float64 {
	want := quad.Log(rho)
	lo, hi := 0.0, math.Sqrt(float64(k))+math.Sqrt(-2*want) // Laurent, Massart 2000
	for range 60 {
		if mid := (lo + hi) / 2; quad.LogChiSquareSF(mid*mid, k) <= want {
			hi = mid
		} else {
			lo = mid
		}
	}
	return quad.Inflate(hi, 0x1p-40)
}

// decompose finds the eigenvalues and vectors of Λ + shrink·(Ĥ − τs/√2).
func (b *Bounds) decompose(shrink, tau float64) error {
	k, h := len(b.r.Theta), b.r.Hessian
	m := mat.NewSymDense(k, nil)
	at, size := 0, 0.0
	for i := range k {
		for j := i; j < k; j++ {
			v := h.Value[at]
			if size += v * v; j > i {
				v /= math.Sqrt2
			}
			m.SetSym(i, j, v)
			at++
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(m, true) {
		return fmt.Errorf("pdp: report: hessian: its eigenvalues were not found: %w", ErrParameter)
	}
	b.vectors = new(mat.Dense)
	eig.VectorsTo(b.vectors)
	b.values = eig.Values(nil)
	// The eigensolver is off by a small multiple of d·2^-52 of the norm; 2^-36 covers it and the vectors' error.
	down := quad.Inflate(tau*h.Sigma/math.Sqrt2, 0x1p-40) + 0x1p-36*math.Sqrt(size)
	for j, v := range b.values {
		b.values[j] = b.r.Lambda + shrink*(v-down)
	}
	return nil
}

// At tells the owner of a record: features of the rows that were fitted, without the constant one, and the label −1 or +1.
// Errors wrap [ErrParameter].
func (b *Bounds) At(x []float64, y float64) (View, error) {
	row, err := b.rowOf(x, y)
	if err != nil {
		return View{}, err
	}
	r := &b.r
	square := quad.Inflate(dot(row, row), 0x1p-44*float64(len(row)))
	norm := quad.SqrtUp(square)
	u := dot(row, r.Theta)
	// θ* is near, and u is rounded.
	move := quad.Inflate(norm*r.Near, 0x1p-40) + 0x1p-50*float64(len(row)+8)*norm*math.Sqrt(dot(r.Theta, r.Theta))
	first, second := Logistic{}.Derivatives(u, y)
	slope := interval{max(-1, first-move/4-0x1p-50), min(1, first+move/4+0x1p-50)}
	if y > 0 { // f' has the sign of −y
		slope.hi = min(slope.hi, 0)
	} else {
		slope.lo = max(slope.lo, 0)
	}
	bend := min(0.25, quad.Inflate(second*math.Exp(min(move, 700)), 0x1p-44))

	det := math.Log1p(bend * square / r.Lambda)
	member, other := det, det
	if m := bend * b.leverage(row); m < 1 {
		member, other = min(det, -math.Log1p(-m)), min(det, math.Log1p(m))
	}
	centre, slack := 0.0, 0.0 // of −y t
	if g := r.Gradient; g != nil {
		centre = y * b.pull * dot(row, g.Value)
		slack = 0x1p-44*float64(len(row))*norm*math.Sqrt(dot(g.Value, g.Value)) + 0x1p-40*math.Abs(centre)
	}
	variance := r.Sigma * r.Sigma
	unit := b.deviation * norm
	lead := 0.0
	if unit > 0 {
		lead = 2 * (math.Log1p(square/(4*r.Lambda))*variance + centre) / unit
	}
	with, against := b.split(lead)
	t := interval{-y*centre - slack, -y*centre + slack}
	if y > 0 {
		t.lo, t.hi = t.lo-unit*with, t.hi+unit*against
	} else {
		t.lo, t.hi = t.lo-unit*against, t.hi+unit*with
	}
	cross := slope.times(t)
	cross.lo, cross.hi = cross.lo/variance, cross.hi/variance
	steep := max(-slope.lo, slope.hi)
	shift := steep * steep * square / (2 * variance)
	// A member's logarithm is in [0, member], another's in [−other, 0].
	loss := max(member+cross.hi+shift, -cross.lo, -cross.lo+shift, other+cross.hi)
	v := View{Model: quad.AddUp(quad.Inflate(loss, 0x1p-36), b.output), Rho: r.Rho, Who: b.who, Worst: r.Worst.Epsilon}
	if math.IsNaN(v.Model) {
		return View{}, fmt.Errorf("pdp: report: got numbers whose squares leave the range of float64: %w", ErrParameter)
	}
	v.Report = b.ownLoss(steep*norm, bend*square)
	return v, nil
}

// ownLoss bounds the loss of the report's own statistics, three Gaussian mechanisms with common noise: given θ* it is
// normal with mean μ²/2 and variance μ² at most, μ² = f'²‖x‖²/s_g² + f”²‖x‖⁴/s_H² + f”²‖x‖⁴/s_λ² (the off-diagonal
// noise of the Hessian has the variance s_H²/2).
func (b *Bounds) ownLoss(first, second float64) float64 {
	square := 0.0
	add := func(shift, sigma float64) { square += (shift / sigma) * (shift / sigma) }
	if g := b.r.Gradient; g != nil {
		add(first, g.Sigma)
	}
	if h := b.r.Hessian; h != nil {
		add(second, h.Sigma)
	}
	if e := b.r.Eigenvalue; e != nil {
		add(second, e.Sigma)
	}
	if square == 0 {
		return 0
	}
	mu := quad.Inflate(math.Sqrt(square), 0x1p-40)
	return quad.Inflate(mu*mu/2+mu*b.own, 0x1p-40)
}

// leverage bounds xᵀH⁻¹x from the noisy Hessian and eigenvalue.
func (b *Bounds) leverage(row []float64) float64 {
	square := quad.Inflate(dot(row, row), 0x1p-40)
	best := square / b.least
	if b.values == nil {
		return best
	}
	weights := make([]float64, len(row)) // squared coordinates in the eigenbasis
	for i, x := range row {
		for j := range weights {
			weights[j] += b.vectors.At(i, j) * x
		}
	}
	// Weights from the least one that leaves the mixture positive on. With an unlucky or a large noise that is close to 1, and the
	// source's regularised estimator, (1 + 2τs/λ) xᵀ(Ĥ + τs)⁻¹x, is one of its kind.
	from := 0.0
	if v := b.values[0]; v < 0 {
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
	if y != 1 && y != -1 {
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
