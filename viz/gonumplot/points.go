package gonumplot

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit"
)

// level is the probability with which the error bar of a released value holds the exact one.
const level = 0.95

// Points are released values as gonum/plot draws them: a plotter.XYer, a plotter.YErrorer, a plotter.Valuer and a
// plotter.XYLabeller. They carry the provenance of the release; give them to [New] or [Note], so that the picture tells.
type Points struct {
	Names []string  // of the values; with plot.NominalX on the axis
	X, Y  []float64 // places, from 0 with steps of 1 unless the caller sets others, and values
	// Low and High are how far the error bar goes below and above each value; 0 for none.
	Low, High []float64
	dpkit.Provenance
}

// Released are the points of released counts, sums, means or a histogram at x = 0, 1, 2, …, with error bars that hold the exact
// statistics of the data with probability 0.95 each. They account for the noise of privacy alone, not for sampling. Estimates
// without noise, of public data, have none.
func Released(e dpkit.Estimates) Points {
	p := Points{Names: e.Names, Provenance: e.Provenance}
	margin, err := e.Margin(level)
	for i, v := range e.Values {
		m := 0.0
		if err == nil && i < len(margin) {
			m = margin[i]
		}
		low, high := m, m
		if e.Most > 0 { // a count that is clamped, and so is its interval
			low, high = max(0, min(m, v)), max(0, min(m, e.Most-v))
		}
		p.X, p.Y = append(p.X, float64(i)), append(p.Y, v)
		p.Low, p.High = append(p.Low, low), append(p.High, high)
	}
	return p
}

// Len is the number of points.
func (p Points) Len() int { return min(len(p.X), len(p.Y)) }

// XY is the place of point i, from 0.
func (p Points) XY(i int) (x, y float64) { return p.X[i], p.Y[i] }

// YError is how far the error bar of point i goes below the value, as gonum/plot has it a negative number, and above.
func (p Points) YError(i int) (low, high float64) { return -at(p.Low, i), at(p.High, i) }

// Value is the value of point i: gonum/plot draws bars and histograms of them.
func (p Points) Value(i int) float64 { return p.Y[i] }

// Label is the name of point i, "" where it has none.
func (p Points) Label(i int) string {
	if i < len(p.Names) {
		return printable(p.Names[i])
	}
	return ""
}

// at is v[i], 0 where there is none or it cannot be drawn.
func at(v []float64, i int) float64 {
	if i >= len(v) || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
		return 0
	}
	return v[i]
}
