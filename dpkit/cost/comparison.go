package cost

import (
	"fmt"
	"math"
	"reflect"
	"strings"

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
	Cost  Plan    `json:"cost"`
	Note  string  `json:"note,omitempty"`
	// Refused says why the chain has no price with this way; the numbers are 0 then.
	Refused string `json:"refused,omitempty"`
}

// Priced is what has a price: a plan of package dpkit, of any value.
type Priced interface{ Cost() (Plan, error) }

// Of prices one plan for a comparison table.
func Of(name string, plan Priced) Variant {
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
