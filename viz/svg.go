package viz

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// drawing is a canvas of SVG elements, in points, y growing downward.
type drawing struct {
	brush
	body   bytes.Buffer
	height vg.Length
}

// svg is the document, with what a reader who does not see it is told.
func (d *drawing) svg(width vg.Length, title, alt string) []byte {
	var b bytes.Buffer
	w, h := number3(float64(width)), number3(float64(d.height))
	fmt.Fprintf(&b, `<?xml version="1.0"?>
<svg role="img" aria-label="%s" width="%spt" height="%spt" viewBox="0 0 %s %s" xmlns="http://www.w3.org/2000/svg">
<title>%s</title>
`, html.EscapeString(alt), w, h, w, h, html.EscapeString(title))
	b.Write(d.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (d *drawing) Fill(path vg.Path) {
	c, opacity := paint(d.colour)
	fmt.Fprintf(&d.body, `<path d="%s" fill="%s"%s/>`+"\n", d.data(path), c, attribute("fill-opacity", opacity))
}

func (d *drawing) Stroke(path vg.Path) {
	if !(d.width > 0) {
		return
	}
	c, opacity := paint(d.colour)
	fmt.Fprintf(&d.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"%s`,
		d.data(path), c, number3(float64(d.width)), attribute("stroke-opacity", opacity))
	if len(d.dashes) > 0 {
		d.body.WriteString(` stroke-dasharray="`)
		for i, l := range d.dashes {
			if i > 0 {
				d.body.WriteByte(' ')
			}
			d.body.WriteString(number3(float64(l)))
		}
		fmt.Fprintf(&d.body, `" stroke-dashoffset="%s"`, number3(float64(d.offset)))
	}
	d.body.WriteString("/>\n")
}

// data is a path in the commands of SVG.
func (d *drawing) data(path vg.Path) []byte {
	var b []byte
	put := func(command string, points ...vg.Point) {
		b = append(b, command...)
		for i, p := range points {
			if i > 0 {
				b = append(b, ' ')
			}
			b = append(b, number3(float64(p.X))...)
			b = append(b, ' ')
			b = append(b, number3(float64(d.height-p.Y))...)
		}
	}
	for _, c := range path {
		switch {
		case c.Type == vg.MoveComp:
			put("M", c.Pos)
		case c.Type == vg.LineComp:
			put("L", c.Pos)
		case c.Type == vg.CurveComp && len(c.Control) == 1:
			put("Q", c.Control[0], c.Pos)
		case c.Type == vg.CurveComp && len(c.Control) == 2:
			put("C", c.Control[0], c.Control[1], c.Pos)
		case c.Type == vg.CloseComp:
			put("Z")
		}
	}
	return b
}

// paint is a colour without its opacity, and that from 0 to 1.
func paint(c color.Color) (string, float64) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B), float64(n.A) / 255
}

func attribute(name string, opacity float64) string {
	if opacity == 1 {
		return ""
	}
	return fmt.Sprintf(` %s="%s"`, name, number3(opacity))
}

// number3 is x to three decimals, a thousandth of a point.
func number3(x float64) string {
	return strconv.FormatFloat(math.Round(x*1000)/1000, 'f', -1, 64)
}
