package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// Cost is the price of a plan: one entry for each step and the release at the end. It is made of
// public facts only.
//
// Its fields:
//
//	// NotPrivate says why nothing that this plan releases is private; empty for a private session.
//	NotPrivate string
//	Rows       int
//	Neighbours accountant.Neighbours
//	Steps      []cost.Step
//	Release    cost.Release
//	// Guarantee is the end-to-end promise, preprocessing included.
//	Guarantee accountant.Guarantee
//	// Charged is what the session's ledger charges the release as, at the δ of its budget, where that is another
//	// number than the guarantee's; else zero, as without a ledger. See Price of package accountant/ledger.
//	Charged Budget
//	// Warnings say what weakens the promise, although it holds.
//	Warnings []string
//
// Its methods:
//
//	Amplified() bool
//		Amplified reports whether the preprocessing changes what the release costs: its noise grew, or steps ask private
//		queries.
//	ChargedAs() string
//		ChargedAs says what a ledger charges, "" where that is what the guarantee says.
type Cost = cost.Plan

func stepCosts(stages []stageOf) []cost.Step {
	out := make([]cost.Step, len(stages))
	for i, s := range stages {
		out[i] = cost.Step{
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
