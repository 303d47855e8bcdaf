package pld

import (
	"math"
	"sort"
)

// A line is a composed profile on a mesh, with the errors that it carries.
type line struct {
	mesh
	theta, k float64   // tilt and its cumulant
	first    int64     // index of the window's first node
	drop     []float64 // e^{θ l − K} δ(l) at the nodes, of finite losses inside the window
	infinite float64   // P(L = +∞)
	noise    float64   // absolute error of drop from rounding
	outside  outside
	atoms    sum     // of the discretised laws
	slack    float64 // optimistic mass of the factors that may not be there; a product has e^slack − 1 of it
	rel      float64 // relative error
	shift    float64 // error of the losses
	low      bool    // bound from below
}

// value bounds δ at the j-th node.
func (l line) value(j int) float64 {
	at := l.at(l.first + int64(j))
	e := l.k - l.theta*at
	err := l.rel + 0x1p-48*(2+math.Abs(l.k)+math.Abs(l.theta*at))
	if l.low {
		sure := l.infinite * (1 - 0x1p-40)
		// What is not there must stay so under any tilt: e^e may be +∞, and its product with 0 is NaN.
		if clear := l.drop[j] - l.noise - l.outside.aliased(at); clear > 0 {
			return max(0, math.Exp(e-err)*clear-math.Expm1(l.slack)) + sure
		}
		return sure
	}
	return min(1, math.Exp(e+err)*(l.drop[j]+l.noise)+l.outside.beyond()+l.infinite)
}

// epsilonAt bounds the ε ≥ 0 at which δ is reached.
func (l line) epsilonAt(delta float64) float64 {
	n := len(l.drop)
	reached := func(j int) bool { return l.value(j) <= delta }
	j := sort.Search(n, reached)
	if l.low {
		// What comes back from beyond the right end may void the values below clear, but not those above it; any node at
		// which δ is not reached yet bounds ε from below.
		x := math.Ceil((l.outside.reach-l.outside.right+l.outside.left-l.offset)/l.width) + 1 - float64(l.first)
		if clear := int(max(0, min(float64(n), x))); clear > j {
			if k := clear + sort.Search(n-clear, func(i int) bool { return reached(clear + i) }); k > clear {
				j = k
			}
		}
	}
	if j == 0 || j == n {
		switch {
		case l.low && j == 0:
			return 0
		case !l.low && j == n:
			return l.chernoffEpsilon(delta)
		}
		return max(0, l.moved(l.at(l.first+int64(min(j, n-1))), 1))
	}
	// Between nodes the profile is linear in e^ε.
	a, b := l.value(j-1), l.value(j)
	eps := l.at(l.first+int64(j-1)) + math.Log1p(math.Expm1(l.width)*(a-delta)/(a-b))
	return max(0, l.moved(eps, 1))
}

// deltaAt bounds δ(ε).
func (l line) deltaAt(epsilon float64) float64 {
	n := len(l.drop)
	epsilon = l.moved(epsilon, -1)
	x := (epsilon - l.offset) / l.width
	// Of a node that an int may not hold only its side counts.
	j := int(max(-1, min(float64(n), math.Floor(x)-float64(l.first))))
	switch {
	case j < 0 && l.low:
		return l.value(0)
	case j < 0:
		return l.chernoffDelta(epsilon)
	case j >= n-1 && l.low:
		return 0
	case j >= n-1:
		return min(l.value(n-1), l.chernoffDelta(epsilon))
	}
	w := math.Expm1(epsilon-l.at(l.first+int64(j))) / math.Expm1(l.width)
	w = max(0, min(1, w))
	v := l.value(j)*(1-w) + l.value(j+1)*w
	if !l.low && v > 2*math.Exp(l.k-l.theta*epsilon)*l.drop[j]+2*l.infinite {
		v = min(v, l.chernoffDelta(epsilon)) // rounding or the tail outside the window is most of it
	}
	return v
}

// chernoffEpsilon and chernoffDelta bound the profile where no tilt shows it, by that of the Rényi
// divergence: (1 − e^{−x})₊ ≤ c_t e^{tx}, c_t = t^t/(1+t)^{1+t}, so that δ(ε) ≤ P(L = ∞) + c_t e^{K(t) − tε} for each t > 0.
func (l line) chernoffEpsilon(delta float64) float64 {
	if delta -= l.infinite; !(delta > 0) {
		return math.Inf(1)
	}
	log := math.Log(delta) - 0x1p-40
	t, _ := l.atoms.above(0, log)
	return max(0, l.moved((l.logPeak(t)-log)/t, 1))
}

func (l line) chernoffDelta(epsilon float64) float64 {
	t := l.atoms.planEpsilon(epsilon).theta
	d := math.Exp(l.logPeak(t)-t*epsilon*(1-0x1p-48)) + l.infinite
	if !(d < 1) {
		return 1
	}
	return d
}

// logPeak is K(t) + ln c_t, rounded up.
func (l line) logPeak(t float64) float64 {
	k := l.atoms.moment(t).k
	c := (1+t)*math.Log1p(t) - t*math.Log(t)
	return k - c + l.rel + 0x1p-46*(1+math.Abs(k)+t*math.Abs(l.atoms.top())+(1+t)*math.Log1p(t))
}

// moved changes a loss by its error: sign 1 for a loss that is a result, −1 for one that is asked about.
func (l line) moved(loss, sign float64) float64 {
	by := l.shift + 0x1p-50*math.Abs(loss)
	if l.low {
		by = -by
	}
	return loss + sign*by
}

// outside bounds what the window does not hold, by Chernoff's inequality.
type outside struct {
	theta, k     float64 // tilt of the window and its cumulant
	up, kUp      float64 // tilt for the losses above the window
	far, kFar    float64 // the same for the tilted losses
	down, kDown  float64 // and below the window
	left, right  float64 // ends of the window
	floor, reach float64 // ends of the support, which may be inside
	heaviest     float64 // largest weight of a tilted mass in drop
}

// beyond is P(L ≥ right end).
func (o outside) beyond() float64 {
	if o.reach < o.right {
		return 0
	}
	return math.Exp(min(0, o.kUp-o.up*o.right+0x1p-30))
}

// aliased is what comes back into the window above the loss at, in tilted mass by weight. A loss beyond the right end
// must be as far from it as at is from the left end. One at l below the left end, where the window has the
// length W, returns at l + W: its tilted mass there weighs e^{θ(at − W)} e^{−K} P(L = l).
func (o outside) aliased(at float64) float64 {
	sum := 0.0
	if x := o.right + at - o.left; o.reach >= x {
		sum += o.heaviest * math.Exp(o.kFar-o.k-(o.far-o.theta)*x+0x1p-30)
	}
	if o.floor < o.left {
		tilted := o.kDown - o.k + (o.theta-o.down)*o.left
		sum += min(o.heaviest*math.Exp(tilted+0x1p-30), math.Exp(o.theta*(at-o.right+o.left)-o.k+0x1p-30))
	}
	return sum
}
