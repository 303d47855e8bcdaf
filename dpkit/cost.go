package dpkit

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// QueryCost is one private query of a step, paid from the target of the release.
//
// Its fields:
//
//	Name        string
//	Share       float64 // of the release's μ²
//	Delta       float64 // probability that a test passes wrongly
//	Event       string
//	Sensitivity float64
//	Sigma       float64 // noise on each coordinate of the answer
//	// Threshold is the least noisy statistic with which a test passes; 0 for a private fit.
//	Threshold float64
type QueryCost = query.QueryCost

// ReleaseCost is the mechanism's entry.
//
// Its fields:
//
//	Name      string
//	Event     string
//	Constants []Constant
//	Reference string
//	// Sensitivity is S on the pair state; FreeSensitivity what it would be without preprocessing.
//	Sensitivity     float64
//	FreeSensitivity float64
//	// Sigma is the standard deviation of the noise on each coordinate of each noisy sum.
//	Sigma float64
//	// Uncounted is the ε that an accountant which ignores the preprocessing would print for this noise.
//	Uncounted float64
//	// Nominal is the ε that holds if the noise had been calibrated without counting the preprocessing.
//	// Like every ε here it is a bound: how close the preprocessing comes to it depends on the chain.
//	Nominal float64
//
// Its methods:
//
//	Amplification() float64
//		Amplification is A = S/S_free: by how much the noise grew to pay for the preprocessing.
type ReleaseCost = query.ReleaseCost

// Cost is the price of a plan: one entry for each step and the release at the end. It is made of
// public facts only.
type Cost struct {
	// NotPrivate says why nothing that this plan releases is private; empty for a private session.
	NotPrivate string                `json:"not_private,omitempty"`
	Rows       int                   `json:"rows"`
	Neighbours accountant.Neighbours `json:"neighbours"`
	Steps      []StepCost            `json:"steps"`
	Release    ReleaseCost           `json:"release"`
	// Guarantee is the end-to-end promise, preprocessing included.
	Guarantee accountant.Guarantee `json:"guarantee"`
	// Charged is what the session's ledger charges the release as, at the δ of its budget, where that is another
	// number than the guarantee's; else zero, as without a ledger. See [ledger.Ledger.Price].
	Charged accountant.Budget `json:"charged,omitzero"`
	// Warnings say what weakens the promise, although it holds.
	Warnings []string `json:"warnings,omitempty"`
}

// Amplified reports whether the preprocessing changes what the release costs: its noise grew, or steps ask private
// queries. Where it does not, Uncounted and Nominal say nothing of interest.
func (c Cost) Amplified() bool {
	for _, s := range c.Steps {
		if len(s.Queries) > 0 {
			return true
		}
	}
	return !(c.Release.Amplification() <= 1+1e-9)
}

// ChargedAs says what a ledger charges, "" where that is what the guarantee says.
func (c Cost) ChargedAs() string {
	if c.Charged == (accountant.Budget{}) {
		return ""
	}
	up := accountant.FormatUp
	s := fmt.Sprintf("a ledger at δ = %s charges this as ε = %s", up(c.Charged.Delta), up(c.Charged.Epsilon))
	if c.Guarantee.Delta == 0 && c.Charged.Epsilon > c.Guarantee.Epsilon {
		s += ": a release of pure DP is composed as the Gaussian that covers it; Gaussian noise composes for less"
	}
	return s
}

// StepCost is one preprocessing step's entry.
type StepCost struct {
	Step      int              `json:"step"` // position in the chain, from 1
	Name      string           `json:"name"`
	Role      stage.Role       `json:"role"`
	Scope     accountant.Scope `json:"scope"`
	Constants []Constant       `json:"constants"`
	Note      string           `json:"note"`
	Reference string           `json:"reference,omitempty"`
	// State of the worst-case pair after the step.
	Displacement float64 `json:"displacement"` // τ: total, L12
	Frobenius    float64 `json:"frobenius"`
	LargestRow   float64 `json:"largest_row"`
	Moved        int     `json:"moved"` // common rows that may differ
	Free         int     `json:"free"`  // rows that may be any on either side, present or not; 1 at the start
	R            float64 `json:"r"`     // bound on a row's norm
	// Queries are what the step asks of the rows privately: tests of declared numbers, and private fits.
	Queries []QueryCost `json:"queries,omitempty"`
}

