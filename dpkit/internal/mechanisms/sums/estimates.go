package sums

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// Estimates are released numbers with privacy noise of known size: unbiased, except for counts, which are clamped to what is public, from 0
// to the number of rows, and for the means of a private number of rows.
type Estimates struct {
	Of     string    `json:"of"` // what the numbers are, for instance "mean"
	Names  []string  `json:"names"`
	Values []float64 `json:"values"`
	// Sigma is the standard deviation of the noise in each value. It is public.
	Sigma []float64 `json:"sigma"`
	// Noise is its law; "" is NoiseGaussian.
	Noise query.Noise `json:"noise,omitempty"`
	// Rows is the released number of rows behind means where a step may have removed some, and
	// RowsSigma the standard deviation of its noise; both are 0 where the number is public.
	Rows      float64 `json:"rows,omitempty"`
	RowsSigma float64 `json:"rows_sigma,omitempty"`
	// Most is the public number of rows that counts are clamped to, from 0; 0: the values are as they were drawn.
	Most float64 `json:"most,omitempty"`
	origin.Provenance
}

// add appends a number and the standard deviation of its noise.
func (e *Estimates) add(name string, value, sigma float64) {
	e.Names, e.Values, e.Sigma = append(e.Names, name), append(e.Values, value), append(e.Sigma, sigma)
}

// Value returns the estimate of that name.
func (e Estimates) Value(name string) (float64, bool) {
	for i, n := range e.Names {
		if n == name {
			return e.Values[i], true
		}
	}
	return 0, false
}

// Margin returns the half-widths of intervals that hold the exact statistics of the data, each
// with the given probability, 0 < level < 1. They account for the privacy noise alone, not for
// sampling.
func (e Estimates) Margin(level float64) ([]float64, error) {
	if !(level > 0) || !(level < 1) {
		return nil, fmt.Errorf("dpkit: margin: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	return mechanism.Prediction{Law: lawOf(e.Noise), Size: e.Sigma}.Margin(level), nil
}

// Interval returns the ends of such intervals: each value with its margin on both sides, and of clamped counts what of that is possible,
// from 0 to the number of rows.
func (e Estimates) Interval(level float64) (low, high []float64, err error) {
	margin, err := e.Margin(level)
	if err != nil {
		return nil, nil, err
	}
	low, high = make([]float64, len(e.Values)), make([]float64, len(e.Values))
	for i, v := range e.Values {
		m := 0.0
		if i < len(margin) {
			m = margin[i]
		}
		low[i], high[i] = v-m, v+m
		if e.Most > 0 { // the exact count is within, and clamping moves a value towards it
			low[i], high[i] = max(low[i], 0), min(high[i], e.Most)
		}
	}
	return low, high, nil
}

// String renders the estimates as a plain table with 95 % margins.
func (e Estimates) String() string {
	margin, err := e.Margin(0.95)
	if err != nil {
		return err.Error()
	}
	width := 0
	for _, n := range e.Names {
		width = max(width, len([]rune(n)))
	}
	var b strings.Builder
	for i, n := range e.Names {
		fmt.Fprintf(&b, "%s %s%s  %.6g ± %s\n", e.Of, n, strings.Repeat(" ", width-len([]rune(n))), e.Values[i], marginOf(e.Values[i], margin[i]))
	}
	if e.RowsSigma > 0 {
		fmt.Fprintf(&b, "rows  %.6g ± %s\n", e.Rows, marginOf(e.Rows, margin[0]/e.Sigma[0]*e.RowsSigma))
	}
	return origin.Under(e.Provenance, b.String())
}

// marginOf prints the margin of a number that is printed with six digits. It is rounded up, so that the interval around the printed number
// holds all of that around v.
func marginOf(v, margin float64) string {
	if !(margin > 0) {
		return fmt.Sprintf("%g", margin)
	}
	return UpTo(margin + Printed(v))
}
