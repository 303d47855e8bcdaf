package viz

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/internal/gonb"
)

// View is something to look at: a table or a plot. It is immutable; the zero value is empty.
type View struct {
	title  string
	blocks []block // the table, or the words that stand for the plot
	fig    *figure // nil for a table
	alt    string  // of the plot, one paragraph
	facts  string  // for programs, in the display's metadata; "" for none
}

// Show displays the view. In a notebook it sends one display with HTML (a table) or a PNG image (a
// plot), each with the text beside it for front ends that show neither. Elsewhere it prints the
// text to standard output.
func (v View) Show() error {
	if gonb.InNotebook() {
		b, err := v.bundle()
		if err != nil {
			return err
		}
		return send(b)
	}
	return v.To(os.Stdout)
}

// Text is the view as plain text, about 100 columns wide. It ends in a newline.
func (v View) Text() string { return renderText(v.title, v.blocks) }

// HTML is the view as an element that needs nothing else: a table, or the plot as an embedded image
// with its alternative text.
func (v View) HTML() string { return renderHTML(v) }

// PNG is the plot, 900 px wide at twice that density. A table has none: use HTML or Text.
func (v View) PNG() ([]byte, error) {
	if v.fig == nil {
		return nil, fmt.Errorf("viz: png: got the table %q, want a plot; write a table as .html or .txt", v.title)
	}
	return v.fig.png()
}

// SVG is the plot as a vector drawing. A table has none.
func (v View) SVG() ([]byte, error) {
	if v.fig == nil {
		return nil, fmt.Errorf("viz: svg: got the table %q, want a plot; write a table as .html or .txt", v.title)
	}
	return v.fig.svg(v.title, v.alt)
}

// WriteFile writes the form that the path's extension names: .html, .txt, and for plots .png and .svg.
func (v View) WriteFile(path string) error {
	var data []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".html":
		data = []byte(renderPage(v))
	case ".txt":
		data = []byte(v.Text())
	case ".png":
		data, err = v.PNG()
	case ".svg":
		data, err = v.SVG()
	default:
		return fmt.Errorf("viz: write file: got the extension %q, want .html, .txt, .png or .svg", ext)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("viz: write file: %w", err)
	}
	return nil
}

// To writes the text form.
func (v View) To(w io.Writer) error {
	if _, err := io.WriteString(w, v.Text()); err != nil {
		return fmt.Errorf("viz: write text: %w", err)
	}
	return nil
}
