package models

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Interval is a confidence interval.
type Interval = coefficient.Interval

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
	Law *coefficient.Law `json:"law,omitempty"`
}

func (n *Noisy) noisy() *Noisy { return n }

// Lawful is a pointer to a model that notes the law of its noise.
type Lawful[M any] interface {
	*M
	noisy() *Noisy
}

// WithLaw notes the law of the noise in the coefficients of a model. A law that could not be stored
// would fail a release that is paid for: the model says why nothing is known in its place.
func WithLaw[M any, P Lawful[M]](m M, law *coefficient.Law) M {
	if law != nil && !storable(law) {
		law = &coefficient.Law{Law: coefficient.OfOverflow}
	}
	P(&m).noisy().Law = law
	return m
}

// storable reports a law that a stored model may have: all its numbers are finite.
func storable(law *coefficient.Law) bool {
	_, err := json.Marshal(law)
	return err == nil && law.Check(len(law.Scales)) == nil
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
func (n *Noisy) uncertainty(level float64, v vectors) (coefficient.Uncertainty, error) {
	if err := errLevel(level); err != nil {
		return coefficient.Uncertainty{}, err
	}
	u := coefficient.Uncertainty{Level: level}
	if n.Law == nil {
		u.Reason = unknownLaw
		return u, nil
	}
	var margins []float64
	if n.Law.Law != coefficient.NoNoise {
		if err := n.Law.Check(len(v.coef) * (len(v.columns) + 1)); err != nil {
			return coefficient.Uncertainty{}, fmt.Errorf("dpkit: uncertainty: %w: %w", err, ErrModelFile)
		}
		if margins, u.Reason = n.Law.Margins(level); u.Reason != "" {
			return u, nil
		}
	}
	u.Of = n.Law.Held()
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
			u.Intervals = append(u.Intervals, coefficient.Interval{Name: name, Lo: values[j] - half, Hi: values[j] + half, Of: of})
			at++
		}
	}
	return u, nil
}

// margins95 are those of the table of a model, at 0.95; none where nothing bounds them.
func margins95(u coefficient.Uncertainty, err error) []float64 {
	var out []float64
	if err == nil {
		for _, i := range u.Intervals {
			out = append(out, (i.Hi-i.Lo)/2)
		}
	}
	return out
}

// told is a model in words, with what can be read of its coefficients at 0.95 and its promise. Nothing is to be said of one without noise,
// nor of one that no release made.
func told(p origin.Provenance, words string, u coefficient.Uncertainty, err error) string {
	if err != nil || u.Of == (&coefficient.Law{Law: coefficient.NoNoise}).Held() || p == (origin.Provenance{}) && u.Reason == unknownLaw {
		return origin.Under(p, words)
	}
	if strings.HasSuffix(words, "\n") {
		return origin.Under(p, words+u.String()+"\n")
	}
	signs, of := u.Readable()
	short := fmt.Sprintf("the signs of %d of %d coefficients can be read at %g", signs, of, u.Level)
	if u.Reason != "" {
		short = "signs and sizes of coefficients cannot be read: " + u.Reason
	}
	return origin.Under(p, words+"; "+short)
}

func one(columns []string, coef []float64, intercept float64) vectors {
	return vectors{columns: columns, coef: [][]float64{coef}, intercept: []float64{intercept}}
}

// Uncertainty bounds the noise in the coefficients: see [coefficient.Uncertainty].
//
// By [LinearMixing] intervals have exactly that level, by [OutputPerturbation] all but exactly; by [AdaSSP] and [RelativeGaussianDescent]
// they have at least that. Where the release was the mean of the label, there are none.
func (m *LinearModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	n := Noisy{m.law()}
	return n.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// law is what bounds the noise; of a sketch its errors do, and nothing else is stored.
func (m *LinearModel) law() *coefficient.Law {
	if m.Law == nil && m.Freedom > 0 && len(m.Errors) == len(m.Coef) {
		return &coefficient.Law{Law: coefficient.BySketch, Scales: append(append([]float64{}, m.Errors...), m.InterceptError), Freedom: m.Freedom}
	}
	return m.Law
}

// ScaledLaw is the law of the noise in the coefficients times a public number.
func (m *LinearModel) ScaledLaw(by float64) *coefficient.Law {
	l := m.law()
	if l == nil || l.Scales == nil {
		return l
	}
	times := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for j, x := range v {
			out[j] = by * x
		}
		return out
	}
	out := *l
	out.Scales = times(l.Scales)
	if l.Moments != nil {
		m := *l.Moments
		m.Along, m.Units = times(m.Along), times(m.Units)
		out.Moments = &m
	}
	return &out
}

// Uncertainty is [LinearModel.Uncertainty] of a logistic model.
func (m *LogisticModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// Uncertainty is [LinearModel.Uncertainty] of a linear classifier.
func (m *ClassModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// Uncertainty is [LinearModel.Uncertainty] of a Poisson model.
func (m *RateModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}

// Uncertainty is [LinearModel.Uncertainty] of a classifier into several classes. An interval names the class.
func (m *MultinomialModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	return m.uncertainty(level, vectors{m.Classes, m.Columns, m.Coef, m.Intercepts})
}

// Uncertainty is [LinearModel.Uncertainty] of what FitConvex fitted. Of several scores an interval names the class.
func (m *GradientModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	v := vectors{columns: m.Columns, coef: m.Coef, intercept: m.Intercept}
	if len(m.Coef) > 1 {
		v.of = m.Classes
	}
	return m.uncertainty(level, v)
}

// Uncertainty is [LinearModel.Uncertainty] of a model of columns without bounds: of the noise alone, where Intervals are of the noise and
// the sampling of rows together, to first order.
func (m *UnboundedModel) Uncertainty(level float64) (coefficient.Uncertainty, error) {
	if m.Refused != "" {
		return coefficient.Uncertainty{Level: level, Reason: m.Refused}, errLevel(level)
	}
	return m.uncertainty(level, one(m.Columns, m.Coef, m.Intercept))
}
