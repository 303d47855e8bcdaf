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
//	// Taken says what of each part of the ledger's budget the charge takes, beside Charged.
//	Taken string
//	// Members are the plans of a joint release, each with its part; Steps is empty then, and Release tells of all of them, with the
//	// sensitivities of the one whose preprocessing costs most.
//	Members []cost.Member
//	// Together is, of one plan among several that are released together, what all of them promise, and the only promise there is; nil
//	// for a plan that is released alone.
//	Together *accountant.Guarantee
//	// Predicted is how far off the release will be by its noise, at the level 0.95; nil where nothing is predicted.
//	Predicted *cost.Prediction
//	// Held is what the chain holds of its tables while it releases, beside the source.
//	Held cost.Held
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
//	Curves() cost.Curves
//		Curves computes the table, or returns that which a cost was read with; its numbers are +Inf where the cost has no
//		curves.
//	Displaced(alpha, tau float64) float64
//		Displaced is the Rényi divergence of order alpha, in nats, that the release with its noise would cost behind steps that
//		displace rows by tau in all: of neighbouring tables whose other rows differ by tau, in one hop
//		(docs/theory/calculus.md#lemma-8-noise-splitting).
//	Gota() dataframe.DataFrame
//		Gota is the price as a gota frame, a row for each step and one for the release, last: "step", "name", "role", "scope",
//		"displacement" (τ so far), "moved" and "free" rows, "share" of the budget that the step asks privately, "sensitivity"
//		and "sigma" of the release, and in every row the whole plan's promise: "epsilon", "delta", "unit", "entry" (none yet),
//		"promise".
//	RDP(alpha float64) float64
//		RDP is the Rényi divergence of order alpha > 1, in nats, that the whole release costs a person at most, end to end:
//		preprocessing and what steps ask privately included (Mironov 2017).
//	SRDP(alpha, tau float64) float64
//		SRDP is the smooth Rényi divergence ε(α, τ) of the release, in nats: an upper bound on what tells two tables apart
//		whose rows differ by tau in all, in the sum of Euclidean distances of rows as they reach the release, and by nothing
//		else (Hu, Sanyal, Schölkopf 2024, Definition 3, for every table of the public domain;
//		docs/theory/calculus.md#the-pair-state).
//	StepSRDP(step int, alpha float64) float64
//		StepSRDP is the smooth Rényi divergence of order alpha, in nats, of all that stands behind a step of the chain, from 1,
//		at the displacement that rows have behind it: later steps, which carry it on, and the release.
//	Tau() float64
//		Tau is the total displacement τ of the rows that reach the release, in their units.
//	Theorem2(alpha, tau float64) float64
//		Theorem2 bounds what Displaced bounds in two hops, by Theorem 2 of Hu, Sanyal, Schölkopf 2024: the release's Rényi
//		curve without displacement and its smooth curve SRDP, by a weak triangle inequality
//		(docs/theory/preprocessing.md#theorem-2-the-weak-triangle).
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
