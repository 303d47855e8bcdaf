package viz

import "image/color"

// figure is a picture made of panels of horizontal bars, one below the other.
type figure struct {
	Title  string
	Notes  []string // sentences below the title
	Alarms []string // likewise, in bold and red
	Panels []barPanel
}

// barPanel is a set of horizontal bars on one axis.
type barPanel struct {
	Title string
	Axis  string // name and unit
	Bars  []bar
}

// bar is one row. Its spans are drawn from their From to their To.
type bar struct {
	Label string
	Spans []span
	End   string // beside the bar
}

type span struct {
	From, To float64
	Color    color.Color
	Label    string // inside, where there is room
	Short    string // instead, where there is less
}

// Okabe and Ito's palette (Color Universal Design, 2008): told apart under the common colour
// vision deficiencies. No meaning rests on colour alone; every bar is labelled.
const (
	blue       = 0x0072B2
	vermillion = 0xD55E00
	rust       = 0xA33E00 // vermillion, dark enough to read
	skyBlue    = 0x56B4E9
	orange     = 0xE69F00
	ink        = 0x222222
	faint      = 0x767676
	hairline   = 0xD0D0D0
)

func rgb(c uint32) color.Color {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

// inkOn is white or ink, whichever reads better on c (relative luminance of WCAG 2, γ taken as 2).
func inkOn(c color.Color) uint32 {
	r, g, b, _ := c.RGBA()
	sq := func(v uint32) float64 { return float64(v) / 0xFFFF * float64(v) / 0xFFFF }
	if 0.2126*sq(r)+0.7152*sq(g)+0.0722*sq(b) > 0.25 {
		return ink
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

// extent is the range of the axis: of all spans, and 0.
func (p barPanel) extent() (lo, hi float64) {
	for _, b := range p.Bars {
		for _, s := range b.Spans {
			lo, hi = min(lo, s.From, s.To), max(hi, s.From, s.To)
		}
	}
	if lo == hi {
		hi = 1
	}
	return lo, hi
}
