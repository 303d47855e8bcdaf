package gradient

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// A Loss is a convex loss ℓ(m, y) of the margin m = ⟨w, x̃⟩ and the label, or of K margins, one for each class. Its gradient
// in w is ∇ℓ(m, y)·x̃ᵀ, so that clipping a row's gradient to the norm C is clipping the derivative in the margins to
// C/‖x̃‖. For one margin the result is still the derivative of a convex function, with no more curvature.
//
// Losses are [LogLoss], [SquaredHingeLoss] and [SoftmaxLoss] for classes, [SquaredLoss] and [HuberLoss] for numbers.
type Loss interface {
	fmt.Stringer
	// Reads reports a label that the loss cannot read.
	Reads(label frames.Column) error
	// Margins is how many there are.
	Margins(label frames.Column) int
	// Value is ℓ.
	Value(m []float64, y float64) float64
	// Slopes replaces margins, m[k][i] of row i, by the derivatives in them.
	Slopes(m [][]float64, y []float64)
	// Factors is Slopes, clipped for rows of these squared norms and multiplied by scale.
	Factors(m [][]float64, squares, y []float64, clip, scale float64) error
	// Steepest bounds ‖∇ℓ‖ at margins of norm up to a.
	Steepest(a float64) float64
	// Bend bounds the operator norm of ∇²ℓ everywhere.
	Bend() float64
	// Lipschitz bounds by how much a clipped gradient changes with its row.
	Lipschitz(g lossDomain) float64
	// Defaults are those of the public parameters.
	Defaults() lossDefaults
}

// lossDomain is what a Lipschitz constant rests on: c ≤ ‖x̃‖ ≤ rx, ‖w‖ ≤ w and ‖w_J‖ ≤ wj (Frobenius norms for several
// margins), and the clipping norm.
type lossDomain struct{ c, rx, w, wj, clip float64 }

// lipschitz bounds the Lipschitz constant of the clipped gradient in its row, for displacements d inside J
// (docs/theory/calculus.md#lipschitz-constants-of-clipped-gradients):
//
//	μ = sup over c ≤ r ≤ R̃ of min(s(rW), C/r) + b·r·W_J
//
// for ‖∇ℓ‖ ≤ s(a) at margins up to a and ‖∇²ℓ‖ ≤ b.
//
// Proof. Without clipping the gradient moves by ∇ℓ·dᵀ + (∇²ℓ W_J d)·x̃ᵀ, of norm at most (‖∇ℓ‖ + b·W_J·r)‖d‖, r = ‖x̃‖; and
// where clipping does nothing ‖∇ℓ‖ ≤ C/r. Where it does, the derivative of the projection onto the ball of radius C is C/‖g‖
// times that of the orthogonal complement of g = ∇ℓ·x̃ᵀ, so that the movement is at most C/‖g‖·‖∇ℓ‖·‖d‖ = C/r·‖d‖ for one
// margin; for K of them the part of (∇²ℓ W_J d)·x̃ᵀ across ∇ℓ stays, as if clipping did nothing, with C/‖g‖ ≤ 1. The segment of two
// rows is in the domain. s(rW) rises and C/r falls: the supremum is where they cross, or at R̃. ∎
func lipschitz(l Loss, g lossDomain) float64 {
	at := func(lo, hi float64) float64 {
		return min(l.Steepest(stage.Up(hi*g.w)), g.clip/lo) + l.Bend()*hi*g.wj
	}
	lo, hi := g.c, g.rx
	for range 200 { // the crossing, between lo and hi
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if l.Steepest(mid*g.w)*mid < g.clip {
			lo = mid
		} else {
			hi = mid
		}
	}
	return stage.Up(max(at(max(lo*(1-0x1p-40), math.SmallestNonzeroFloat64), min(stage.Up(hi), g.rx)), at(g.rx, g.rx)))
}

// clipSlopes multiplies each row's derivatives by min(1, clip/(‖∇ℓ‖·‖x̃‖))·scale. A row whose norm is not finite counts 0.
func clipSlopes(m [][]float64, squares []float64, clip, scale float64) {
	limit := clip * clip
	if len(m) == 1 {
		for i, f := range m[0] {
			if t := f * f * squares[i]; t > limit {
				f *= clip / math.Sqrt(t)
			}
			if f *= scale; !(squares[i] <= math.MaxFloat64) || math.IsNaN(f) {
				f = 0
			}
			m[0][i] = f
		}
		return
	}
	for i, square := range squares {
		t := 0.0
		for k := range m {
			t += m[k][i] * m[k][i]
		}
		by := scale
		if t *= square; t > limit {
			by *= clip / math.Sqrt(t)
		}
		for k := range m {
			if m[k][i] *= by; !(square <= math.MaxFloat64) || math.IsNaN(m[k][i]) {
				m[k][i] = 0
			}
		}
	}
}

