package ledger

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// The budgets that a ledger accepts: far beyond any use, well inside what float64 can price.
const (
	maxEpsilon = 1e4
	minDelta   = 1e-200
)

// epsilonUp returns the smallest ε at which μ-GDP gives (ε, δ)-DP, rounded up; +Inf where the
// number is beyond use.
func epsilonUp(mu, delta float64) float64 {
	if !(mu > 0) {
		return 0
	}
	profile, err := accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: accountant.ReplaceOne}.Profile(accountant.ReplaceOne)
	if err != nil {
		return math.Inf(1)
	}
	eps, err := profile.Epsilon(delta)
	if err != nil {
		return math.Inf(1)
	}
	return eps
}

// deltaUp is the profile of μ-GDP at ε, rounded up.
func deltaUp(mu, epsilon float64) float64 {
	profile, err := accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: accountant.ReplaceOne}.Profile(accountant.ReplaceOne)
	if err != nil {
		return 1
	}
	return profile(epsilon)
}

// epsilonDown returns an ε below the smallest one: by more than the relative 1e-9 and absolute
// 1e-12 within which epsilonUp is exact.
func epsilonDown(mu, delta float64) float64 {
	return max(0, epsilonUp(mu, delta)*(1-1e-9)-1e-12)
}
