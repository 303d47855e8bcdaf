package cost

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
)

// Prediction is how far off a release will be by its noise: public facts alone, before anything is spent.
type Prediction struct {
	// Of says what is off, and in which units.
	Of string `json:"of"`
	// Names are those of the numbers that are released, empty where one number speaks of all of it.
	Names []string `json:"names,omitempty"`
	// Margin is the half-width of the interval of each: the noise is within it with probability Level. Without a level it is what is
	// expected, of a reference population where Of says so.
	Margin []float64 `json:"margin"`
	Level  float64   `json:"level,omitempty"`
	// Idle are the places of the numbers whose noise is as large as the range that they are in by what is public, or of a model that is as
	// far off as one that says nothing: they would tell nothing.
	Idle []int `json:"idle,omitempty"`
	// Unknown says what the chain leaves out, or moves, beside the noise: how far that moves a number follows from no public fact, and no
	// margin has it. "" where nothing is left out.
	Unknown string `json:"unknown,omitempty"`
	// Members are the predictions of plans that are released together, in order, in place of numbers.
	Members []Prediction `json:"members,omitempty"`
	// Classes is what is expected of a classifier, whose Margin is the accuracy that the noise takes; nil of others.
	Classes *Classes `json:"classes,omitempty"`
}

// Classes are shares of rows of a reference population whose class is predicted, and a loss.
type Classes struct {
	Accuracy float64 `json:"accuracy"` // of the model
	Exact    float64 `json:"exact"`    // of the fit without noise
	Majority float64 `json:"majority"` // of a model that says nothing
	Excess   float64 `json:"excess"`   // of the model's mean log loss over that of the fit without noise; 0 of models without one
	// Least and Most bound the accuracy that the noise takes beside the fit without it, on the part Level of a family of populations unlike
	// one another: public facts do not say which of them the rows are like. All are 0 where no level was asked for, as in a cost.
	Least float64 `json:"least,omitempty"`
	Most  float64 `json:"most,omitempty"`
	Level float64 `json:"level,omitempty"`
}

// String compares the three.
func (c Classes) String() string {
	s := fmt.Sprintf("accuracy %.3f, without noise %.3f, of a model that says nothing %.3f", c.Accuracy, c.Exact, c.Majority)
	if c.Excess > 0 {
		s += fmt.Sprintf("; excess log loss %.3g", c.Excess)
	}
	if c.Level > 0 {
		s += fmt.Sprintf("; on %g of a family of populations the noise takes %.3f to %.3f", c.Level, c.Least, c.Most)
	}
	return s
}

// Line is what is expected of a model, in one line.
func (p Prediction) Line() string {
	if p.Classes != nil {
		return fmt.Sprintf("%v (on a reference population; Plan.Error has the range on others)", *p.Classes)
	}
	if len(p.Margin) == 0 {
		return p.Of
	}
	return fmt.Sprintf("%.3g %s", p.Margin[0], p.Of)
}

// String is a line for each number.
func (p Prediction) String() string {
	var b strings.Builder
	if len(p.Members) > 0 {
		for _, m := range p.Members {
			b.WriteString(m.String())
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s", p.Of)
	if p.Level > 0 {
		fmt.Fprintf(&b, ", with probability %g", p.Level)
	}
	b.WriteString("\n")
	idle := map[int]bool{}
	for _, i := range p.Idle {
		idle[i] = true
	}
	for i, m := range p.Margin {
		name := "all"
		if i < len(p.Names) {
			name = p.Names[i]
		}
		fmt.Fprintf(&b, "   %s: ± %s", name, accountant.FormatUp(m))
		if idle[i] {
			b.WriteString(", as much as can be: it would tell nothing")
		}
		b.WriteString("\n")
	}
	if p.Classes != nil {
		fmt.Fprintf(&b, "   %v\n", *p.Classes)
	}
	if p.Unknown != "" {
		fmt.Fprintf(&b, "   not in these margins, and unknown: %s\n", p.Unknown)
	}
	return b.String()
}
