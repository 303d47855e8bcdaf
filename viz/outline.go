package viz

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	vgfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outline is the shape of s with its baseline's start at the point. A glyph that cannot be loaded
// leaves a gap.
func outline(f vgfont.Face, at vg.Point, s string) vg.Path {
	var path vg.Path
	var buf sfnt.Buffer
	em := fixed.Int26_6(f.Face.UnitsPerEm()) // so that coordinates are font units
	scale := f.Font.Size / vg.Length(em)
	prev, started := sfnt.GlyphIndex(0), false
	for _, r := range s {
		g, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if kern, err := f.Face.Kern(&buf, prev, g, em, font.HintingNone); started && err == nil {
			at.X += vg.Length(kern) * scale
		}
		prev, started = g, true
		// Glyph coordinates grow downward, those of the canvas upward.
		point := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
		}
		segments, err := f.Face.LoadGlyph(&buf, g, em, nil)
		if err == nil {
			for i, seg := range segments {
				switch seg.Op {
				case sfnt.SegmentOpMoveTo:
					if i > 0 {
						path.Close()
					}
					path.Move(point(seg.Args[0]))
				case sfnt.SegmentOpLineTo:
					path.Line(point(seg.Args[0]))
				case sfnt.SegmentOpQuadTo:
					path.QuadTo(point(seg.Args[0]), point(seg.Args[1]))
				case sfnt.SegmentOpCubeTo:
					path.CubeTo(point(seg.Args[0]), point(seg.Args[1]), point(seg.Args[2]))
				}
			}
			if len(segments) > 0 {
				path.Close()
			}
		}
		if adv, err := f.Face.GlyphAdvance(&buf, g, em, font.HintingNone); err == nil {
			at.X += vg.Length(adv) * scale
		}
	}
	return path
}
