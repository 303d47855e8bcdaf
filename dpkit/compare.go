package dpkit

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Comparison prices a plan with each of its steps taken in every way that is known, the others as
// they are written. It is made of public facts only.
type Comparison struct {
	Written Variant          `json:"written"`
	Steps   []StepComparison `json:"steps"`
	// Recommended is the plan with the recommended way at every step.
	Recommended Variant `json:"recommended"`
}

// StepComparison lists the ways of one step.
type StepComparison struct {
	Step     int       `json:"step"` // position in the chain, from 1
	Name     string    `json:"name"`
	Variants []Variant `json:"variants"`
	Best     int       `json:"best"` // index of the recommended one
	Why      string    `json:"why"`
}

// Variant is one priced plan.
type Variant struct {
	Name string     `json:"name"` // the step as it is written in a chain; a name for a whole plan
	Kind stage.Kind `json:"kind,omitempty"`
	// Share is what the queries of the chain's steps take of the release's μ².
	Share float64 `json:"share"`
	// Displacement and Frobenius are those of the pair state at the end of the chain.
	Displacement float64 `json:"displacement"`
	Frobenius    float64 `json:"frobenius"`
	// Amplification is A = S/S_free at the end.
	Amplification float64 `json:"amplification"`
	// Noise is A/√(1 − Share): the noise at the end, in multiples of that of a chain whose steps are free.
	Noise float64 `json:"noise"`
	Cost  Cost    `json:"cost"`
	Note  string  `json:"note,omitempty"`
	// Refused says why the chain has no price with this way; the numbers are 0 then.
	Refused string `json:"refused,omitempty"`
}

// Priced is a [Plan] of any value.
type Priced interface{ Cost() (Cost, error) }

// PriceOf prices one plan for a comparison table.
func PriceOf(name string, plan Priced) Variant {
	v := Variant{Name: name}
	if p := reflect.ValueOf(plan); !p.IsValid() || p.Kind() == reflect.Pointer && p.IsNil() {
		v.Refused = "got no plan, want one that a release method of Pipeline returned"
		return v
	}
	c, err := plan.Cost()
	if err != nil {
		v.Refused = err.Error()
		return v
	}
	v.Cost = c
	v.Amplification = c.Release.Amplification()
	for _, s := range c.Steps {
		v.Displacement, v.Frobenius = s.Displacement, s.Frobenius
		for _, q := range s.Queries {
			v.Share += q.Share
		}
	}
	v.Noise = v.Amplification / math.Sqrt(1-v.Share)
	return v
}

// compare is [Plan.Compare].
func (pl *plan) compare() (Comparison, error) {
	if _, err := pl.Cost(); err != nil {
		return Comparison{}, err
	}
	q, err := pl.quote()
	if err != nil {
		return Comparison{}, err
	}
	mu := 0.0
	if target, ok := query.TargetOf(pl.m); ok {
		if mu, err = accountant.CalibrateShared(target); err != nil {
			return Comparison{}, fmt.Errorf("dpkit: compare: %w", err)
		}
	}
	c := Comparison{Written: PriceOf("as written", pl)}
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
		if next.p = best.p.replace(i, chosen); PriceOf("", next).Refused == "" {
			best = next
		}
	}
	c.Recommended = PriceOf("as recommended", best)
	return c, nil
}

// compareStep prices the ways of step i and returns the recommended one.
func (pl *plan) compareStep(i int, s stageOf, ways []stage.Alternative) (StepComparison, stage.Preprocessor) {
	sc := StepComparison{Step: i + 1, Name: kind.Describe(s.Step)}
	for _, w := range ways {
		other := pl.clone()
		other.p = pl.p.replace(i, w.Step)
		v := PriceOf(kind.Describe(w.Step), other)
		v.Kind, v.Note = w.Kind, w.Note
		sc.Variants = append(sc.Variants, v)
	}
	sc.Best, sc.Why = recommend(ways, sc.Variants, s.Role == stage.RoleDeployed)
	return sc, ways[sc.Best].Step
}

// recommend applies the rules of [Plan.Compare]; deploy says that prediction needs the fit.
func recommend(ways []stage.Alternative, vs []Variant, deploy bool) (int, string) {
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

// String renders the comparison as plain tables.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "as written: noise × %.4g; as recommended: × %.4g (%s)\n", c.Written.Noise, c.Recommended.Noise, orRefused(c.Recommended))
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "\nstep %d, %s: take %s: %s\n", s.Step, s.Name, s.Variants[s.Best].Name, s.Why)
		for i, v := range s.Variants {
			mark := " "
			if i == s.Best {
				mark = "*"
			}
			fmt.Fprintf(&b, " %s %-11s %-50s ", mark, v.Kind, v.Name)
			if v.Refused != "" {
				fmt.Fprintf(&b, "refused: %s\n", v.Refused)
				continue
			}
			fmt.Fprintf(&b, "τ = %-8.4g A = %-7.4g share = %-6.3g noise × %.4g\n", v.Displacement, v.Amplification, v.Share, v.Noise)
			if v.Note != "" {
				fmt.Fprintf(&b, "     %s\n", v.Note)
			}
		}
	}
	return b.String()
}

func orRefused(v Variant) string {
	if v.Refused != "" {
		return "refused: " + v.Refused
	}
	return v.Cost.Guarantee.String()
}