// slopesThenClip is Factors for a loss without a kernel of its own.
func slopesThenClip(l Loss, m [][]float64, squares, y []float64, clip, scale float64) error {
	l.Slopes(m, y)
	clipSlopes(m, squares, clip, scale)
	return nil
}

func needClasses(label frames.Column, least, most int, loss string) error {
	if n := len(label.Levels); n < least || n > most {
		want := "two classes; declare one with frames.Label(name, negative, positive)"
		if most > 2 {
			want = fmt.Sprintf("%d to %d classes; declare one with frames.Label", least, most)
		}
		return fmt.Errorf("%s: the label %q has %d classes, want %s: %w", loss, label.Name, n, want, stage.ErrColumn)
	}
	return nil
}

func needNumber(label frames.Column, loss string) error {
	if len(label.Levels) > 0 {
		return fmt.Errorf("%s: the label %q has classes, want a number; declare one with frames.NumericLabel(name, lo, hi): %w", loss, label.Name, stage.ErrColumn)
	}
	return nil
}

// LogLoss is that of logistic regression for two classes: log(1 + e^{−ym}), y = ±1.
type LogLoss struct{}

func (LogLoss) String() string { return "LogLoss" }

func (LogLoss) Reads(label frames.Column) error { return needClasses(label, 2, 2, "LogLoss") }

func (LogLoss) Margins(frames.Column) int { return 1 }

func (LogLoss) Value(m []float64, y float64) float64 {
	return models.Softplus((1 - 2*y) * m[0])
}

func (LogLoss) Slopes(m [][]float64, y []float64) {
	for i, v := range m[0] {
		q := 1 - 2*y[i]
		m[0][i] = q * models.Sigmoid(q*v)
	}
}

func (LogLoss) Factors(m [][]float64, squares, y []float64, clip, scale float64) error {
	return linalg.LogisticFactors(m[0], m[0], squares, y, clip, scale)
}

func (LogLoss) Steepest(a float64) float64 { return 1 / (1 + math.Exp(-a)) }

func (LogLoss) Bend() float64 { return 0.25 }

func (LogLoss) Lipschitz(g lossDomain) float64 {
	return LogisticLipschitz(stage.Up(g.rx*g.w), stage.Up(g.rx*g.wj))
}

// SquaredHingeLoss is ½·max(0, 1 − ym)² for two classes, y = ±1: a support vector machine's, smoothed.
type SquaredHingeLoss struct{}

func (SquaredHingeLoss) String() string { return "SquaredHinge" }

func (SquaredHingeLoss) Reads(label frames.Column) error {
	return needClasses(label, 2, 2, "SquaredHinge")
}

func (SquaredHingeLoss) Margins(frames.Column) int { return 1 }

func (SquaredHingeLoss) Value(m []float64, y float64) float64 {
	h := max(0, 1-(2*y-1)*m[0])
	return h * h / 2
}

func (SquaredHingeLoss) Slopes(m [][]float64, y []float64) {
	for i, v := range m[0] {
		s := 2*y[i] - 1
		m[0][i] = -s * max(0, 1-s*v)
	}
}

func (l SquaredHingeLoss) Factors(m [][]float64, squares, y []float64, clip, scale float64) error {
	return slopesThenClip(l, m, squares, y, clip, scale)
}

func (SquaredHingeLoss) Steepest(a float64) float64 { return 1 + a }

func (SquaredHingeLoss) Bend() float64 { return 1 }

func (l SquaredHingeLoss) Lipschitz(g lossDomain) float64 { return lipschitz(l, g) }

// SquaredLoss is ½(m − v)² for a numeric label, v scaled by the label's public bounds to [−1, 1].
type SquaredLoss struct{}

func (SquaredLoss) String() string { return "SquaredLoss" }

func (SquaredLoss) Reads(label frames.Column) error { return needNumber(label, "SquaredLoss") }

func (SquaredLoss) Margins(frames.Column) int { return 1 }

func (SquaredLoss) Value(m []float64, y float64) float64 {
	return (m[0] - y) * (m[0] - y) / 2
}

func (SquaredLoss) Slopes(m [][]float64, y []float64) {
	for i := range m[0] {
		m[0][i] -= y[i]
	}
}

func (l SquaredLoss) Factors(m [][]float64, squares, y []float64, clip, scale float64) error {
	return slopesThenClip(l, m, squares, y, clip, scale)
}

func (SquaredLoss) Steepest(a float64) float64 { return 1 + a }

func (SquaredLoss) Bend() float64 { return 1 }

func (l SquaredLoss) Lipschitz(g lossDomain) float64 { return lipschitz(l, g) }