func stepCosts(stages []stageOf) []StepCost {
	out := make([]StepCost, len(stages))
	for i, s := range stages {
		out[i] = StepCost{
			Step: i + 1, Name: kind.Describe(s.Step), Role: s.Role, Scope: s.Scope, Constants: s.Constants,
			Note: s.Note, Reference: s.Reference,
			Displacement: s.Pair.T1, Frobenius: s.Pair.TF, LargestRow: s.Pair.TInf, Moved: s.Pair.M, Free: s.Pair.F, R: s.Pair.R,
		}
		for k := range s.expenses {
			out[i].Queries = append(out[i].Queries, s.expenses[k].Cost(s.Before.Neighbours))
		}
	}
	return out
}

// String renders the cost as a plain table with its annotations.
func (c Cost) String() string {
	var b strings.Builder
	if c.NotPrivate != "" {
		fmt.Fprintf(&b, "NOT PRIVATE: %s; the numbers are those of a private session\n", c.NotPrivate)
	}
	fmt.Fprintf(&b, "%d rows, %v neighbours, no row read\n", c.Rows, c.Neighbours)
	b.WriteString(explainSteps(c.Steps))
	r := c.Release
	fmt.Fprintf(&b, "\n%d. %s\n", len(c.Steps)+1, r.Name)
	for _, k := range r.Constants {
		fmt.Fprintf(&b, "     %s\n", k)
	}
	fmt.Fprintf(&b, "   event: %s\n", r.Event)
	up := accountant.FormatUp
	switch {
	case c.Amplified():
		fmt.Fprintf(&b, "   sensitivity S = %.6g, without preprocessing %.6g: noise × %.3g\n", r.Sensitivity, r.FreeSensitivity, r.Amplification())
		fmt.Fprintf(&b, "   ε with preprocessing counted: %s; the same noise with preprocessing ignored would be sold as ε = %s\n", up(c.Guarantee.Epsilon), up(r.Uncounted))
		fmt.Fprintf(&b, "   noise calibrated without counting it would be proved to give ε = %s only\n", up(r.Nominal))
	case len(c.Steps) > 0:
		fmt.Fprintf(&b, "   sensitivity S = %.6g, to which the preprocessing adds nothing\n", r.Sensitivity)
	default:
		fmt.Fprintf(&b, "   sensitivity S = %.6g\n", r.Sensitivity)
	}
	if r.Reference != "" {
		fmt.Fprintf(&b, "   %s\n", r.Reference)
	}
	fmt.Fprintf(&b, "\nguarantee: %v (%s)\n", c.Guarantee, c.Guarantee.Route)
	if s := c.ChargedAs(); s != "" {
		fmt.Fprintf(&b, "ledger: %s\n", s)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

func explainSteps(steps []StepCost) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "\n%d. %s  [%s, %v]\n", s.Step, s.Name, s.Role, s.Scope)
		fmt.Fprintf(&b, "   %s\n", s.Note)
		for _, k := range s.Constants {
			fmt.Fprintf(&b, "     %s\n", k)
		}
		if s.Moved == 0 {
			b.WriteString("   displacement so far: none\n")
		} else {
			fmt.Fprintf(&b, "   displacement so far: τ = %.6g in all, %.6g Frobenius, at most %.6g a row, %d rows\n",
				s.Displacement, s.Frobenius, s.LargestRow, s.Moved)
		}
		if s.Free > 1 {
			fmt.Fprintf(&b, "   free so far: %d rows, which one row that changes can remove, bring back or replace\n", s.Free)
		}
		for _, q := range s.Queries {
			fmt.Fprintf(&b, "   asks privately: %s (%.3g %% of the budget", q.Name, 100*q.Share)
			if q.Delta > 0 {
				fmt.Fprintf(&b, ", δ₀ = %s", accountant.FormatUp(q.Delta))
			}
			if q.Threshold != 0 {
				fmt.Fprintf(&b, "; passes from %.6g", q.Threshold)
			}
			fmt.Fprintf(&b, "; σ = %.6g)\n", q.Sigma)
		}
		if s.Reference != "" {
			fmt.Fprintf(&b, "   %s\n", s.Reference)
		}
	}
	return b.String()
}
