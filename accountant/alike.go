package accountant

import "math"

// alike are the pairs of one Poisson step whose common rows are drawn alike on both sides, one for each displacement
// of their sum.
type alike interface {
	at(v float64) linePair
	// nodes returns (α−1) D_α as a function of a displacement up to v, on shared nodes. It rounds up, and is +Inf
	// where it has no nodes for it.
	nodes(alpha, v float64) func(v float64) float64
}

// addAlike are those under add/remove, in one of the directions.
type addAlike struct {
	coin
	t      float64
	remove bool
}

func (a addAlike) at(v float64) linePair {
	if p := (addPair{a.coin, a.t, v}); !a.remove {
		return p
	}
	return removePair{addPair{a.coin, a.t, v}}
}

func (a addAlike) nodes(alpha, v float64) func(v float64) float64 {
	if alpha*(a.t+v) > tableReach {
		return nil
	}
	return newAddNodes(addPair{a.coin, a.t, 0}, a.remove, alpha, v).moment
}

// replaceAlike are those under replace-one.
type replaceAlike struct {
	coin
	t float64
}

func (r replaceAlike) at(v float64) linePair { return replacePair{r.coin, r.t, v} }

func (r replaceAlike) nodes(alpha, v float64) func(v float64) float64 {
	if alpha*(2*r.t+v) > tableReach {
		return nil
	}
	var n replaceNodes
	n.set(replacePair{r.coin, r.t, 0}, alpha)
	return n.moment
}

// undisplaced is the step without displacements.
func (r replaceAlike) undisplaced(alpha float64) float64 {
	if !(alpha*2*r.t <= tableReach) {
		return boundedMoment(r.at(0), alpha, 2*r.t, r.t)
	}
	var n replaceNodes // on the stack
	n.set(replacePair{r.coin, r.t, 0}, alpha)
	if m := n.moment(0); m < math.Inf(1) {
		return min(m, gaussMoment(alpha, 2*r.t))
	}
	return boundedMoment(r.at(0), alpha, 2*r.t, r.t)
}

// boundedMoment is lineMoment where that is affordable, and never above the Gaussian's of the same shift
// (quasi-convexity). The nodes lie t apart in scale.
func boundedMoment(p linePair, alpha, shift, t float64) float64 {
	gauss := gaussMoment(alpha, shift)
	if math.IsInf(gauss, 1) || alpha*shift > largestReach || t > 32 {
		return gauss
	}
	return min(gauss, lineMoment(p, alpha))
}
