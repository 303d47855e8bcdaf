package population

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
)

// The reference population of classifiers. Its constants were chosen on Adult, pima and ijcnn1 (docs/theory/mechanisms.md).
const (
	numberFill = 0.07 // E‖x‖² of scaled numbers, in units of their share of R²
	blockFill  = 0.5  // of one-hot blocks, about their mean
	decay      = 1.5  // of the j-th eigenvalue
	deviation  = 2    // of the best model's margin
	shift      = -1.2 // its mean, where there is a constant feature
)

// Classified is the reference population of classifiers: d columns of norm at most r, of which a share of the units are one-hot blocks,
// and the constant feature.
func Classified(d int, blocks, r, constant float64) (Rows, Margins) {
	m := Margins{Shift: shift, Deviation: deviation}
	if constant == 0 {
		m.Shift = 0
	}
	fill := numberFill + (blockFill-numberFill)*blocks
	return Shape{Fill: fill, Decay: decay, Tilt: 1}.Rows(d, r, constant), m
}

// Against is the law of the margins of one class of k against the rest: the classes are as frequent as one another.
func (m Margins) Against(k int) Margins {
	return Margins{-math.Log(float64(k - 1)), m.Deviation}
}

// Regressed is the reference population of regressions: columns of equal, independent variance with ‖(x, c)‖² a quarter of its bound
// rx² on average, and a label in [−1, 1] whose variance is 1/16, half of it linear in them. Signal is the variance that the best model
// explains, and the one that it leaves.
func Regressed(coefficients int, rx float64) (Rows, Margins) {
	d := float64(coefficients)
	return Rows{Groups: []Group{{Value: rx * rx / (4 * d), Count: d, Share: 1}}}, Margins{Deviation: math.Sqrt(Signal)}
}

// Signal is the variance of the label that the best model explains, and as much is left.
const Signal = 1. / 32

// Excess is the mean squared difference of the fitted margin from the best one.
func (m Margins) Excess(f Fitted) float64 {
	b := f.Shift - m.Shift
	return math.Max(m.Deviation*m.Deviation-2*f.Covariance+f.Variance+b*b, 0)
}

// ErrorOfNumbers is what is off of every regression of a bounded label, so that they compare.
const ErrorOfNumbers = "excess of the mean squared error over that of the best model, on the reference population, in units of the scaled label's bound squared"

// Regression predicts the excess error of a regression.
func (m Margins) Regression(f Fitted) mechanism.Prediction {
	size := m.Excess(f)
	if math.IsNaN(size) {
		return mechanism.Prediction{}
	}
	return mechanism.Prediction{Of: ErrorOfNumbers, Size: []float64{size}, Most: []float64{m.Deviation * m.Deviation}}
}

// KneeShare is the share of rows whose residual at the best model is below the knee: there Huber's loss is quadratic.
func KneeShare(knee float64) float64 { return math.Erf(knee / math.Sqrt(2*Signal)) }
