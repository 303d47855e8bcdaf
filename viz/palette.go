package viz

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
)

// fewColours redraws m with its 256 commonest colours, and the nearest of them where a glyph's edge
// has another. It makes an image less than half the size, and notebooks are kept under version control.
func fewColours(m *image.RGBA) image.Image {
	type count struct {
		c color.RGBA
		n int
	}
	b := m.Bounds()
	seen := map[color.RGBA]int{}
	eachRun(m, func(_, x0, x1 int, c color.RGBA) { seen[c] += x1 - x0 })
	counts := make([]count, 0, len(seen))
	for c, n := range seen {
		counts = append(counts, count{c, n})
	}
	// Ties by value: the same plot has the same bytes.
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.c.R, b.c.R), cmp.Compare(a.c.G, b.c.G), cmp.Compare(a.c.B, b.c.B), cmp.Compare(a.c.A, b.c.A))
	})
	var p color.Palette
	index := map[color.RGBA]uint8{}
	for i, c := range counts {
		if i < 256 {
			p = append(p, c.c)
			index[c.c] = uint8(i)
		} else {
			index[c.c] = uint8(p.Index(c.c))
		}
	}
	out := image.NewPaletted(b, p)
	eachRun(m, func(y, x0, x1 int, c color.RGBA) {
		i := index[c]
		run := out.Pix[out.PixOffset(x0, y):out.PixOffset(x1, y)]
		for x := range run {
			run[x] = i
		}
	})
	return out
}

// eachRun calls do for every stretch [x0, x1) of a line in one colour.
func eachRun(m *image.RGBA, do func(y, x0, x1 int, c color.RGBA)) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		line := m.Pix[m.PixOffset(b.Min.X, y):][:4*b.Dx()]
		at := func(x int) uint32 { return binary.LittleEndian.Uint32(line[4*x:]) }
		for from := 0; from < b.Dx(); {
			c, to := at(from), from+1
			for to < b.Dx() && at(to) == c {
				to++
			}
			do(y, b.Min.X+from, b.Min.X+to, m.RGBAAt(b.Min.X+from, y))
			from = to
		}
	}
}
