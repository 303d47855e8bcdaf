package viz

import (
	"bytes"
	"fmt"
	"image/png"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

// Sizes in points. A page's pixel is 1/96 inch, 0.75 points.
const (
	figureWidth  = 900      // pixels of a page
	stackedWidth = 372 * px // of panels one below the other, which are whole on a small screen too
	narrowWidth  = 620 * px // a figure of one panel that need not be wide
	px           = vg.Length(0.75)
	pageWidth    = figureWidth * px
	margin       = 16 * px
	labelWidth   = 275 * px // at most this for the words left of the bars
	endWidth     = 165 * px // room for the words right of them
	rowHeight    = 27 * px
	barHeight    = 17 * px
	titleSize    = 17 * px
	textSize     = 13.5 * px
	smallSize    = 12 * px
	density      = 2 // image pixels per page pixel
)

func (f *figure) png() ([]byte, error) {
	p, err := newPen()
	if err != nil {
		return nil, err
	}
	h := f.draw(p)
	c := newRaster(f.width(), h, 96*density)
	p.c, p.height = c, h
	f.draw(p)
	var b bytes.Buffer
	if err := png.Encode(&b, fewColours(c.img)); err != nil {
		return nil, fmt.Errorf("viz: png: %w", err)
	}
	return b.Bytes(), nil
}

func (f *figure) svg(title, alt string) ([]byte, error) {
	p, err := newPen()
	if err != nil {
		return nil, err
	}
	h := f.draw(p)
	c := &drawing{height: h}
	p.c, p.height = c, h
	p.box(span{Color: theme.RGB(0xFFFFFF)}, 0, f.width(), 0, h)
	f.draw(p)
	return c.svg(f.width(), title, alt), nil
}

// draw draws the figure and returns its height. Without a canvas it measures.
func (f *figure) draw(p *pen) vg.Length {
	title, text, alarm := p.face(titleSize, true), p.face(textSize, false), p.face(textSize, true)
	wide := f.width() - 2*margin
	y := margin
	for _, l := range fold(title, f.Title, wide) {
		y += titleSize
		p.write(title, theme.Ink, margin, y, fromLeft, l)
		y += 6 * px
	}
	for _, s := range f.Alarms {
		top := y + 2*px
		y += 4 * px
		for _, l := range fold(alarm, s, wide-12*px) {
			y += textSize
			p.write(alarm, theme.Rust, margin+12*px, y, fromLeft, l)
			y += 4 * px
		}
		p.box(span{Color: theme.RGB(theme.Vermillion)}, margin, margin+5*px, top, y+2*px)
		y += 6 * px
	}
	for _, s := range f.Notes {
		for _, l := range fold(text, s, wide) {
			y += textSize
			p.write(text, theme.Ink, margin, y, fromLeft, l)
			y += 4 * px
		}
	}
	if len(f.Keys) > 0 {
		y = drawLegend(p, f.Keys, margin, y+6*px, wide)
	}
	for i := 0; i < len(f.Panels); {
		row := f.Panels[i : i+1]
		if !f.stacked && i+1 < len(f.Panels) && !f.Panels[i].wide() && !f.Panels[i+1].wide() {
			row = f.Panels[i : i+2]
		}
		y = drawRow(p, row, y+14*px, wide)
		i += len(row)
	}
	return y + margin
}

// drawRow draws panels side by side, with their axes at one height.
func drawRow(p *pen, row []panel, y, wide vg.Length) vg.Length {
	const between = 28 * px
	w := wide
	if !row[0].wide() && wide > narrowWidth {
		w = (wide - between) / 2
	}
	head, bottom := vg.Length(0), y
	for _, b := range row {
		head = max(head, b.head(p, w))
	}
	for i, b := range row {
		bottom = max(bottom, b.draw(p, margin+vg.Length(i)*(w+between), y, w, head))
	}
	return bottom
}

func (barPanel) wide() bool { return true }

func (barPanel) head(*pen, vg.Length) vg.Length { return 0 }

func (b barPanel) words() []block {
	out := []block{b.grid()}
	if b.Note != "" {
		out = append(out, para{b.Note})
	}
	return out
}

// draw takes the page's whole width.
func (b barPanel) draw(p *pen, _, y, _, _ vg.Length) vg.Length {
	bold, text, small := p.face(textSize, true), p.face(textSize, false), p.face(smallSize, false)
	if b.Title != "" {
		for _, l := range fold(bold, b.Title, pageWidth-2*margin) {
			y += textSize
			p.write(bold, theme.Ink, margin, y, fromLeft, l)
			y += 5 * px
		}
	}
	y = drawLegend(p, b.Keys, margin, y, pageWidth-2*margin) + 4*px
	if len(b.Bars) > manyBars {
		return b.columns(p, y)
	}
	lo, hi := b.extent()
	labels := vg.Length(0)
	for _, r := range b.Bars {
		labels = min(max(labels, text.Width(r.Label)+12*px), labelWidth)
	}
	left, right := margin+labels, pageWidth-margin-endWidth
	if lo < 0 { // words beside negative bars
		beside := 60 * px
		for _, r := range b.Bars {
			if r.negative() {
				beside = max(beside, text.Width(r.End)+10*px)
			}
		}
		left += min(beside, endWidth)
	}
	at := func(v float64) vg.Length { return left + vg.Length((v/2-lo/2)/(hi/2-lo/2))*(right-left) }
	bottom := y + vg.Length(len(b.Bars))*rowHeight
	marks := theme.Ticks(lo, hi)
	for _, t := range marks {
		p.line(theme.Hairline, 0.75*px, at(t), y, at(t), bottom+3*px)
		p.write(small, theme.Quiet, at(t), bottom+5*px+smallSize, centred, theme.TickLabel(t))
	}
	for i, r := range b.Bars {
		mid := y + (vg.Length(i)+0.5)*rowHeight
		base := mid + textSize*0.36
		p.write(text, theme.Ink, margin+labels-10*px, base, fromRight, fit(text, r.Label, labels-10*px))
		far, near := at(0), at(0)
		for k, s := range r.Spans {
			x0, x1 := at(s.From), at(s.To)
			if k == 0 {
				far, near = max(x0, x1), min(x0, x1)
			}
			far, near = max(far, x0, x1), min(near, x0, x1)
			if x0 == x1 {
				p.line(theme.Ink, 2*px, x0, mid-barHeight/2, x0, mid+barHeight/2)
				continue
			}
			p.box(s, x0, x1, mid-barHeight/2, mid+barHeight/2)
			if k > 0 {
				p.line(0xFFFFFF, 1.5*px, x0, mid-barHeight/2, x0, mid+barHeight/2)
			}
			for _, l := range []string{s.Label, s.Short} {
				if small.Width(l)+8*px <= max(x0, x1)-min(x0, x1) {
					p.write(small, inkOn(s.Color), (x0+x1)/2, mid+smallSize*0.36, centred, l)
					break
				}
			}
		}
		end, w := r.End, text.Width(r.End)
		if r.whisker(p, at, mid) {
			far, near = max(far, at(r.Whisk[1])), min(near, at(r.Whisk[0]))
		}
		x := far + 6*px
		switch room := pageWidth - margin - x; {
		case r.negative() && near-6*px-w > margin+labels-10*px, w > room && near-6*px-w > left:
			x = near - 6*px - w
		case w > room:
			end = fit(text, end, room)
			w = text.Width(end)
		}
		p.box(span{Color: theme.RGB(0xFFFFFF)}, x-2*px, x+w+2*px, mid-barHeight/2, mid+barHeight/2) // over the grid lines
		p.write(text, theme.Ink, x, base, fromLeft, end)
	}
	p.line(theme.Faint, px, at(0), y, at(0), bottom+3*px)
	bottom += 5*px + smallSize + 4*px
	for _, l := range fold(small, b.Axis, right+endWidth-margin) {
		bottom += smallSize
		p.write(small, theme.Quiet, right, bottom, fromRight, l)
		bottom += 3 * px
	}
	if b.Note != "" {
		for _, l := range fold(small, b.Note, pageWidth-2*margin) {
			bottom += smallSize
			p.write(small, theme.Quiet, margin, bottom, fromLeft, l)
			bottom += 3 * px
		}
	}
	return bottom
}

// negative reports whether the bar and its interval lie left of 0.
func (r bar) negative() bool {
	lo, hi := 0.0, 0.0
	for _, s := range r.Spans {
		lo, hi = min(lo, s.From, s.To), max(hi, s.From, s.To)
	}
	return lo < 0 && hi <= 0 && (r.Whisk == nil || r.Whisk[1] <= 0)
}

// whisker draws the interval of a bar.
func (r bar) whisker(p *pen, at func(float64) vg.Length, mid vg.Length) bool {
	if r.Whisk == nil {
		return false
	}
	lo, hi := at(r.Whisk[0]), at(r.Whisk[1])
	p.line(0xFFFFFF, 3.5*px, lo, mid, hi, mid) // an edge that parts it from the bar
	p.line(theme.Ink, 2*px, lo, mid, hi, mid)
	for _, x := range []vg.Length{lo, hi} {
		p.line(theme.Ink, 2*px, x, mid-5*px, x, mid+5*px)
	}
	return true
}
