package accountant

import (
	"math"
	"reflect"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A repeater is a leaf with an exact profile of n releases of it, for n ≥ 1. The error wraps
// [ErrNoRoute] where the parameters or n have none.
type repeater interface {
	repeated(rel Neighbours, n int) (Profile, error)
}

// repeatedProfile is the exact profile of an event that consists of equal leaves.
// The error wraps [ErrNoRoute] where it does not, or where the leaf has none.
func repeatedProfile(e Event, rel Neighbours) (Profile, error) {
	of, n, ok := homogeneous(e)
	if r, is := of.(repeater); ok && is {
		return r.repeated(rel, n)
	}
	return nil, ErrNoRoute
}

// homogeneous takes an event apart into n equal leaves; ok is false where it cannot.
func homogeneous(e Event) (of Event, n int, ok bool) {
	const most = 1 << 30
	switch e := unstated(e).(type) {
	case composition:
		for _, part := range e.costly() {
			leaf, k, ok := homogeneous(part)
			if !ok || (n > 0 && leaf != of) || k > most-n {
				return nil, 0, false
			}
			of, n = leaf, n+k
		}
		return of, n, n > 0
	case repetition:
		leaf, k, ok := homogeneous(e.of)
		if !ok || e.n < 1 || k > most/e.n {
			return nil, 0, false
		}
		return leaf, k * e.n, true
	}
	e = unstated(e)
	return e, 1, e != nil && reflect.ValueOf(e).Comparable() // of what an interface in it holds, too
}

// onGrid reports whether some part of an event is discrete Gaussian noise of at most so many steps.
func onGrid(e Event, most float64) bool {
	switch e := e.(type) {
	case DiscreteGaussian:
		return e.GridSigma <= most
	case composition:
		return slices.ContainsFunc(e.parts, func(p Event) bool { return onGrid(p, most) })
	case repetition:
		return onGrid(e.of, most)
	}
	return false
}

// maxResponses bounds n in the sum of n + 1 terms of responsesProfile.
const maxResponses = 10_000

func (p PureDP) repeated(rel Neighbours, n int) (Profile, error) {
	if err := p.validate(rel); err != nil {
		return nil, err
	}
	return responsesProfile(p.Epsilon, n)
}

func (r RandomizedResponse) repeated(rel Neighbours, n int) (Profile, error) {
	if err := r.validate(rel); err != nil {
		return nil, err
	}
	if r.K > 2 || math.IsInf(r.Epsilon, 1) {
		return nil, ErrNoRoute
	}
	return responsesProfile(r.Epsilon, n)
}

// responsesProfile is the profile of n binary randomized responses with ε each, which is the largest
// of n (ε, 0)-DP releases (Kairouz, Oh, Viswanath 2015):
//
//	δ(e) = Σ_j C(n, j) p^j (1−p)^{n−j} (1 − e^{e − (2j−n)ε})₊, p = e^ε/(1 + e^ε).
func responsesProfile(eps float64, n int) (Profile, error) {
	if n > maxResponses {
		return nil, ErrNoRoute
	}
	logP, logQ := -math.Log1p(math.Exp(-eps)), -eps-math.Log1p(math.Exp(-eps))
	logWeights := make([]float64, n+1)
	all, _ := math.Lgamma(float64(n + 1))
	for j := range logWeights {
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(n - j + 1))
		logWeights[j] = all - a - b + float64(j)*logP + float64(n-j)*logQ
	}
	// The logarithms are sums of terms up to these; each is good to a few units in the last place.
	margin := 0x1p-49 * (all + float64(n)*(1+eps) + 64)
	return func(e float64) float64 {
		if math.IsNaN(e) {
			return 1
		}
		sum, slack := 0.0, 0.0
		for j := n; j >= 0; j-- {
			loss := float64(2*j-n) * eps
			if !(loss > e) {
				break
			}
			weight := math.Exp(logWeights[j])
			sum += weight * -math.Expm1(e-loss)
			slack += weight * (math.Abs(e) + math.Abs(loss)) // of e − loss, before units of rounding
		}
		if sum == 0 {
			return 0 // e is at least n ε
		}
		return min(1, quad.Inflate(sum+0x1p-50*slack, margin))
	}, nil
}
