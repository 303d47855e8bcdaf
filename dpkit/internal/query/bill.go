package query

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// QueryCost is one private query of a step, paid from the target of the release.
type QueryCost struct {
	Name        string  `json:"name"`
	Share       float64 `json:"share"`           // of the release's μ²
	Delta       float64 `json:"delta,omitempty"` // probability that a test passes wrongly
	Event       string  `json:"event"`
	Sensitivity float64 `json:"sensitivity"`
	Sigma       float64 `json:"sigma"` // noise on each coordinate of the answer
	// Threshold is the least noisy statistic with which a test passes; 0 for a private fit.
	Threshold float64 `json:"threshold,omitempty"`
}

// ReleaseCost is the mechanism's entry.
type ReleaseCost struct {
	Name      string           `json:"name"`
	Event     string           `json:"event"`
	Constants []stage.Constant `json:"constants"`
	Reference string           `json:"reference,omitempty"`
	// Sensitivity is S on the pair state; FreeSensitivity what it would be without preprocessing.
	Sensitivity     float64 `json:"sensitivity"`
	FreeSensitivity float64 `json:"free_sensitivity"`
	// Sigma is the standard deviation of the noise on each coordinate of each noisy sum.
	Sigma float64 `json:"sigma"`
	// Uncounted is the ε that an accountant which ignores the preprocessing would print for this noise.
	Uncounted float64 `json:"uncounted_epsilon"`
	// Nominal is the ε that holds if the noise had been calibrated without counting the preprocessing.
	// Like every ε here it is a bound: how close the preprocessing comes to it depends on the chain.
	Nominal float64 `json:"nominal_epsilon"`
}

// Amplification is A = S/S_free: by how much the noise grew to pay for the preprocessing.
func (r ReleaseCost) Amplification() float64 { return r.Sensitivity / r.FreeSensitivity }

// An Asker is a mechanism that may ask private queries of its own, one of which may refuse the release.
type Asker interface {
	// Asks says whether one of them may refuse the release, by [ErrTestFailed].
	Asks() bool
	// Scope is what the mechanism's own bounds rest on, beside those of the steps before it.
	Scope() accountant.Scope
}

// Bill is a calibrated mechanism's account.
type Bill struct {
	Event     accountant.Event
	Guarantee accountant.Guarantee
	Cost      ReleaseCost
}
