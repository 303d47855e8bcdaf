package models

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

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
		if i.Name == interceptName {
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

// errLevel reports a level that no interval has.
func errLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("dpkit: uncertainty: level: got %g, want a number in (0, 1): %w", level, kind.ErrParameter)
	}
	return nil
}

// Noisy is the part of a model that says how far the noise may have moved its coefficients.
type Noisy struct {
	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
	Law *NoiseLaw `json:"law,omitempty"`
}

func (n *Noisy) noisy() *Noisy { return n }

// Lawful is a pointer to a model that notes the law of its noise.
type Lawful[M any] interface {
	*M
	noisy() *Noisy
}

// WithLaw notes the law of the noise in the coefficients of a model.
func WithLaw[M any, P Lawful[M]](m M, law *NoiseLaw) M {
	P(&m).noisy().Law = law
	return m
}

// unknownLaw is why nothing is said of a model that has no law.
const unknownLaw = "the model does not say how noise reached them, as one that an earlier version released; release it Fresh, which is paid for"

// vectors are coefficients with their names, one vector for each score.
type vectors struct {
	of        []string // of each vector; nil for one
	columns   []string
	coef      [][]float64
	intercept []float64
}

// uncertainty makes the intervals of vectors of coefficients.
func (n *Noisy) uncertainty(level float64, v vectors) (Uncertainty, error) {
	if err := errLevel(level); err != nil {
		return Uncertainty{}, err
	}
	u := Uncertainty{Level: level}
	if n.Law == nil {
		u.Reason = unknownLaw
		return u, nil
	}
	var margins []float64
	if n.Law.Law != LawExact {
		if err := n.Law.check(len(v.coef) * (len(v.columns) + 1)); err != nil {
			return Uncertainty{}, fmt.Errorf("dpkit: uncertainty: %w: %w", err, ErrModelFile)
		}
		if margins, u.Reason = n.Law.margins(level); u.Reason != "" {
			return u, nil
		}
	}
	u.Of = heldBy[n.Law.Law]
	at := 0
	for k, coef := range v.coef {
		names, values := coefficients(v.columns, coef, v.intercept[k])
		of := ""
		if len(v.of) > 0 {
			of = v.of[k]
		}
		for j, name := range names {
			half := 0.0
			if margins != nil {
				half = math.Nextafter(margins[at], math.Inf(1))
				if margins[at] == 0 {
					half = 0
				}
			}
			u.Intervals = append(u.Intervals, Interval{Name: name, Lo: values[j] - half, Hi: values[j] + half, Of: of})
			at++
		}
	}
	return u, nil
}

// margins95 are those of the table of a model, at 0.95; none where nothing bounds them.
func margins95(u Uncertainty, err error) []float64 {
	var out []float64
	if err == nil {
		for _, i := range u.Intervals {
			out = append(out, (i.Hi-i.Lo)/2)
		}
	}
	return out
}

// told is a model in words, with what can be read of its coefficients at 0.95 and its promise.
func told(p origin.Provenance, words string, u Uncertainty, err error) string {
	if err != nil || p == (origin.Provenance{}) && u.Reason == unknownLaw {
		return origin.Under(p, words)
	}
	return origin.Under(p, strings.TrimRight(words, "\n")+"\n"+u.String())
}

func one(columns []string, coef []float64, intercept float64) vectors {
	return vectors{columns: columns, coef: [][]float64{coef}, intercept: []float64{intercept}}
}

// Uncertainty bounds the noise in the coefficients: see [Uncertainty].
//
// By [LinearMixing] intervals have exactly that level, by [OutputPerturbation] all but exactly; by [AdaSSP] and [RelativeGaussianDescent]
// they have at least that. Where the release was the mean of the label, there are none.
func (m *LinearModel) Uncertainty(level float64) (Uncertainty, error) {
	n := Noisy{m.law()}
	return n.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// law is what bounds the noise; of a sketch its errors do, and nothing else is stored.
func (m *LinearModel) law() *NoiseLaw {
	if m.Law == nil && m.Freedom > 0 && len(m.Errors) == len(m.Coef) {
		return &NoiseLaw{Law: LawSketch, Scales: append(append([]float64{}, m.Errors...), m.InterceptError), Freedom: m.Freedom}
	}
	return m.Law
}

// ScaledLaw is the law of the noise in the coefficients times a public number.
func (m *LinearModel) ScaledLaw(by float64) *NoiseLaw {
	l := m.law()
	if l == nil || l.Scales == nil {
		return l
	}
	out := *l
	out.Scales = make([]float64, len(l.Scales))
	for j, s := range l.Scales {
		out.Scales[j] = by * s
	}
	return &out
}

// Uncertainty is [LinearModel.Uncertainty] of a logistic model.
func (m *LogisticModel) Uncertainty(level float64) (Uncertainty, error) {
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// Uncertainty is [LinearModel.Uncertainty] of a linear classifier.
func (m *ClassModel) Uncertainty(level float64) (Uncertainty, error) {
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// Uncertainty is [LinearModel.Uncertainty] of a Poisson model.
func (m *RateModel) Uncertainty(level float64) (Uncertainty, error) {
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// Uncertainty is [LinearModel.Uncertainty] of a classifier into several classes. An interval names the class.
func (m *MultinomialModel) Uncertainty(level float64) (Uncertainty, error) {
	return m.uncertainty(level, vectors{m.Classes, m.Columns, m.Coef, m.Intercepts})
}

// Uncertainty is [LinearModel.Uncertainty] of what FitConvex fitted. Of several scores an interval names the class.
func (m *GradientModel) Uncertainty(level float64) (Uncertainty, error) {
	v := vectors{columns: m.Columns, coef: m.Coef, intercept: m.Intercept}
	if len(m.Coef) > 1 {
		v.of = m.Classes
	}
	return m.uncertainty(level, v)
}

// Uncertainty is [LinearModel.Uncertainty] of a model of columns without bounds: of the noise alone, where Intervals are of the noise and
// the sampling of rows together, to first order.
func (m *UnboundedModel) Uncertainty(level float64) (Uncertainty, error) {
	if m.Refused != "" {
		return Uncertainty{Level: level, Reason: m.Refused}, errLevel(level)
	}
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}
