package page

import (
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// Options are the choices of Render. The zero value is ready for use.
type Options struct {
	Title string // title of the page; empty takes the first heading of the notebook
}

// Render writes n as one HTML page that needs nothing else: style, images and mathematics
// (as MathML) are inside, and a content security policy keeps the browser off the network.
// Scripts, event handlers, frames and forms of outputs and of markdown are removed; what would
// load from another place becomes a link; images in markdown that are relative to the page stay.
// Where outputs say what releases cost, as those of package viz do, a summary stands above the cells.
func Render(w io.Writer, n *nb.Notebook, o Options) error {
	if n == nil {
		return errors.New("nb: write html, got a nil notebook, want one from Read")
	}
	page := &builder{}
	for i, c := range n.Cells {
		if c == nil {
			continue
		}
		if err := page.cell(c); err != nil {
			return fmt.Errorf("nb: write html, cell %d: %w", i+1, err)
		}
	}
	if err := frameTemplate().Execute(w, page.frame(n, o)); err != nil {
		return fmt.Errorf("nb: write html: %w", err)
	}
	return nil
}

// builder collects what the cells draw.
type builder struct {
	body    strings.Builder
	doc     markdownDoc
	outputs int // drawn so far; numbers the ids inside outputs
	cells   int
}

var anyTag = regexp.MustCompile(`<[^>]*>`)

// plainText is the text of clean HTML.
func plainText(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllString(s, ""))), " ")
}
