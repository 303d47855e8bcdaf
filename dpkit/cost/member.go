package cost

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
)

// Member is one of several plans that are released together, under the target of its part.
type Member struct {
	Plan   string  `json:"plan"` // as it is written, without a target
	Weight float64 `json:"weight"`
	// Share is the weight over the sum of all: of μ*², where all are Gaussian.
	Share float64 `json:"share"`
	// Mu is its part of μ* where it is Gaussian, what steps ask privately included; 0 for another.
	Mu float64 `json:"mu,omitempty"`
	// Cost is its price alone, with the noise that it has here: no promise, as the others are released as well.
	Cost Plan `json:"cost"`
	// Error is what is predicted at a level of 0.95; zero where nothing is.
	Error Prediction `json:"error,omitzero"`
}

// part says what the plan takes of the whole.
func (m Member) part() string {
	g := m.Cost.Guarantee
	text := fmt.Sprintf("weight %.4g, %.3g %% of all; alone its noise would be (%s, %s)-DP", m.Weight, 100*m.Share, accountant.FormatUp(g.Epsilon), accountant.FormatUp(g.Delta))
	if m.Mu > 0 {
		text += fmt.Sprintf(", μ = %.6g", m.Mu)
	}
	return text
}

// members renders the plans that are released together.
func (c Plan) members() string {
	var b strings.Builder
	for i, m := range c.Members {
		fmt.Fprintf(&b, "\nplan %d: %s\n   %s\n", i+1, m.Plan, m.part())
		r := m.Cost.Release
		for _, line := range strings.Split(strings.TrimRight(Explain(m.Cost.Steps), "\n"), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "   %s\n", line)
			}
		}
		fmt.Fprintf(&b, "   event: %s\n", r.Event)
		if m.Cost.Amplified() {
			fmt.Fprintf(&b, "   sensitivity S = %.6g, without preprocessing %.6g: noise × %.3g\n", r.Sensitivity, r.FreeSensitivity, r.Amplification())
		} else {
			fmt.Fprintf(&b, "   sensitivity S = %.6g\n", r.Sensitivity)
		}
		if m.Error.Of != "" {
			for _, line := range strings.Split(strings.TrimRight(m.Error.String(), "\n"), "\n") {
				fmt.Fprintf(&b, "   %s\n", line)
			}
		}
	}
	return b.String()
}
