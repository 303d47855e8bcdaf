package attack

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Points are values of a column where a step may change: the numbers that it is written with, and where it was seen to jump.
type Points map[string][]float64

// add puts a value on record, once.
func (p Points) add(c frames.Column, v float64) {
	if v >= c.Lo && v <= c.Hi && !slices.Contains(p[c.Name], v) && len(p[c.Name]) < mostPoints {
		p[c.Name] = append(p[c.Name], v)
	}
}

const mostPoints = 64

// hairs are distances of near ties, in parts of a column's width; 0 is one unit in the last place.
var hairs = []float64{0, 0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5}

// beside is a value so many hairs from v.
func beside(v float64, c frames.Column, times int, hair float64) float64 {
	to := c.Hi
	if times < 0 {
		to, times = c.Lo, -times
	}
	if hair > 0 {
		return held(v+math.Copysign(float64(times)*hair*(c.Hi-c.Lo), to-v), c)
	}
	for range times {
		v = math.Nextafter(v, to)
	}
	return held(v, c)
}

// isNumber says that a cell of the column is a number by itself: no code of a level, no part of a block.
func isNumber(c frames.Column) bool { return len(c.Levels) == 0 && c.Block == "" }

// near is a recorded point of a column, or a hair beside it.
func (d *drawer) near(c frames.Column) (float64, bool) {
	p := d.points[c.Name]
	if len(p) == 0 {
		return 0, false
	}
	return beside(p[d.IntN(len(p))], c, d.IntN(3)-1, hairs[d.IntN(len(hairs))]), true
}
