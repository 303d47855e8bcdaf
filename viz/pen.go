package viz

import (
	"fmt"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pen writes and draws on a canvas whose origin is at the top left. Its fonts are embedded in the
// program, so that a plot looks the same everywhere.
type pen struct {
	c             canvas // nil to measure only
	height        vg.Length
	regular, bold font.Face
}

// align says which side of a text the given x is.
type align int

const (
	fromLeft align = iota
	fromRight
	centred
)

func newPen() (*pen, error) {
	p := &pen{}
	for _, f := range []struct {
		face   *font.Face
		weight xfont.Weight
		ttf    []byte
	}{{&p.regular, xfont.WeightNormal, liberationsansregular.TTF}, {&p.bold, xfont.WeightBold, liberationsansbold.TTF}} {
		face, err := opentype.Parse(f.ttf)
		if err != nil {
			return nil, fmt.Errorf("viz: embedded font: %w", err)
		}
		*f.face = font.Face{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: f.weight}, Face: face}
	}
	return p, nil
}

// face returns the font at a size in points.
func (p *pen) face(size vg.Length, bold bool) font.Face {
	f := p.regular
	if bold {
		f = p.bold
	}
	f.Font.Size = size
	return f
}

// write puts s with its baseline at y below the top.
func (p *pen) write(f font.Face, colour uint32, x, y vg.Length, a align, s string) {
	if p.c == nil || s == "" {
		return
	}
	switch a {
	case fromRight:
		x -= f.Width(s)
	case centred:
		x -= f.Width(s) / 2
	}
	p.c.SetColor(theme.RGB(colour))
	p.c.Fill(outline(f, vg.Point{X: x, Y: p.height - y}, s)) // a viewer of SVG may lack the font
}

// box fills a rectangle, y growing downward.
func (p *pen) box(s span, x0, x1, y0, y1 vg.Length) {
	if p.c == nil {
		return
	}
	p.c.SetColor(s.Color)
	p.c.Fill(vg.Rectangle{Min: vg.Point{X: min(x0, x1), Y: p.height - y1}, Max: vg.Point{X: max(x0, x1), Y: p.height - y0}}.Path())
}

// line strokes a straight line.
func (p *pen) line(colour uint32, w, x0, y0, x1, y1 vg.Length) {
	if p.c == nil {
		return
	}
	p.c.SetColor(theme.RGB(colour))
	p.c.SetLineWidth(w)
	var path vg.Path
	path.Move(vg.Point{X: x0, Y: p.height - y0})
	path.Line(vg.Point{X: x1, Y: p.height - y1})
	p.c.Stroke(path)
}

// fit shortens s with an ellipsis to at most w.
func fit(f font.Face, s string, w vg.Length) string {
	if f.Width(s) <= w {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 0; n-- {
		if t := strings.TrimRight(string(runes[:n]), " ,(") + "…"; f.Width(t) <= w {
			return t
		}
	}
	return "…"
}

// fold breaks s at spaces into lines of at most w.
func fold(f font.Face, s string, w vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		next := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && f.Width(next) > w {
			lines = append(lines, line)
			next = word
		}
		line = fit(f, next, w)
	}
	return append(lines, line)
}
