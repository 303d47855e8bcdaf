package viz

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

// Style says how a series is drawn.
type Style int

// The styles of a series.
const (
	LineStyle      Style = iota // a line; with markers where it has at most 16 points
	PointStyle                  // markers alone, with intervals where the series has a band
	StepStyle                   // a line that keeps each value until the next one
	ReferenceStyle              // a thin grey line, to compare with
)

// Series is a named set of points, in the order in which they are joined.
type Series struct {
	Name   string
	X, Y   []float64
	Lo, Hi []float64 // a band around the line, or intervals of the points; nil for none
	Style  Style

	gaps  bool // points without a place are meant, and need no note
	plain bool // no markers, however few the points
}

// wrong says what of a series does not fit together; "" for nothing.
func (s Series) wrong() string {
	switch {
	case len(s.X) != len(s.Y):
		return fmt.Sprintf("the series %q is not drawn: got %d x and %d y values, want as many of each", clean(s.Name), len(s.X), len(s.Y))
	case s.Lo == nil && s.Hi == nil:
		return ""
	case len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X):
		return fmt.Sprintf("the series %q is not drawn: got a band of %d lower and %d upper values around %d points", clean(s.Name), len(s.Lo), len(s.Hi), len(s.X))
	}
	return ""
}

func (s Series) clone() Series {
	s.Name = clean(s.Name)
	s.X, s.Y, s.Lo, s.Hi = slices.Clone(s.X), slices.Clone(s.Y), slices.Clone(s.Lo), slices.Clone(s.Hi)
	return s
}

// look is how a series or a set is told from the others: by colour, by dashes and by the shape of
// its markers, so that no meaning rests on colour alone.
type look struct {
	colour uint32
	dashes []vg.Length
	shape  shape
	width  vg.Length
	box    bool // in the legend: a filled box
	solid  bool // and that an opaque one
}

var lookColours = append(theme.Series(), theme.Ink)

var lookDashes = [][]vg.Length{nil, {7 * px, 3 * px}, {2 * px, 2.5 * px}, {9 * px, 3 * px, 2 * px, 3 * px}}

// lookOf is the look of the i-th series.
func lookOf(i int) look {
	n := len(lookColours)
	return look{colour: lookColours[i%n], dashes: lookDashes[(i+i/n)%len(lookDashes)], shape: shape(i % int(shapes)), width: 2 * px}
}

func referenceLook() look {
	return look{colour: theme.Faint, dashes: []vg.Length{4 * px, 4 * px}, width: 1.25 * px}
}

// faded is a colour of the given opacity.
func faded(c uint32, opacity float64) color.Color {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: uint8(255 * opacity)}
}

// key is an entry of a legend.
type key struct {
	name   string
	look   look
	line   bool
	marker bool
}

// markers is the number of points up to which a line has them marked.
const markers = 16

// seriesLayer draws a series.
type seriesLayer struct {
	Series
	look look
}

func (l seriesLayer) key() key {
	return key{name: l.Name, look: l.look, line: l.Style != PointStyle, marker: l.marked()}
}

func (l seriesLayer) marked() bool {
	return l.Style == PointStyle || l.Style == LineStyle && len(l.X) <= markers && !l.plain
}

// lost counts the points that have no place.
func (l seriesLayer) lost(x, y scale) int {
	n := 0
	for i := range l.X {
		_, okX := x.at(l.X[i])
		_, okY := y.at(l.Y[i])
		if !okX || !okY {
			n++
		}
	}
	return n
}

func (l seriesLayer) under(p *pen, a area) {
	if l.Style != PointStyle {
		l.band(p, a)
	}
}

