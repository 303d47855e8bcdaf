package nb

import (
	"io"
)

// HTMLOptions configures WriteHTML.
type HTMLOptions struct{ Title string }

// WriteHTML renders the notebook as a page.
func WriteHTML(w io.Writer, n *Notebook, o HTMLOptions) error {
	_, err := io.WriteString(w, "<!doctype html>\n<title>"+o.Title+"</title>\n")
	return err
}