// HuberLoss is quadratic up to an error κ and linear beyond (Huber 1964): e²/2 for |e| ≤ κ, κ·|e| − κ²/2 else, e = m − v. The label is
// scaled by its public bounds to v in [−1, 1]. Rows with a label that is far off pull no more than others.
type HuberLoss struct {
	// Knee is κ in units of half the label's range: the more, the closer to least squares. In (0, 2] for [ByGradient], 0: 0.25.
	Knee float64
}

func (l HuberLoss) at() float64 { return cmp.Or(l.Knee, 0.25) }

func (l HuberLoss) String() string { return fmt.Sprintf("HuberLoss(%g)", l.at()) }

func (l HuberLoss) Reads(label frames.Column) error {
	if !(l.at() > 0 && l.at() <= 2) {
		return fmt.Errorf("HuberLoss: Knee: got %g, want a number in (0, 2], as labels are scaled to [−1, 1]: %w", l.Knee, kind.ErrParameter)
	}
	return needNumber(label, "HuberLoss")
}

func (HuberLoss) Margins(frames.Column) int { return 1 }

func (l HuberLoss) Value(m []float64, y float64) float64 {
	e, t := math.Abs(m[0]-y), l.at()
	if e <= t {
		return e * e / 2
	}
	return t * (e - t/2)
}

func (l HuberLoss) Slopes(m [][]float64, y []float64) {
	t := l.at()
	for i, v := range m[0] {
		m[0][i] = num.Clamp(v-y[i], -t, t)
	}
}

func (l HuberLoss) Factors(m [][]float64, squares, y []float64, clip, scale float64) error {
	return slopesThenClip(l, m, squares, y, clip, scale)
}

func (l HuberLoss) Steepest(a float64) float64 { return min(l.at(), 1+a) }

func (HuberLoss) Bend() float64 { return 1 }

func (l HuberLoss) Lipschitz(g lossDomain) float64 { return lipschitz(l, g) }

// SoftmaxLoss is that of multinomial logistic regression: log Σ_k e^{m_k} − m_y, one margin for each class.
type SoftmaxLoss struct{}

// maxSoftmaxClasses bounds the classes of SoftmaxLoss.
const maxSoftmaxClasses = 1000

func (SoftmaxLoss) String() string { return "SoftmaxLoss" }

func (SoftmaxLoss) Reads(label frames.Column) error {
	return needClasses(label, 2, maxSoftmaxClasses, "SoftmaxLoss")
}

func (SoftmaxLoss) Margins(label frames.Column) int { return len(label.Levels) }

func (SoftmaxLoss) Value(m []float64, y float64) float64 {
	top := math.Inf(-1)
	for _, v := range m {
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range m {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum) - m[int(y)]
}

func (SoftmaxLoss) Slopes(m [][]float64, y []float64) {
	for i, class := range y {
		top := math.Inf(-1)
		for k := range m {
			top = max(top, m[k][i])
		}
		sum := 0.0
		for k := range m {
			m[k][i] = math.Exp(m[k][i] - top)
			sum += m[k][i]
		}
		for k := range m {
			m[k][i] /= sum
		}
		m[int(class)][i]--
	}
}

func (l SoftmaxLoss) Factors(m [][]float64, squares, y []float64, clip, scale float64) error {
	return slopesThenClip(l, m, squares, y, clip, scale)
}

// Steepest: ‖p − e_y‖² = (1 − p_y)² + Σ_{k≠y} p_k² ≤ 2.
func (SoftmaxLoss) Steepest(float64) float64 { return math.Sqrt2 }

// Bend: ⟨u, (diag p − ppᵀ)u⟩ is the variance of a number within [min u, max u], at most (max u − min u)²/4 ≤ ‖u‖²/2.
func (SoftmaxLoss) Bend() float64 { return 0.5 }

// lossDefaults are public defaults of a loss, in the units of [ByGradient]. They come from simulated populations of 5e3
// to 1e5 rows, and from nothing else.
type lossDefaults struct {
	MaxNorm, Clip float64
	Travel        float64 // how far steps go against the noise, which sets their number
}

func (LogLoss) Defaults() lossDefaults {
	return lossDefaults{domain.DefaultMaxNorm, domain.DefaultClip, domain.DefaultTravel}
}

func (SquaredHingeLoss) Defaults() lossDefaults { return lossDefaults{16, 1, 1} }

func (SquaredLoss) Defaults() lossDefaults { return lossDefaults{8, 0.15, 0.7} }

func (HuberLoss) Defaults() lossDefaults { return lossDefaults{8, 0.15, 0.7} }

func (SoftmaxLoss) Defaults() lossDefaults { return lossDefaults{24, 0.7, 2} }
