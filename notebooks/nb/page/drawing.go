package page

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
)

// What tells a drawing from a photograph, and when an image is too large to look at.
const (
	drawingColours = 2048    // with those of the glyphs' edges
	drawingPixels  = 1 << 24 // 64 MiB as RGBA
)

// isDrawing reports whether the PNG, in base64, is a plot or a drawing on white paper: at least half of it
// is white, or a fifth with all of its edge, as of a heat map, and it has few colours. A dark page turns its
// lightness around, and the hues stay. A photograph would become a negative.
func isDrawing(data string) bool {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return false
	}
	size, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil || size.Width <= 0 || size.Height <= 0 || size.Height > drawingPixels/size.Width {
		return false
	}
	m, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return false
	}
	return onPaper(m)
}

// onPaper counts the colours of the image.
func onPaper(m image.Image) bool {
	white, seen := 0, map[color.RGBA64]bool{}
	b := m.Bounds()
	framed := true // the edge is white
	at, fast := m.(image.RGBA64Image)
	if !fast {
		return false
	}
	var last color.RGBA64
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := at.RGBA64At(x, y)
			if c == (color.RGBA64{R: 0xFFFF, G: 0xFFFF, B: 0xFFFF, A: 0xFFFF}) {
				white++
				continue
			}
			framed = framed && x > b.Min.X && x < b.Max.X-1 && y > b.Min.Y && y < b.Max.Y-1
			if c == last {
				continue
			}
			last = c
			if seen[c] = true; len(seen) > drawingColours {
				return false
			}
		}
	}
	return 2*white >= b.Dx()*b.Dy() || framed && 5*white >= b.Dx()*b.Dy()
}
