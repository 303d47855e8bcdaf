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
	// Members are the predictions of plans that are released together, in order, in place of numbers.
	Members []Prediction `json:"members,omitempty"`
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
	return b.String()
}