func (l seriesLayer) draw(p *pen, a area) {
	if l.Style == PointStyle {
		l.intervals(p, a)
	} else {
		for _, run := range l.runs(a, l.Y) {
			if l.Style == StepStyle {
				run = stairs(run)
			}
			for _, piece := range clipLine(run) {
				p.polyline(theme.RGB(l.look.colour), l.look.width, l.look.dashes, a.points(piece))
			}
		}
	}
	if !l.marked() {
		return
	}
	for i := range l.X {
		u, okX := a.x.at(l.X[i])
		v, okY := a.y.at(l.Y[i])
		if okX && okY && u >= 0 && u <= 1 && v >= 0 && v <= 1 {
			p.marker(l.look, a.point(pair{u, v}))
		}
	}
}

// runs are the stretches of points that have a place.
func (l seriesLayer) runs(a area, y []float64) [][]pair {
	var runs [][]pair
	var run []pair
	for i := range l.X {
		u, okX := a.x.at(l.X[i])
		v, okY := a.y.at(y[i])
		if okX && okY {
			run = append(run, pair{u, v})
			continue
		}
		runs, run = append(runs, run), nil
	}
	return append(runs, run)
}

func stairs(run []pair) []pair {
	var out []pair
	for i, q := range run {
		if i > 0 {
			out = append(out, pair{q.x, run[i-1].y})
		}
		out = append(out, q)
	}
	return out
}

// band fills between Lo and Hi. An end without a place (0 on a logarithmic axis, say) lies at the edge.
func (l seriesLayer) band(p *pen, a area) {
	if l.Lo == nil {
		return
	}
	var lower, upper []pair
	flush := func() {
		if len(lower) > 1 {
			if l.Style == StepStyle {
				lower, upper = stairs(lower), stairs(upper)
			}
			slices.Reverse(lower)
			p.area(faded(l.look.colour, 0.2), a.points(clipArea(append(upper, lower...))))
		}
		lower, upper = nil, nil
	}
	for i := range l.X {
		u, ok := a.x.at(l.X[i])
		lo, hi, between := l.ends(a, i)
		if !ok || !between {
			flush()
			continue
		}
		lower, upper = append(lower, pair{u, lo}), append(upper, pair{u, hi})
	}
	flush()
}

// ends are the places of the i-th interval's ends.
func (l seriesLayer) ends(a area, i int) (lo, hi float64, ok bool) {
	if !(l.Lo[i] <= l.Hi[i]) {
		return 0, 0, false
	}
	lo, okLo := a.y.at(l.Lo[i])
	hi, okHi := a.y.at(l.Hi[i])
	if !okLo {
		lo = -1
	}
	if !okHi {
		if a.y.log && !(l.Hi[i] > 0) {
			return 0, 0, false
		}
		hi = 2
	}
	return lo, hi, true
}

func (l seriesLayer) intervals(p *pen, a area) {
	if l.Lo == nil {
		return
	}
	for i := range l.X {
		u, ok := a.x.at(l.X[i])
		lo, hi, between := l.ends(a, i)
		if !ok || !between {
			continue
		}
		if from, to, in := clipSegment(pair{u, lo}, pair{u, hi}); in {
			s, e := a.point(from), a.point(to)
			p.line(l.look.colour, 1.5*px, s.X, s.Y, e.X, e.Y)
			for _, end := range []struct {
				at vg.Point
				in bool
			}{{s, lo >= 0}, {e, hi <= 1}} {
				if end.in {
					p.line(l.look.colour, 1.5*px, end.at.X-4*px, end.at.Y, end.at.X+4*px, end.at.Y)
				}
			}
		}
	}
}

// places are points along the line and its intervals.
func (l seriesLayer) places(a area) []pair {
	var out []pair
	for _, run := range l.runs(a, l.Y) {
		out = append(out, run...)
		for i := 1; i < len(run) && l.Style != PointStyle && len(run) < 100; i++ {
			for k := 1.0; k < 24; k++ {
				out = append(out, pair{run[i-1].x + k/24*(run[i].x-run[i-1].x), run[i-1].y + k/24*(run[i].y-run[i-1].y)})
			}
		}
	}
	return out
}
