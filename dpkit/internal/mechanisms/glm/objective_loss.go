package glm

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// marginLoss is the loss ℓ of a row with label y, as a function of its margin m = ⟨w, x̃⟩: convex, of slopes in [−1, 1]. What
// makes a loss private is in its bounds: slope 1 and a Lipschitz ℓ′.
type marginLoss interface {
	// At returns ℓ′ and the rate at which it rises at m, either one where it bends.
	At(y, m float64) (slope, curvature float64)
	// Bounds are the public constants of the loss.
	Bounds() lossBounds
}

// lossBounds hold for every label and margin. All of them are public.
type lossBounds struct {
	Curvature float64 // Lipschitz constant of ℓ′
	Gap       float64 // ℓ(y, 0) − inf ℓ(y, ·) at most
	// rounding of a computed ℓ′ beyond 16u and what that of the margin causes, in units of u = 2^-53.
	rounding float64
	OneSign  bool // ℓ′ has one sign for each label
	// logistic says that it is ln(1 + e^−ym), for which more is known: |ℓ‴| ≤ ℓ″, and the price.
	logistic bool
}

// LogisticLoss is ln(1 + e^−sm), s = 1 where the label is the positive code and −1 elsewhere.
type LogisticLoss struct{ Positive float64 }

func (l LogisticLoss) At(y, m float64) (slope, curvature float64) {
	s := signOf(y, l.Positive)
	p := models.Sigmoid(-s * m)
	return -s * p, p * (1 - p)
}

func (LogisticLoss) Bounds() lossBounds {
	return lossBounds{Curvature: 0.25, Gap: math.Ln2, OneSign: true, logistic: true}
}

func signOf(y, positive float64) float64 {
	if y == positive {
		return 1
	}
	return -1
}

// smoothedHinge is the squared hinge (1 − z)²₊/2h of z = sm, continued by its tangent of slope −1 from z = 1 − h down
// (Zhang 2004; Rosset, Zhu 2007): without that its gradient has no bound.
type smoothedHinge struct{ width float64 }

func (l smoothedHinge) At(y, m float64) (slope, curvature float64) {
	s := signOf(y, 1)
	switch short := 1 - s*m; {
	case short <= 0:
		return 0, 0
	case short < l.width:
		return -s * (short / l.width), 1 / l.width
	}
	return -s, 0
}

func (l smoothedHinge) Bounds() lossBounds {
	return lossBounds{Curvature: 1 / l.width, Gap: quadraticThenLine(1, l.width), rounding: 8 * (2 + l.width) / l.width, OneSign: true}
}

// scaledHuber is r²/2κ for the residual r = m − v of the scaled label v in [−1, 1], and |r| − κ/2 beyond |r| = κ
// (Huber 1964).
type scaledHuber struct {
	mid, half float64 // v = (y − mid)/half
	knee      float64 // κ
}

func (l scaledHuber) At(y, m float64) (slope, curvature float64) {
	r := m - num.Clamp((y-l.mid)/l.half, -1, 1)
	if math.Abs(r) < l.knee {
		return r / l.knee, 1 / l.knee
	}
	return math.Copysign(1, r), 0
}

func (l scaledHuber) Bounds() lossBounds {
	return lossBounds{Curvature: 1 / l.knee, Gap: quadraticThenLine(1, l.knee), rounding: 8 * (2 + l.knee) / l.knee}
}

// quadraticThenLine is r²/2κ up to κ and r − κ/2 beyond, rounded up.
func quadraticThenLine(r, knee float64) float64 {
	if r < knee {
		return stage.Up(r * r / (2 * knee))
	}
	return stage.Up(r - knee/2)
}

// cappedPoisson is (μ − y ln μ)/M for the rate μ = ρ·e^m and a count y in [0, M], continued by its tangent from μ = M up: its slope
// (min(μ, M) − y)/M is in [−1, 1], and rises by at most 1 per unit of m.
type cappedPoisson struct {
	most float64 // M
	rate float64 // ρ in (0, M]
}

func (l cappedPoisson) At(y, m float64) (slope, curvature float64) {
	y = num.Clamp(y, 0, l.most)
	if mu := l.rate * math.Exp(m); mu < l.most {
		return (mu - y) / l.most, mu / l.most
	}
	return (l.most - y) / l.most, 0
}

// Bounds: the gap is (ρ − y + y ln(y/ρ))/M, which is convex in y.
func (l cappedPoisson) Bounds() lossBounds {
	return lossBounds{
		Curvature: 1,
		Gap:       stage.Up(max(l.rate, l.rate-l.most+l.most*math.Log(l.most/l.rate)) / l.most),
		rounding:  8 * (4 + math.Log(l.most/l.rate)),
	}
}
