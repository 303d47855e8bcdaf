package viz

import (
	"image/color"
	"math"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

// shape is the shape of a marker.
type shape int

const (
	circle shape = iota
	square
	triangle
	diamond
	wedge // a triangle on its tip
	shapes
)

// polyline strokes a line through points, y growing downward.
func (p *pen) polyline(c color.Color, w vg.Length, dashes []vg.Length, points []vg.Point) {
	if p.c == nil || len(points) < 2 {
		return
	}
	p.c.SetColor(c)
	p.c.SetLineWidth(w)
	p.c.SetLineDash(dashes, 0)
	p.c.Stroke(p.path(points))
	p.c.SetLineDash(nil, 0)
}

// area fills a polygon.
func (p *pen) area(c color.Color, points []vg.Point) {
	if p.c == nil || len(points) < 3 {
		return
	}
	p.c.SetColor(c)
	path := p.path(points)
	path.Close()
	p.c.Fill(path)
}

func (p *pen) path(points []vg.Point) vg.Path {
	var path vg.Path
	for i, q := range points {
		q.Y = p.height - q.Y
		if i == 0 {
			path.Move(q)
		} else {
			path.Line(q)
		}
	}
	return path
}

// marker puts the look's marker at a point, with a thin white edge.
func (p *pen) marker(l look, at vg.Point) {
	const r = 4.2 * px
	p.area(theme.RGB(0xFFFFFF), outlineOf(l.shape, at, r+1.2*px))
	p.area(theme.RGB(l.colour), outlineOf(l.shape, at, r))
}

// outlineOf is the polygon of a marker whose area is about that of a circle of radius r.
func outlineOf(s shape, at vg.Point, r vg.Length) []vg.Point {
	corners, turn, grow := 24, 0.0, 1.0
	switch s {
	case square:
		corners, turn, grow = 4, math.Pi/4, 1.22
	case triangle:
		corners, turn, grow = 3, -math.Pi/2, 1.4
	case diamond:
		corners, turn, grow = 4, 0, 1.3
	case wedge:
		corners, turn, grow = 3, math.Pi/2, 1.4
	}
	out := make([]vg.Point, corners)
	for i := range out {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		out[i] = vg.Point{X: at.X + r*vg.Length(grow*cos), Y: at.Y + r*vg.Length(grow*sin)}
	}
	return out
}
