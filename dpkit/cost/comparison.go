package cost

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Comparison prices a plan with each of its steps taken in every way that is known, left out, and with every mechanism that can end it,
// the others as they are written. It is made of public facts only.
type Comparison struct {
	// Of is the unit of every Error: what is off. Empty where nothing is predicted of the plan: its ways are then ranked by their noise.
	Of      string  `json:"of,omitempty"`
	Written Variant `json:"written"`
	// Steps are those that can be taken in several ways; the last may be the release, whose position is behind all steps.
	Steps []StepComparison `json:"steps"`
	// Recommended is the plan with the ways that are best together.
	Recommended Variant `json:"recommended"`
}

// StepComparison lists the ways of one step, the first as it is written.
type StepComparison struct {
	Step     int       `json:"step"` // position in the chain, from 1
	Name     string    `json:"name"`
	Variants []Variant `json:"variants"`
	Best     int       `json:"best"` // index of the way that the recommended plan takes
	Why      string    `json:"why"`
}

// Variant is one priced plan.
type Variant struct {
	Name string     `json:"name"` // the step as it is written in a chain; a name for a whole plan
	Kind stage.Kind `json:"kind,omitempty"`
	// Plan is the whole plan with this way, as a chain is written: Parse of package dpkit reads it back.
	Plan string `json:"plan,omitempty"`
	// Error is the predicted error of the plan, by the noise and on the reference population, where Predicted is set: of a model the excess
	// error, of numbers the root mean square of their errors over half of what public bounds leave open.
	Error     float64 `json:"error,omitempty"`
	Predicted bool    `json:"predicted,omitempty"`
	// Accuracy is what Error means for the accuracy of a classifier on the reference population; 0 where nothing is said.
	Accuracy float64 `json:"accuracy,omitempty"`
	// Unknown says what the plan leaves out, or moves, beside the noise: a bias that follows from no public fact and is no part of Error, so
	// that two plans of one Error are not equally good. "" where nothing is left out.
	Unknown string `json:"unknown,omitempty"`
	// Idle says that the plan is predicted to tell nothing.
	Idle bool `json:"idle,omitempty"`
	// Listed says that the way is not recommended, whatever its price: Note tells why.
	Listed bool `json:"listed,omitempty"`
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

// Predict is the predicted error in words, with the accuracy that it stands for; "" where there is none.
func (v Variant) Predict() string {
	switch {
	case v.Refused != "" || !v.Predicted:
		return ""
	case v.Accuracy > 0:
		return fmt.Sprintf("%.3g (accuracy %.3f)", v.Error, v.Accuracy)
	case v.Unknown != "":
		return fmt.Sprintf("%.3g + unknown bias", v.Error)
	default:
		return fmt.Sprintf("%.3g", v.Error)
	}
}

// Unknown says what the unknown bias of plans is, in a sentence; "" where none has any.
func (c Comparison) Unknown() string {
	var of []string
	note := func(v Variant) {
		for _, what := range strings.Split(v.Unknown, "; ") {
			if what != "" && !slices.Contains(of, what) {
				of = append(of, what)
			}
		}
	}
	note(c.Written)
	note(c.Recommended)
	for _, s := range c.Steps {
		for _, v := range s.Variants {
			note(v)
		}
	}
	if len(of) == 0 {
		return ""
	}
	return "unknown bias, of which no public fact tells how large it is: " + strings.Join(of, "; ")
}

// Floor says what to do where even the recommended plan is predicted to tell nothing, as models of few rows at a small ε; "" where it is
// not.
func (c Comparison) Floor() string {
	if !c.Recommended.Idle {
		return ""
	}
	less := "fewer numbers at once, or a Mean of the label in place of a model"
	if c.Recommended.Accuracy > 0 {
		less = "a Histogram of the label in place of the model, whose larger class is right as often"
	}
	return "even as recommended the release is predicted to tell nothing, on the reference population: raise ε, or release " + less
}

// worth is the predicted error of a plan and its noise.
func (v Variant) worth() string {
	noise := fmt.Sprintf("noise × %.4g", v.Noise)
	if p := v.Predict(); p != "" {
		return "predicted error " + p + ", " + noise
	}
	return noise
}

// String renders the comparison as plain tables.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "as written: %s; as recommended: %s (%s)\n", c.Written.worth(), c.Recommended.worth(), orRefused(c.Recommended))
	if c.Recommended.Plan != c.Written.Plan {
		fmt.Fprintf(&b, "recommended: %s\n", c.Recommended.Plan)
	}
	if c.Of != "" {
		fmt.Fprintf(&b, "predicted error: %s\n", c.Of)
	} else {
		b.WriteString("nothing is predicted of this release: ways are ranked by their noise\n")
	}
	if unknown := c.Unknown(); unknown != "" {
		b.WriteString(unknown + "\n")
	}
	if floor := c.Floor(); floor != "" {
		b.WriteString(floor + "\n")
	}
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "\nstep %d, %s: take %s: %s\n", s.Step, s.Name, s.Variants[s.Best].Name, s.Why)
		for _, i := range s.Ranked() {
			v, mark := s.Variants[i], " "
			if i == s.Best {
				mark = "*"
			}
			fmt.Fprintf(&b, " %s %-11s %-50s ", mark, v.Kind, v.Name)
			if v.Refused != "" {
				fmt.Fprintf(&b, "refused: %s\n", v.Refused)
				continue
			}
			if p := v.Predict(); p != "" {
				fmt.Fprintf(&b, "error %-8s ", p)
			}
			fmt.Fprintf(&b, "τ = %-8.4g A = %-7.4g share = %-6.3g noise × %.4g\n", v.Displacement, v.Amplification, v.Share, v.Noise)
			if v.Note != "" {
				fmt.Fprintf(&b, "     %s\n", v.Note)
			}
		}
	}
	return b.String()
}

// Ranked are the places of the ways in the order of what they are worth: the recommended one, then by predicted error and noise, those
// that are listed only behind, and those that have no price last.
func (s StepComparison) Ranked() []int {
	at := make([]int, len(s.Variants))
	for i := range at {
		at[i] = i
	}
	class := func(i int) int {
		v := s.Variants[i]
		switch {
		case i == s.Best:
			return 0
		case v.Refused != "":
			return 3
		case v.Listed:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(at, func(a, b int) int {
		v, w := s.Variants[a], s.Variants[b]
		return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(v.Error, w.Error), cmp.Compare(v.Noise, w.Noise))
	})
	return at
}

func orRefused(v Variant) string {
	if v.Refused != "" {
		return "refused: " + v.Refused
	}
	return v.Cost.Guarantee.String()
}
