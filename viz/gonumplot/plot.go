package gonumplot

import (
	"image/color"
	"slices"
	"strings"
	"unicode"

	"github.com/dpkit-go/dpnb/dpkit"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Sizes of a picture are those of package viz: 620 pixels wide, 96 to an inch.
const (
	px        = vg.Length(0.75)
	width     = 620 * px
	height    = 390 * px
	titleSize = 14 * px
	smallSize = 12 * px
	noteRunes = 86 // of the title's font that fit the width
)

// New is a plot with that title in the look of package viz, which says below the title what the values promise. Pass what
// [Released] returned, or any value's own Provenance.
func New(title string, values ...Value) *plot.Plot {
	p := plot.New()
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	write := func(s *text.Style, size vg.Length, c color.Color) {
		s.Font, s.Color = font.Font{Typeface: sans.Typeface, Variant: sans.Variant, Size: size}, c
	}
	p.BackgroundColor = color.White
	p.Title.Text, p.Title.Padding = printable(title), 9*px
	write(&p.Title.TextStyle, titleSize, ink)
	write(&p.Legend.TextStyle, titleSize, ink)
	p.Legend.Top = true
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		write(&a.Label.TextStyle, smallSize, quiet)
		write(&a.Tick.Label, smallSize, quiet)
		a.LineStyle.Color, a.LineStyle.Width = faint, px
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width, a.Tick.Length = faint, px, 4*px
		a.Tick.Marker, a.Padding = Ticks{}, 6*px
	}
	Note(p, values...)
	return p
}

// Value is a released value, or its Provenance: what says what its release promises. Models, estimates and [Points] are values.
type Value interface {
	// Promise is what the release promises, in one line.
	Promise() string
	// Weak reports a promise that must stand out.
	Weak() bool
}

// Note adds to the plot's title what values are of, where steps dropped rows or changed values, and what they promise, each once. A plot has a red title where a value is not private, or
// holds only under a condition.
func Note(p *plot.Plot, values ...Value) {
	lines := strings.Split(p.Title.Text, "\n")
	for _, v := range values {
		if v.Weak() {
			p.Title.TextStyle.Color = rust
		}
		var promise []string
		if c, ok := v.(interface{ WhatCounts() string }); ok && c.WhatCounts() != "" {
			promise = folded(printable(c.WhatCounts()), noteRunes)
		}
		promise = append(promise, folded(printable(v.Promise()), noteRunes)...)
		if strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+strings.Join(promise, "\n")+"\n") {
			continue
		}
		lines = slices.Concat(lines, promise)
	}
	p.Title.Text = strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}

// folded is text in lines of at most n runes, where words allow it.
func folded(s string, n int) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if k := len(lines) - 1; k >= 0 && len([]rune(lines[k]))+1+len([]rune(word)) <= n {
			lines[k] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// printable is text without what controls a terminal or breaks a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

var _ Value = dpkit.Provenance{}
