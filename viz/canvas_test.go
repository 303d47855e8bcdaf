package viz

import (
	"encoding/xml"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

func line(points ...vg.Point) vg.Path {
	var p vg.Path
	for i, q := range points {
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	return p
}

// TestRasterInk compares the inked area with the area of the shape.
func TestRasterInk(t *testing.T) {
	circle := vg.Path{} // of four cubic Bézier curves
	const k = 0.5522847498
	circle.Move(vg.Point{X: 80, Y: 50})
	circle.CubeTo(vg.Point{X: 80, Y: 50 + 30*k}, vg.Point{X: 50 + 30*k, Y: 80}, vg.Point{X: 50, Y: 80})
	circle.CubeTo(vg.Point{X: 50 - 30*k, Y: 80}, vg.Point{X: 20, Y: 50 + 30*k}, vg.Point{X: 20, Y: 50})
	circle.CubeTo(vg.Point{X: 20, Y: 50 - 30*k}, vg.Point{X: 50 - 30*k, Y: 20}, vg.Point{X: 50, Y: 20})
	circle.CubeTo(vg.Point{X: 50 + 30*k, Y: 20}, vg.Point{X: 80, Y: 50 - 30*k}, vg.Point{X: 80, Y: 50})
	parabola := vg.Path{}
	parabola.Move(vg.Point{X: 10, Y: 10})
	parabola.QuadTo(vg.Point{X: 50, Y: 90}, vg.Point{X: 90, Y: 10})
	box := vg.Rectangle{Min: vg.Point{X: 10.5, Y: 20.25}, Max: vg.Point{X: 60.25, Y: 30}}.Path()
	square := vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 60, Y: 30}}.Path()
	both := append(append(vg.Path{}, square...), square...)
	long := line(vg.Point{X: 10, Y: 50}, vg.Point{X: 90, Y: 50})
	bent := line(vg.Point{X: 10, Y: 10}, vg.Point{X: 60, Y: 10}, vg.Point{X: 60, Y: 60})
	outside := vg.Rectangle{Min: vg.Point{X: -50, Y: 40}, Max: vg.Point{X: 10, Y: 50}}.Path()
	for _, c := range []struct {
		name string
		draw func(r *raster)
		area float64
	}{
		{"circle", func(r *raster) { r.Fill(circle) }, math.Pi * 900},
		{"parabola, not closed", func(r *raster) { r.Fill(parabola) }, 80 * 40 * 2 / 3.},
		{"box between pixels", func(r *raster) { r.Fill(box) }, 49.75 * 9.75},
		{"box twice in a path", func(r *raster) { r.Fill(both) }, 500},
		{"partly outside", func(r *raster) { r.Fill(outside) }, 100},
		{"line", func(r *raster) { r.SetLineWidth(4); r.Stroke(long) }, 80 * 4},
		{"dashes", func(r *raster) { r.SetLineWidth(4); r.SetLineDash([]vg.Length{6, 4}, 0); r.Stroke(long) }, 8 * 6 * 4},
		{"dashes of an odd pattern", func(r *raster) { r.SetLineWidth(4); r.SetLineDash([]vg.Length{10}, 0); r.Stroke(long) }, 4 * 10 * 4},
		{"dashes with an offset", func(r *raster) { r.SetLineWidth(4); r.SetLineDash([]vg.Length{40, 40}, 60); r.Stroke(long) }, 40 * 4},
		{"a pattern of nothing", func(r *raster) { r.SetLineWidth(4); r.SetLineDash([]vg.Length{0, 0}, 0); r.Stroke(long) }, 80 * 4},
		{"bent: the outer corner is a quarter disc", func(r *raster) { r.SetLineWidth(8); r.Stroke(bent) }, 2*50*8 - 16 + math.Pi*4},
		{"no width", func(r *raster) { r.Stroke(long) }, 0},
		{"no length", func(r *raster) { r.SetLineWidth(4); r.Stroke(line(vg.Point{X: 5, Y: 5}, vg.Point{X: 5, Y: 5})) }, 0},
		{"not a number", func(r *raster) { r.Fill(line(vg.Point{X: vg.Length(math.NaN())}, vg.Point{Y: 50}, vg.Point{X: 50})) }, 0},
		{"far too large", func(r *raster) { r.Fill(line(vg.Point{}, vg.Point{X: 1e9}, vg.Point{Y: 1e9})) }, 0},
		{"elsewhere", func(r *raster) { r.Fill(vg.Rectangle{Min: vg.Point{X: 500}, Max: vg.Point{X: 510, Y: 10}}.Path()) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRaster(100, 100, 72*3)
			r.SetColor(color.Black)
			c.draw(r)
			ink := 0.0
			for i := 0; i < len(r.img.Pix); i += 4 {
				ink += 1 - float64(r.img.Pix[i])/255
			}
			// The pixels of an edge are rounded to 1/255, and a join has corners.
			if got := ink / 9; math.Abs(got-c.area) > 0.01*c.area {
				t.Errorf("ink on %v square points, want %v", got, c.area)
			}
		})
	}
}

// TestRasterIsUpright: the origin is at the bottom left, and a half transparent colour mixes.
func TestRasterIsUpright(t *testing.T) {
	r := newRaster(10, 20, 72)
	r.SetColor(color.NRGBA{A: 128})
	r.Fill(vg.Rectangle{Min: vg.Point{X: 0, Y: 18}, Max: vg.Point{X: 2, Y: 20}}.Path())
	if got := r.img.RGBAAt(0, 0); got.R < 126 || got.R > 128 {
		t.Errorf("the top left is %v, want mid grey", got)
	}
	if got := r.img.RGBAAt(0, 19); got.R != 255 {
		t.Errorf("the bottom left is %v, want white", got)
	}
}

func TestDrawing(t *testing.T) {
	d := &drawing{height: 20}
	d.SetColor(color.NRGBA{R: 255, A: 51})
	d.Fill(line(vg.Point{X: 1, Y: 2}, vg.Point{X: 3.00049, Y: 4}))
	d.SetColor(theme.RGB(theme.Blue))
	d.Stroke(line(vg.Point{})) // without a width
	d.SetLineWidth(2)
	d.SetLineDash([]vg.Length{3, 1.5}, 1)
	path := line(vg.Point{X: 1})
	path.QuadTo(vg.Point{X: 2}, vg.Point{X: 3})
	path.CubeTo(vg.Point{X: 4}, vg.Point{X: 5}, vg.Point{X: 6})
	path.Close()
	d.Stroke(path)
	got := string(d.svg(10, "a <title>", `an "alt"`))
	for _, want := range []string{
		`aria-label="an &#34;alt&#34;" width="10pt" height="20pt" viewBox="0 0 10 20"`, "<title>a &lt;title&gt;</title>",
		`<path d="M1 18L3 16" fill="#ff0000" fill-opacity="0.2"/>`,
		`<path d="M1 20Q2 20 3 20C4 20 5 20 6 20Z" fill="none" stroke="#0072b2" stroke-width="2" stroke-linejoin="round" stroke-dasharray="3 1.5" stroke-dashoffset="1"/>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "<path"); n != 2 {
		t.Errorf("%d paths, want 2", n)
	}
	for dec := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
