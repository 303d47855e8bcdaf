package viz

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
	"gonum.org/v1/plot/vg"
)

// raster is a canvas of pixels, white at first.
type raster struct {
	brush
	img   *image.RGBA
	scale float64 // pixels per point
	fill  vector.Rasterizer
}

func newRaster(w, h vg.Length, dpi float64) *raster {
	r := &raster{scale: dpi / float64(vg.Inch)}
	r.img = image.NewRGBA(image.Rect(0, 0, int(math.Round(float64(w)*r.scale)), int(math.Round(float64(h)*r.scale))))
	draw.Draw(r.img, r.img.Bounds(), image.White, image.Point{}, draw.Src)
	return r
}

// at is a point in pixels, y growing downward.
func (r *raster) at(p vg.Point) (x, y float64) {
	return float64(p.X) * r.scale, float64(r.img.Bounds().Dy()) - float64(p.Y)*r.scale
}

// Fill fills the inside by the nonzero winding rule.
func (r *raster) Fill(path vg.Path) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	grow := func(p vg.Point) {
		x, y := r.at(p)
		lo[0], lo[1], hi[0], hi[1] = min(lo[0], x), min(lo[1], y), max(hi[0], x), max(hi[1], y)
	}
	for _, c := range path {
		if c.Type != vg.CloseComp {
			grow(c.Pos)
		}
		for _, p := range c.Control { // a curve stays in the hull of its points
			grow(p)
		}
	}
	const most = 1 << 26 // pixels, so that no path can ask for much memory
	if !((hi[0]-lo[0]+2)*(hi[1]-lo[1]+2) < most) || math.Abs(lo[0]) > most || math.Abs(lo[1]) > most {
		return
	}
	box := image.Rect(int(math.Floor(lo[0])), int(math.Floor(lo[1])), int(math.Ceil(hi[0])), int(math.Ceil(hi[1])))
	if !box.Overlaps(r.img.Bounds()) {
		return
	}
	r.fill.Reset(box.Dx(), box.Dy())
	local := func(p vg.Point) (float32, float32) {
		x, y := r.at(p)
		return float32(x - float64(box.Min.X)), float32(y - float64(box.Min.Y))
	}
	for _, c := range path {
		x, y := local(c.Pos)
		switch {
		case c.Type == vg.MoveComp:
			r.fill.ClosePath()
			r.fill.MoveTo(x, y)
		case c.Type == vg.LineComp:
			r.fill.LineTo(x, y)
		case c.Type == vg.CurveComp && len(c.Control) == 1:
			bx, by := local(c.Control[0])
			r.fill.QuadTo(bx, by, x, y)
		case c.Type == vg.CurveComp && len(c.Control) == 2:
			bx, by := local(c.Control[0])
			cx, cy := local(c.Control[1])
			r.fill.CubeTo(bx, by, cx, cy, x, y)
		case c.Type == vg.CloseComp:
			r.fill.ClosePath()
		}
	}
	r.fill.ClosePath()
	paint := image.NewUniform(r.colour)
	if box.In(r.img.Bounds()) {
		r.fill.Draw(r.img, box, paint, image.Point{})
		return
	}
	mask := image.NewAlpha(box) // the rasteriser does not clip
	r.fill.Draw(mask, box, image.Opaque, image.Point{})
	draw.DrawMask(r.img, box, paint, image.Point{}, mask, box.Min, draw.Over)
}

// Stroke fills a rectangle for each straight piece, and a disc where two pieces meet.
func (r *raster) Stroke(path vg.Path) {
	if !(r.width > 0) {
		return
	}
	half := float64(r.width) / 2
	var out vg.Path
	polygon := func(points ...vg.Point) {
		for i, p := range points {
			if i == 0 {
				out.Move(p)
			} else {
				out.Line(p)
			}
		}
		out.Close()
	}
	disc := func(c vg.Point) {
		const corners = 16
		points := make([]vg.Point, corners)
		for i := range points {
			s, co := math.Sincos(-2 * math.Pi * float64(i) / corners) // turning as the rectangles do
			points[i] = vg.Point{X: c.X + vg.Length(half*co), Y: c.Y + vg.Length(half*s)}
		}
		polygon(points...)
	}
	dash := newDashes(r.dashes, r.offset)
	var from vg.Point
	joins := false
	for _, c := range path {
		if c.Type != vg.LineComp {
			from, joins = c.Pos, false
			dash.restart()
			continue
		}
		dx, dy := float64(c.Pos.X-from.X), float64(c.Pos.Y-from.Y)
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		if joins && dash.drawing() {
			disc(from)
		}
		nx, ny := vg.Length(-dy/length*half), vg.Length(dx/length*half)
		dash.split(length, func(t0, t1 float64) {
			a := vg.Point{X: from.X + vg.Length(t0*dx), Y: from.Y + vg.Length(t0*dy)}
			b := vg.Point{X: from.X + vg.Length(t1*dx), Y: from.Y + vg.Length(t1*dy)}
			polygon(vg.Point{X: a.X + nx, Y: a.Y + ny}, vg.Point{X: b.X + nx, Y: b.Y + ny}, vg.Point{X: b.X - nx, Y: b.Y - ny}, vg.Point{X: a.X - nx, Y: a.Y - ny})
		})
		from, joins = c.Pos, true
	}
	if len(out) > 0 {
		r.Fill(out)
	}
}

// dashes walks along a line and says which parts of it are drawn.
type dashes struct {
	pattern []float64
	offset  float64
	at      int     // the part of the pattern, drawn where even
	left    float64 // of it
}

func newDashes(pattern []vg.Length, offset vg.Length) *dashes {
	d := &dashes{offset: float64(offset)}
	sum := 0.0
	for _, p := range pattern {
		d.pattern = append(d.pattern, float64(p))
		sum += max(float64(p), 0)
	}
	if !(sum > 0) {
		d.pattern = nil // solid
	} else if len(pattern)%2 == 1 {
		d.pattern = append(d.pattern, d.pattern...)
	}
	d.restart()
	return d
}

func (d *dashes) restart() {
	if d.at, d.left = 0, math.Inf(1); d.pattern == nil {
		return
	}
	d.left = d.pattern[0]
	d.split(d.offset, func(float64, float64) {})
}

func (d *dashes) drawing() bool { return d.at%2 == 0 }

// split walks on by the length and calls draw with the drawn parts, as fractions of the length.
func (d *dashes) split(length float64, draw func(t0, t1 float64)) {
	for done := 0.0; done < length; {
		step := min(d.left, length-done)
		if step > 0 && d.drawing() {
			draw(done/length, (done+step)/length)
		}
		done += step
		if d.left -= step; d.left <= 0 {
			d.at = (d.at + 1) % len(d.pattern)
			d.left = max(d.pattern[d.at], 0)
		}
	}
}
