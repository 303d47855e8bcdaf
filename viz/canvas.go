package viz

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// A canvas is what a pen draws on: the part of [vg.Canvas] that plots need. The canvases here do it
// without the image formats, fonts and typesetting that those of gonum/plot bring into every cell.
// Lines end where they end (no caps) and are round where they bend.
type canvas interface {
	SetColor(color.Color)
	SetLineWidth(vg.Length)
	SetLineDash(pattern []vg.Length, offset vg.Length)
	Stroke(vg.Path) // of straight lines
	Fill(vg.Path)
}

// brush is the state of a canvas.
type brush struct {
	colour color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
}

func (b *brush) SetColor(c color.Color)                      { b.colour = c }
func (b *brush) SetLineWidth(w vg.Length)                    { b.width = w }
func (b *brush) SetLineDash(p []vg.Length, offset vg.Length) { b.dashes, b.offset = p, offset }
