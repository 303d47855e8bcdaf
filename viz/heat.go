package viz

import (
	"fmt"
	"image/color"
	"math"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

// heatPanel is a crossing of two columns: a cell for each pair of levels, of stronger colour where its number is larger. The numbers stand in the
// cells, so that no meaning rests on colour.
type heatPanel struct {
	title         string
	down, across  string   // names of the columns
	rows, columns []string // their levels
	cells         [][]heatCell
	lo, hi        float64 // of the colours
	zero          bool    // colours part at 0
	says          string  // what colours mean; "": they are of numbers of groups
}

// heatCell is a number as it is printed, with its interval.
type heatCell struct {
	value    float64
	text     string
	interval string
	within   string // ± its margin, where the interval has no room
	unknown  bool
	blank    bool // there is no such cell
}

// maps are a panel for each statistic of a crossing; none where it is too large.
func (g grouped) maps() []panel {
	levels := [2][]string{}
	if len(g.Groups) == 0 {
		return nil
	}
	// The last column changes fastest.
	for _, group := range g.Groups {
		if group[0] != g.Groups[0][0] {
			break
		}
		levels[1] = append(levels[1], clean(group[1]))
	}
	width := len(levels[1])
	for i := 0; i < len(g.Groups); i += width {
		levels[0] = append(levels[0], clean(g.Groups[i][0]))
	}
	if len(levels[0])*width != len(g.Groups) {
		return nil // no crossing
	}
	for i, group := range g.Groups { // groups that were found, or sorted, may be as many as a crossing has
		if clean(group[0]) != levels[0][i/width] || clean(group[1]) != levels[1][i%width] {
			return nil
		}
	}
	down, across := 0, 1
	if width > tableAcross {
		down, across = 1, 0
	}
	if len(levels[across]) > tableAcross || len(levels[down]) > tableDown || len(levels[down])*len(g.stats) > tableBars {
		return nil
	}
	var out []panel
	for _, s := range g.stats {
		p := heatPanel{title: s.name, down: clean(g.By[down]), across: clean(g.By[across]), rows: levels[down], columns: levels[across]}
		for r := range p.rows {
			var row []heatCell
			for c := range p.columns {
				at := r*width + c
				if across == 0 {
					at = c*width + r
				}
				row = append(row, heatCell{value: finite(s.cells[at].Value), text: s.value(at), interval: s.interval(at), within: s.within(at), unknown: s.unknown[at]})
			}
			p.cells = append(p.cells, row)
		}
		p.scale(s.of != "mean" && s.of != "mean total" && s.of != "quantile")
		out = append(out, p)
	}
	return out
}

// within is the margin of a number, as it stands below it where its interval has no room.
func (s grouping) within(i int) string {
	if s.of == "quantile" {
		return s.interval(i)
	}
	return "± " + near(s.margin(i))
}

// scale settles the range of colours: of the numbers, and 0 where sizes are compared.
func (h *heatPanel) scale(from0 bool) {
	first := true
	for _, row := range h.cells {
		for _, c := range row {
			if c.unknown {
				continue
			}
			if first {
				h.lo, h.hi, first = c.value, c.value, false
			}
			h.lo, h.hi = min(h.lo, c.value), max(h.hi, c.value)
		}
	}
	if from0 {
		h.lo, h.hi = min(h.lo, 0), max(h.hi, 0)
	}
	h.zero = from0 && h.lo < 0
}

// colour of a cell: blue, vermillion below 0; white where nothing is known.
func (h heatPanel) colour(c heatCell) color.Color {
	hue, u := uint32(theme.Blue), 0.5
	switch {
	case c.unknown:
		return theme.RGB(0xFFFFFF)
	case h.zero:
		u = math.Abs(c.value) / max(h.hi, -h.lo)
		if c.value < 0 {
			hue = theme.Vermillion
		}
	case h.hi/2-h.lo/2 > 1e-300: // halves do not overflow
		u = (c.value/2 - h.lo/2) / (h.hi/2 - h.lo/2)
	}
	u = 0.06 + 0.94*min(max(u, 0), 1) // the least is told from white
	mix := func(shift uint) uint8 { return uint8(math.Round(255 + u*(float64(hue>>shift&0xFF)-255))) }
	return color.NRGBA{R: mix(16), G: mix(8), B: mix(0), A: 255}
}

// heatNarrow is the number of columns up to which two panels stand side by side.
const heatNarrow = 4

func (h heatPanel) wide() bool { return len(h.columns) > heatNarrow }

const heatHeight = 42 * px

// head is the height of the title and the levels across.
func (h heatPanel) head(p *pen, w vg.Length) vg.Length {
	return vg.Length(len(fold(p.face(textSize, true), h.title, w)))*(textSize+5*px) + 2*(smallSize+6*px)
}

func (h heatPanel) draw(p *pen, x, y, w, head vg.Length) vg.Length {
	bold, text, small := p.face(textSize, true), p.face(textSize, false), p.face(smallSize, false)
	base := y
	for _, l := range fold(bold, h.title, w) {
		base += textSize
		p.write(bold, theme.Ink, x, base, fromLeft, l)
		base += 5 * px
	}
	labels := small.Width(h.down)
	for _, l := range h.rows {
		labels = max(labels, text.Width(l))
	}
	labels = min(labels+10*px, w*0.3)
	left, top := x+labels, y+head
	cell := min((w-labels)/vg.Length(max(1, len(h.columns))), 170*px)
	p.write(small, theme.Quiet, left+cell*vg.Length(len(h.columns))/2, top-smallSize-12*px, centred, fit(small, h.across, w-labels))
	p.write(small, theme.Quiet, left-10*px, top-6*px, fromRight, fit(small, h.down, labels-10*px))
	for c, l := range h.columns {
		p.write(text, theme.Ink, left+(vg.Length(c)+0.5)*cell, top-6*px, centred, fit(text, l, cell-4*px))
	}
	for r, row := range h.cells {
		y0 := top + vg.Length(r)*heatHeight
		p.write(text, theme.Ink, left-10*px, y0+heatHeight/2+textSize*0.36, fromRight, fit(text, h.rows[r], labels-10*px))
		for c, one := range row {
			if one.blank {
				continue
			}
			x0 := left + vg.Length(c)*cell
			fill := h.colour(one)
			p.box(span{Color: theme.RGB(theme.Hairline)}, x0+px, x0+cell-px, y0+px, y0+heatHeight-px) // an edge, for white cells
			p.box(span{Color: fill}, x0+1.75*px, x0+cell-1.75*px, y0+1.75*px, y0+heatHeight-1.75*px)
			mid, ink := y0+heatHeight/2, inkOn(fill)
			if one.interval == "" {
				p.write(text, ink, x0+cell/2, mid+textSize*0.36, centred, fit(text, one.text, cell-6*px))
				continue
			}
			p.write(text, ink, x0+cell/2, mid-3*px, centred, fit(text, one.text, cell-6*px))
			if small.Width(one.interval) > cell-6*px {
				one.interval = one.within
			}
			p.write(small, ink, x0+cell/2, mid+smallSize+px, centred, fit(small, one.interval, cell-4*px))
		}
	}
	bottom := top + vg.Length(len(h.rows))*heatHeight + 2*px
	for _, l := range fold(small, h.note(), w) {
		bottom += smallSize
		p.write(small, theme.Quiet, x, bottom, fromLeft, l)
		bottom += 3 * px
	}
	return bottom
}

// note says what colours mean.
func (h heatPanel) note() string {
	if h.says != "" {
		return h.says
	}
	s := fmt.Sprintf("Stronger colour is more: from %s to %s.", near(h.lo), near(h.hi))
	if h.zero {
		s = "Stronger colour is farther from 0: blue above it, red below."
	}
	for _, row := range h.cells {
		for _, c := range row {
			if c.unknown {
				return s + " No colour: nothing is known, the group may have no rows."
			}
		}
	}
	return s
}

func (h heatPanel) words() []block { return []block{para{h.note()}} }
