package viz

import (
	"image/color"
	"math"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

// figure is a picture made of panels, one below the other or two side by side.
type figure struct {
	stacked bool // panels stand one below the other, narrow
	Title   string
	Notes   []string // sentences below the title
	Alarms  []string // likewise, in bold and red
	Keys    []key    // a legend of all panels
	Panels  []panel
}

// panel is one part of a figure.
type panel interface {
	// draw draws it between x and x + w below y, and returns where it ends. Its axes begin head below y.
	draw(p *pen, x, y, w, head vg.Length) vg.Length
	head(p *pen, w vg.Length) vg.Length // what stands above the axes
	wide() bool                         // it takes the page's whole width
	words() []block
}

// width is that of the page: two panels, one beside the other or one wide one, take all of it. One that
// is narrow is drawn so, because the words in it are larger then on a small screen.
func (f *figure) width() vg.Length {
	if f.stacked {
		return stackedWidth
	}
	if len(f.Panels) == 1 && !f.Panels[0].wide() {
		return narrowWidth
	}
	return pageWidth
}

// pixels is the width on a page.
func (f *figure) pixels() int { return int(math.Round(float64(f.width() / px))) }

// barPanel is a set of horizontal bars on one axis.
type barPanel struct {
	Title string
	Axis  string // name and unit
	Bars  []bar
	Keys  []key  // of the bars' colours, if they differ in kind
	Note  string // below the axis
}

// bar is one row. Its spans are drawn from their From to their To.
type bar struct {
	Label string
	Kind  string // in words, what its colour says
	Spans []span
	Whisk *[2]float64 // the ends of an interval, if any
	End   string      // beside the bar
}

type span struct {
	From, To float64
	Color    color.Color
	Label    string // inside, where there is room
	Short    string // instead, where there is less
}

// inkOn is white or ink, whichever reads better on c (relative luminance of WCAG 2, γ taken as 2).
func inkOn(c color.Color) uint32 {
	r, g, b, _ := c.RGBA()
	sq := func(v uint32) float64 { return float64(v) / 0xFFFF * float64(v) / 0xFFFF }
	if 0.2126*sq(r)+0.7152*sq(g)+0.0722*sq(b) > 0.25 {
		return theme.Ink
	}
	return 0xFFFFFF
}

// finite replaces what cannot be drawn by 0; its label still says what it is.
func finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}

// whisker is an interval that can be drawn; nil if it cannot.
func whisker(lo, hi float64) *[2]float64 {
	if lo-lo != 0 || hi-hi != 0 || !(lo < hi) {
		return nil
	}
	return &[2]float64{lo, hi}
}

// extent is the range of the axis: of all spans, and 0.
func (p barPanel) extent() (lo, hi float64) {
	for _, b := range p.Bars {
		for _, s := range b.Spans {
			lo, hi = min(lo, s.From, s.To), max(hi, s.From, s.To)
		}
		if b.Whisk != nil {
			lo, hi = min(lo, b.Whisk[0]), max(hi, b.Whisk[1])
		}
	}
	if !(hi-lo > 1e-300) { // what is smaller loses its digits
		hi = 1
	}
	return lo, hi
}
