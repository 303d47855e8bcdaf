package viz

import (
	"fmt"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// axesPanel is a panel with two axes and what is drawn between them.
type axesPanel struct {
	title        string
	xAxis, yAxis Axis
	x, y         scale
	legend       []key
	layers       []layer
	rules        []Rule
	notes        []string // below the axes
	text         []block  // what stands for it
}

// layer is one thing between the axes.
type layer interface {
	under(p *pen, a area) // first, below all others
	draw(p *pen, a area)
	places(a area) []pair // along what it draws, about evenly
}

// Rule is a line across the plot that marks a value of an axis.
type Rule struct {
	Name     string
	At       float64
	Vertical bool // at a value of the x axis
}

// area is the place between the axes, y growing downward.
type area struct {
	left, right, top, bottom vg.Length
	x, y                     scale
}

func (a area) point(q pair) vg.Point {
	return vg.Point{X: a.left + vg.Length(q.x)*(a.right-a.left), Y: a.bottom - vg.Length(q.y)*(a.bottom-a.top)}
}

func (a area) points(list []pair) []vg.Point {
	out := make([]vg.Point, len(list))
	for i, q := range list {
		out[i] = a.point(q)
	}
	return out
}

func (axesPanel) wide() bool { return false }

func (b axesPanel) words() []block { return b.text }

// above draws what stands over the axes, and returns where it ends.
func (b axesPanel) above(p *pen, x, y, w vg.Length) vg.Length {
	bold, small := p.face(textSize, true), p.face(smallSize, false)
	if b.title != "" {
		for _, l := range fold(bold, b.title, w) {
			y += textSize
			p.write(bold, theme.Ink, x, y, fromLeft, l)
			y += 5 * px
		}
		y += 2 * px
	}
	y = drawLegend(p, b.legend, x, y, w)
	for _, l := range fold(small, b.yAxis.label(), w) {
		if l != "" {
			y += smallSize
			p.write(small, theme.Quiet, x, y, fromLeft, l)
			y += 3 * px
		}
	}
	return y + 7*px
}

func (b axesPanel) head(p *pen, w vg.Length) vg.Length {
	measure := *p
	measure.c = nil
	return b.above(&measure, 0, 0, w)
}

func (b axesPanel) draw(p *pen, x, y, w, head vg.Length) vg.Length {
	small := p.face(smallSize, false)
	b.above(p, x, y+head-b.head(p, w), w)
	marksX, marksY := b.x.ticks(), b.y.ticks()
	gutter := vg.Length(0)
	for _, t := range marksY {
		gutter = max(gutter, tickWidth(p, small, t))
	}
	a := area{left: x + gutter + 9*px, right: x + w - 10*px, top: y + head, x: b.x, y: b.y}
	a.bottom = a.top + heightOf(w)

	for _, t := range marksY {
		if v, ok := a.y.at(t.value); ok {
			at := a.point(pair{0, v}).Y
			if t.minor {
				p.line(theme.Hairline, 0.75*px, a.left-3*px, at, a.left, at)
				continue
			}
			p.line(theme.Hairline, 0.75*px, a.left, at, a.right, at)
			writeTick(p, small, t, a.left-6*px, at+smallSize*0.36, fromRight)
		}
	}
	free := a.left - smallSize // no label is written before
	for _, t := range marksX {
		u, ok := a.x.at(t.value)
		if !ok {
			continue
		}
		at, half := a.point(pair{u, 0}).X, tickWidth(p, small, t)/2
		if t.minor {
			p.line(theme.Hairline, 0.75*px, at, a.bottom, at, a.bottom+3*px)
			continue
		}
		p.line(theme.Hairline, 0.75*px, at, a.top, at, a.bottom+3*px)
		if at-half >= free {
			writeTick(p, small, t, at, a.bottom+6*px+smallSize, centred)
			free = at + half + 6*px
		}
	}
	for _, l := range b.layers {
		l.under(p, a)
	}
	for _, r := range b.rules {
		r.line(p, a)
	}
	var crowd []vg.Point
	for _, l := range b.layers {
		l.draw(p, a)
		crowd = append(crowd, a.points(l.places(a))...)
	}
	p.line(theme.Faint, px, a.left, a.bottom, a.right, a.bottom)
	p.line(theme.Faint, px, a.left, a.top, a.left, a.bottom)
	for _, r := range b.rules {
		r.name(p, small, a, crowd)
	}
	bottom := a.bottom + 6*px + smallSize + 4*px
	for _, l := range fold(small, b.xAxis.label(), w) {
		bottom += smallSize
		p.write(small, theme.Quiet, a.right, bottom, fromRight, l)
		bottom += 3 * px
	}
	for _, n := range b.notes {
		for _, l := range fold(small, n, w) {
			bottom += smallSize + px
			p.write(small, theme.Quiet, x, bottom, fromLeft, l)
			bottom += 3 * px
		}
	}
	return bottom
}

// heightOf is the height of the axes of a panel that is w wide.
func heightOf(w vg.Length) vg.Length { return min(0.56*w, 340*px) }

// line draws the rule's line.
func (r Rule) line(p *pen, a area) {
	if line, ok := r.points(a); ok {
		l := referenceLook()
		p.polyline(theme.RGB(theme.Ink), l.width, l.dashes, a.points(line))
	}
}

func (r Rule) points(a area) ([]pair, bool) {
	s := a.y
	if r.Vertical {
		s = a.x
	}
	u, ok := s.at(r.At)
	if !ok || u < 0 || u > 1 {
		return nil, false
	}
	if r.Vertical {
		return []pair{{u, 0}, {u, 1}}, true
	}
	return []pair{{0, u}, {1, u}}, true
}

// name writes the rule's name at the end of its line that is the least crowded.
func (r Rule) name(p *pen, small font.Face, a area, crowd []vg.Point) {
	line, ok := r.points(a)
	if !ok || r.Name == "" {
		return
	}
	name := fit(small, clean(r.Name), (a.right-a.left)/2)
	w, least := small.Width(name), -1
	var best vg.Point
	for _, end := range []pair{line[1], line[0]} {
		at := a.point(end)
		for _, q := range []vg.Point{{X: at.X - 4*px - w, Y: at.Y - 4*px}, {X: at.X + 5*px, Y: at.Y - 4*px}, {X: at.X - 4*px - w, Y: at.Y + smallSize + 3*px}, {X: at.X + 5*px, Y: at.Y + smallSize + 3*px}} {
			if q.X < a.left || q.X+w > a.right || q.Y-smallSize < a.top || q.Y > a.bottom {
				continue
			}
			n := 0
			for _, c := range crowd {
				if c.X > q.X-6*px && c.X < q.X+w+6*px && c.Y > q.Y-smallSize-5*px && c.Y < q.Y+7*px {
					n++
				}
			}
			if least < 0 || n < least {
				best, least = q, n
			}
		}
	}
	if least >= 0 {
		p.label(small, best.X, best.Y, name)
	}
}

// label writes over what is drawn already.
func (p *pen) label(f font.Face, x, y vg.Length, s string) {
	p.box(span{Color: faded(0xFFFFFF, 0.8)}, x-2*px, x+f.Width(s)+2*px, y-smallSize, y+3*px)
	p.write(f, theme.Ink, x, y, fromLeft, s)
}

// raised is the font of exponents.
func raised(p *pen) font.Face { return p.face(smallSize*0.8, false) }

func tickWidth(p *pen, f font.Face, t tick) vg.Length {
	above := raised(p)
	return f.Width(t.label) + above.Width(t.power)
}

func writeTick(p *pen, f font.Face, t tick, x, y vg.Length, a align) {
	switch a {
	case fromRight:
		x -= tickWidth(p, f, t)
	case centred:
		x -= tickWidth(p, f, t) / 2
	}
	p.write(f, theme.Quiet, x, y, fromLeft, t.label)
	p.write(raised(p), theme.Quiet, x+f.Width(t.label), y-smallSize*0.38, fromLeft, t.power)
}

// drawLegend draws the keys in rows and returns where they end.
func drawLegend(p *pen, keys []key, x, y, w vg.Length) vg.Length {
	if len(keys) == 0 {
		return y
	}
	text := p.face(textSize, false)
	const sample, space, row = 28 * px, 18 * px, 20 * px
	at := x
	y += row
	for _, k := range keys {
		name := fit(text, k.name, w-sample-8*px)
		need := sample + 6*px + text.Width(name)
		if at > x && at+need > x+w {
			at, y = x, y+row
		}
		k.draw(p, at, y-4.5*px, sample)
		p.write(text, theme.Ink, at+sample+6*px, y, fromLeft, name)
		at += need + space
	}
	return y + 10*px
}

func (k key) draw(p *pen, x, mid, w vg.Length) {
	if k.look.box {
		opacity := fillOpacity
		if k.look.solid {
			opacity = 1
		}
		p.box(span{Color: faded(k.look.colour, opacity)}, x+6*px, x+w, mid-5.5*px, mid+5.5*px)
		p.polyline(theme.RGB(k.look.colour), 1.5*px, k.look.dashes, []vg.Point{{X: x + 6*px, Y: mid - 5.5*px}, {X: x + w, Y: mid - 5.5*px}})
		return
	}
	if k.line {
		p.polyline(theme.RGB(k.look.colour), k.look.width, k.look.dashes, []vg.Point{{X: x, Y: mid}, {X: x + w, Y: mid}})
	}
	if k.marker {
		p.marker(k.look, vg.Point{X: x + w/2, Y: mid})
	}
}

// lostNote tells of values that have no place on the axes.
func lostNote(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Not drawn: %s without a place on these axes (not finite, or not positive on a logarithmic one).", plural(n, "point"))}
}
