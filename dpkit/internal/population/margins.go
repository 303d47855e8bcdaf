package population

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Margins is the law of the best model's margin on a row of the population, m ~ N(Shift, Deviation²): a row with it is of the positive
// class with probability 1/(1 + e^−m).
type Margins struct{ Shift, Deviation float64 }

// Fitted is the law of a fitted model's margin beside it: normal together, over rows and over the noise of the fit.
type Fitted struct{ Shift, Variance, Covariance float64 }

// best is the best model itself.
func (m Margins) best() Fitted {
	v := m.Deviation * m.Deviation
	return Fitted{m.Shift, v, v}
}

func sigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

// responseOf is E σ(z) and its derivative in the mean, E σ′(z), for z ~ N(shift, variance): σ is within 0.02 of Φ(z·√(π/8)), whose
// expectation is known (MacKay 1992). By Stein's lemma E (σ(m′) − σ(m))·x = Σ(h′w′ − hw) for normal rows, h = E σ′.
func responseOf(shift, variance float64) (q, h float64) {
	k := 1 / math.Sqrt(1+math.Pi/8*variance)
	q = sigmoid(k * shift)
	return q, k * q * (1 - q)
}

// half is the number of nodes on either side of a normal law's mean, up to reach deviations.
const half, reach = 64, 5.5

// expect is E f(z) for z ~ N(mean, deviation²), by the trapezoidal rule.
func expect(mean, deviation float64, f func(z float64) float64) float64 {
	if deviation == 0 {
		return f(mean)
	}
	sum, all := 0.0, 0.0
	for i := -half; i <= half; i++ {
		t := reach * float64(i) / half
		p := math.Exp(-t * t / 2)
		sum += p * f(mean+t*deviation)
		all += p
	}
	return sum / all
}

// Accuracy is the share of rows whose class the fitted model predicts.
func (m Margins) Accuracy(f Fitted) float64 {
	slope, rest := 0.0, f.Variance
	if m.Deviation > 0 {
		slope = f.Covariance / (m.Deviation * m.Deviation)
		rest -= f.Covariance * slope
	}
	spread := math.Sqrt(math.Max(rest, 0))
	return expect(m.Shift, m.Deviation, func(z float64) float64 {
		p, mean := sigmoid(z), f.Shift+slope*(z-m.Shift)
		positive := 0.5
		switch {
		case spread > 0:
			positive = quad.NormalCDF(mean / spread)
		case mean != 0:
			positive = (1 + math.Copysign(1, mean)) / 2
		}
		return p*positive + (1-p)*(1-positive)
	})
}

// Majority is the accuracy of a model that says nothing.
func (m Margins) Majority() float64 {
	q := m.positives()
	return max(q, 1-q)
}

// positives is the share of the positive class.
func (m Margins) positives() float64 { return expect(m.Shift, m.Deviation, sigmoid) }

// LogLoss is E ln(1 + e^m′) − E σ(m)m′; the latter is E σ(m)·Shift′ + Covariance·E σ′(m), by Stein's lemma.
func (m Margins) LogLoss(f Fitted) float64 {
	slope := expect(m.Shift, m.Deviation, func(z float64) float64 { return sigmoid(z) * sigmoid(-z) })
	soft := expect(f.Shift, math.Sqrt(f.Variance), func(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) })
	return soft - m.positives()*f.Shift - f.Covariance*slope
}

// Entropy is the log loss of a model that says nothing but the shares of the classes.
func (m Margins) Entropy() float64 {
	q := m.positives()
	return -q*math.Log(q) - (1-q)*math.Log1p(-q)
}

// Classes is what the fitted model is worth.
func (m Margins) Classes(f Fitted) mechanism.Classes {
	best := m.best()
	return mechanism.Classes{
		Accuracy: m.Accuracy(f), Exact: m.Accuracy(best), Majority: m.Majority(),
		Excess: max(m.LogLoss(f)-m.LogLoss(best), 0),
	}
}
