package cost

import "github.com/dpkit-go/dpnb/dpkit/stage"

// Release is the mechanism's entry, at the end of the chain.
type Release struct {
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
func (r Release) Amplification() float64 { return r.Sensitivity / r.FreeSensitivity }
