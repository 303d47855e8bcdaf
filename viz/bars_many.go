package viz

import (
	"slices"
	"time"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot/vg"
)

// manyBars is the number of bars up to which each has a line and its number beside it. More are drawn as thin columns, side by
// side on a figure of fixed height: a year of days is a page wide, not seven pages high.
const manyBars = 50

// columnsHeight is the height of the axes of many bars.
const columnsHeight = 340 * px

// columns draws the bars side by side, in order, below the title; the words of the panel have every number.
func (b barPanel) columns(p *pen, y vg.Length) vg.Length {
	small := p.face(smallSize, false)
	for _, l := range fold(small, b.Axis, pageWidth-2*margin) {
		y += smallSize
		p.write(small, theme.Quiet, margin, y, fromLeft, l)
		y += 3 * px
	}
	y += 7 * px
	lo, hi := b.extent()
	marks := theme.Ticks(lo, hi)
	gutter := vg.Length(0)
	for _, t := range marks {
		gutter = max(gutter, small.Width(theme.TickLabel(t)))
	}
	left, right, top, bottom := margin+gutter+9*px, pageWidth-margin-10*px, y, y+columnsHeight
	at := func(v float64) vg.Length { return bottom - vg.Length((v/2-lo/2)/(hi/2-lo/2))*(bottom-top) }
	for _, t := range marks {
		p.line(theme.Hairline, 0.75*px, left, at(t), right, at(t))
		p.write(small, theme.Quiet, left-6*px, at(t)+smallSize*0.36, fromRight, theme.TickLabel(t))
	}
	step := (right - left) / vg.Length(len(b.Bars))
	gap := 0.15 * step
	if step < 4*px {
		gap = 0 // a gap of less than a pixel is a shade
	}
	free := vg.Length(0)
	dates := dayLabels(b.Bars)
	for i, r := range b.Bars {
		x0 := left + vg.Length(i)*step
		mid := x0 + step/2
		for _, s := range r.Spans {
			p.box(s, x0+gap, x0+step-gap, min(at(s.From), at(s.To)), max(at(s.From), at(s.To)))
		}
		if r.Whisk != nil {
			p.box(span{Color: faded(theme.Ink, 0.45)}, mid-min(0.6*px, step/5), mid+min(0.6*px, step/5), at(r.Whisk[1]), at(r.Whisk[0]))
		}
		if mid < free {
			continue // no label fits here
		}
		label := fit(small, r.Label, labelWidth/2)
		if dates != nil {
			if label = dates[i]; label == "" {
				continue
			}
		}
		if half := small.Width(label) / 2; mid-half >= free && mid+half <= pageWidth-margin {
			p.line(theme.Faint, 0.75*px, mid, bottom, mid, bottom+4*px)
			p.write(small, theme.Quiet, mid, bottom+7*px+smallSize, centred, label)
			free = mid + half + 14*px
		}
	}
	p.line(theme.Faint, px, left, at(0), right, at(0))
	p.line(theme.Faint, px, left, top, left, bottom)
	bottom += 7*px + smallSize + 4*px
	for _, l := range fold(small, b.Note, pageWidth-2*margin) {
		if l != "" {
			bottom += smallSize
			p.write(small, theme.Quiet, margin, bottom, fromLeft, l)
			bottom += 3 * px
		}
	}
	return bottom
}

// dayLabels are the words below bars that are named by increasing dates, as 2025-01-31: those of the marks of an axis of dates, by
// position. It is nil for other bars.
func dayLabels(bars []bar) map[int]string {
	days := make([]float64, len(bars))
	for i, b := range bars {
		t, err := time.Parse(time.DateOnly, b.Label)
		if err != nil || i > 0 && !(Day(t) > days[i-1]) {
			return nil
		}
		days[i] = Day(t)
	}
	if len(days) == 0 {
		return nil
	}
	out := map[int]string{}
	for _, m := range dateTicks(days[0], days[len(days)-1]) {
		if i, _ := slices.BinarySearch(days, m.value); out[i] == "" { // the first bar that is not before it
			out[i] = m.label
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// bySize parts bars whose sizes differ so much that on one axis the small ones could not be read: bars of a part, in
// their order, are within a factor of apart of each other. Bars without a size go with the first part.
func bySize(bars []bar) [][]bar {
	const apart = 25
	type part struct {
		lo, hi float64
		bars   []bar
	}
	var parts []part
next:
	for _, b := range bars {
		size := b.size()
		for k := range parts {
			p := &parts[k]
			if size == 0 || p.hi == 0 || max(p.hi, size) <= apart*min(p.lo, size) {
				if size > 0 && p.hi > 0 {
					p.lo, p.hi = min(p.lo, size), max(p.hi, size)
				} else if size > 0 {
					p.lo, p.hi = size, size
				}
				p.bars = append(p.bars, b)
				continue next
			}
		}
		parts = append(parts, part{size, size, []bar{b}})
	}
	out := make([][]bar, len(parts))
	for k, p := range parts {
		out[k] = p.bars
	}
	return out
}

// size is the largest absolute number of the bar and its interval.
func (r bar) size() float64 {
	most := 0.0
	for _, s := range r.Spans {
		most = max(most, s.From, -s.From, s.To, -s.To)
	}
	if r.Whisk != nil {
		most = max(most, r.Whisk[1], -r.Whisk[0])
	}
	return most
}
