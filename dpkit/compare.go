package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Comparison prices a plan with each of its steps taken in every way that is known, the others as
// they are written. It is made of public facts only.
//
// Its fields:
//
//	Written cost.Variant
//	Steps   []cost.StepComparison
//	// Recommended is the plan with the recommended way at every step.
//	Recommended cost.Variant
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the comparison as a gota frame, a row for each way of each step: "step", "name" of the step as it is written,
//		"way", "best" (the way to take), "displacement", "amplification", "share", "noise", "refused" (why it has no price; its
//		numbers are gota's NaN then), and what the plan with that way would promise: "epsilon", "delta", "unit", "entry" (none
//		yet), "promise".
type Comparison = cost.Comparison

// compare is [Plan.Compare].
func (pl *plan) compare() (Comparison, error) {
	if pl.joint != nil {
		return pl.compareJoint()
	}
	c, _, err := pl.compareWays()
	return c, err
}

// compareWays is the comparison, and the plan that it recommends.
func (pl *plan) compareWays() (Comparison, *plan, error) {
	if _, err := pl.Cost(); err != nil {
		return Comparison{}, nil, err
	}
	q, err := pl.quote()
	if err != nil {
		return Comparison{}, nil, err
	}
	mu := 0.0
	if target, ok := query.TargetOf(pl.m); ok {
		if mu, err = accountant.CalibrateShared(target); err != nil {
			return Comparison{}, nil, fmt.Errorf("dpkit: compare: %w", err)
		}
	}
	c := Comparison{Written: cost.Of("as written", pl)}
	best := pl
	for i, s := range q.stages {
		step, ok := s.Step.(stage.Alternatives)
		if !ok {
			continue
		}
		ways := step.Alternatives(s.Stage, mu)
		if len(ways) < 2 { // there is nothing to choose
			continue
		}
		sc, chosen := pl.compareStep(i, s, ways)
		c.Steps = append(c.Steps, sc)
		// Each way was priced beside the others as written; together two may have no price.
		next := best.clone()
		if next.p = best.p.replace(i, chosen); cost.Of("", next).Refused == "" {
			best = next
		}
	}
	c.Recommended = cost.Of("as recommended", best)
	return c, best, nil
}

// compareStep prices the ways of step i and returns the recommended one.
func (pl *plan) compareStep(i int, s stageOf, ways []stage.Alternative) (cost.StepComparison, stage.Preprocessor) {
	sc := cost.StepComparison{Step: i + 1, Name: kind.Describe(s.Step)}
	for _, w := range ways {
		other := pl.clone()
		other.p = pl.p.replace(i, w.Step)
		v := cost.Of(kind.Describe(w.Step), other)
		v.Kind, v.Note = w.Kind, w.Note
		sc.Variants = append(sc.Variants, v)
	}
	sc.Best, sc.Why = recommend(ways, sc.Variants, s.Role == stage.RoleDeployed)
	return sc, ways[sc.Best].Step
}

// recommend applies the rules of [Plan.Compare]; deploy says that prediction needs the fit.
func recommend(ways []stage.Alternative, vs []cost.Variant, deploy bool) (int, string) {
	fitted, private := -1, -1
	for i, w := range ways {
		if vs[i].Refused != "" || !w.Same {
			continue
		}
		switch w.Kind {
		case stage.Public:
			return i, "a public way does the same job and costs nothing"
		case stage.Fitted, stage.TestedFit:
			if fitted < 0 || vs[i].Noise < vs[fitted].Noise {
				fitted = i
			}
		case stage.Private:
			if w.Adequate && (private < 0 || vs[i].Noise < vs[private].Noise) {
				private = i
			}
		}
	}
	switch {
	case private >= 0 && deploy:
		return private, "prediction needs the fit, and only a private one may be used there"
	case private >= 0 && (fitted < 0 || vs[private].Noise < vs[fitted].Noise):
		return private, "an accurate private fit costs less noise than the displacement of a fitted one"
	case fitted >= 0:
		return fitted, "it costs less noise than an accurate private fit would"
	default:
		return 0, "no way that does the same job has a price here"
	}
}

// replace returns the pipeline with another step at position i.
func (p Pipeline) replace(i int, step stage.Preprocessor) Pipeline {
	steps := append([]stage.Preprocessor{}, p.steps...)
	steps[i] = step
	p.steps = steps
	return p
}
