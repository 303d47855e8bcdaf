package gonumplot

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/internal/gonb"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// density is how many pixels of the image a pixel of the page has.
const density = 2

// Show displays the plot in the cell of a notebook, 620 pixels wide, as a PNG image with its words beside it. Elsewhere it
// prints the words, title and axes, to standard output.
func Show(p *plot.Plot) error {
	if p == nil {
		return fmt.Errorf("gonumplot: show: got no plot, want one that New returned")
	}
	if !gonb.InNotebook() {
		_, err := fmt.Print(words(p))
		return err
	}
	image, err := png(p)
	if err != nil {
		return err
	}
	const mime = "image/png"
	err = gonb.Send(gonb.Display{
		Data: map[string]string{"text/plain": words(p), mime: string(image)}, Raw: map[string]bool{mime: true},
		Metadata: map[string]string{"alt": alt(p)}, Widths: map[string]int{mime: int(math.Round(float64(width / px)))},
	}, true)
	if err != nil {
		return fmt.Errorf("gonumplot: show: %w", err)
	}
	return nil
}

// WriteFile writes the plot in the form that the path's extension names: .png or .svg. For other forms and sizes call the plot's
// own Save.
func WriteFile(p *plot.Plot, path string) error {
	if p == nil {
		return fmt.Errorf("gonumplot: write file: got no plot, want one that New returned")
	}
	var data []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png":
		data, err = png(p)
	case ".svg":
		data, err = svg(p)
	default:
		return fmt.Errorf("gonumplot: write file: got the extension %q, want .png or .svg", ext)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("gonumplot: write file: %w", err)
	}
	return nil
}

func png(p *plot.Plot) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(96*density))
	p.Draw(margins(draw.New(c)))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("gonumplot: png: %w", err)
	}
	return b.Bytes(), nil
}

func svg(p *plot.Plot) ([]byte, error) {
	c := vgsvg.New(width, height)
	full := draw.New(c)
	full.SetColor(p.BackgroundColor)
	full.Fill(full.Rectangle.Path())
	p.Draw(margins(full))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("gonumplot: svg: %w", err)
	}
	return b.Bytes(), nil
}

// margins leaves white around a plot: gonum/plot draws to the edge.
func margins(c draw.Canvas) draw.Canvas {
	return draw.Crop(c, 12*px, -16*px, 12*px, -14*px)
}

// words stand for the plot where no image can be shown.
func words(p *plot.Plot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Title.Text)
	for _, a := range []struct {
		name string
		axis *plot.Axis
	}{{"x", &p.X}, {"y", &p.Y}} {
		fmt.Fprintf(&b, "%s axis: %s%s to %s\n", a.name, named(a.axis.Label.Text), theme.TickLabel(a.axis.Min), theme.TickLabel(a.axis.Max))
	}
	return b.String()
}

func named(s string) string {
	if s == "" {
		return ""
	}
	return printable(s) + ", "
}

// alt is words in one paragraph.
func alt(p *plot.Plot) string {
	return strings.Join(strings.Split(strings.TrimSuffix(words(p), "\n"), "\n"), ". ") + "."
}
