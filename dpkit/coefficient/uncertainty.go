package coefficient

import (
	"fmt"
)

// Intercept is the name of the constant among coefficients.
const Intercept = "(intercept)"

// Uncertainty says how far the noise may have moved the coefficients of a model, or that their signs and sizes cannot be read, and why.
// It follows from what was released: to look costs nothing.
//
// An interval is not one of sampling: it says nothing of how far these rows are from a population. Each interval holds by itself. For n
// of them to hold together ask for the level 1 − (1 − level)/n.
type Uncertainty struct {
	Level float64 `json:"level"` // of each interval
	// Of is what an interval holds, with a probability of at least Level over the noise; "" where there are none.
	Of string `json:"of,omitempty"`
	// Intervals are of each coefficient, then of the intercept, "(intercept)"; of several scores one after another. None where Reason
	// says why.
	Intervals []Interval `json:"intervals,omitempty"`
	// Reason is why signs and sizes cannot be read; "" where there are intervals.
	Reason string `json:"reason,omitempty"`
}

// Interval is a confidence interval.
type Interval struct {
	Name string  `json:"name"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
	Of   string  `json:"of,omitempty"` // the class whose score it is in, of a model with several
}

// Sign is that of all numbers in the interval: 1 or −1, and 0 where it cannot be read.
func (i Interval) Sign() int {
	switch {
	case i.Lo > 0:
		return 1
	case i.Hi < 0:
		return -1
	}
	return 0
}

// Readable is how many coefficients have a sign that the noise leaves, without intercepts, and of how many.
func (u Uncertainty) Readable() (signs, of int) {
	for _, i := range u.Intervals {
		if i.Name == Intercept {
			continue
		}
		if of++; i.Sign() != 0 {
			signs++
		}
	}
	return signs, of
}

// String says in one line what can be read.
func (u Uncertainty) String() string {
	if u.Reason != "" {
		return "Signs and sizes of the coefficients cannot be read: " + u.Reason + "."
	}
	signs, of := u.Readable()
	line := fmt.Sprintf("The sign of %d of %d coefficients can be read. With a probability of at least %g an interval holds %s", signs, of, u.Level, u.Of)
	if signs == 0 {
		line = fmt.Sprintf("No sign of a coefficient can be read, as all intervals hold 0. With a probability of at least %g an interval holds %s", u.Level, u.Of)
	}
	return line + ". Each interval holds by itself. That rows are a sample is not in it."
}
