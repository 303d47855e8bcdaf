package page

import (
	"crypto/sha256"
	_ "embed" // the style sheet and the script of the page
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// Options are the choices of Render. The zero value is ready for use.
type Options struct {
	Title string // title of the page; empty takes the first heading of the notebook
}

// minHeadings is the number of headings from which a page has a table of contents.
const minHeadings = 4

var (
	//go:embed style.css
	styleSheet string
	//go:embed theme.js
	script string

	anyTag    = regexp.MustCompile(`<[^>]*>`)
	linkTag   = regexp.MustCompile(`</?a(?:\s[^>]*)?>`)
	idInTag   = regexp.MustCompile(` id="[^"]*"`)
	darkRules = regexp.MustCompile(`(?s)/\* dark \*/(.*?)/\* end \*/`)
)

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
	if _, err := io.WriteString(w, page.document(n, o)); err != nil {
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

func (p *builder) document(n *nb.Notebook, o Options) string {
	title := p.title(o)
	toc := p.contents(title)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString(`<meta http-equiv="Content-Security-Policy" content="` + p.policy() + "\">\n")
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	b.WriteString("<title>" + sanitize.Escape(title) + "</title>\n<style>\n" + withThemes(styleSheet) + "</style>\n</head>\n")
	b.WriteString("<body>\n<a class=\"skip\" href=\"#nb:main\">Skip to the content</a>\n<header class=\"top\"><div>\n")
	b.WriteString("<p class=\"title\">" + sanitize.Escape(title) + "</p>\n<p class=\"meta\">" + sanitize.Escape(kernelLine(n)) + "</p>\n")
	b.WriteString("<button id=\"nb:theme\" type=\"button\" hidden>Dark</button>\n</div></header>\n")
	page := "page"
	if toc != "" {
		page = "page with-toc"
		b.WriteString("<nav class=\"toc-top\" aria-label=\"Contents\"><details><summary>Contents</summary>\n" + toc + "</details></nav>\n")
	}
	b.WriteString("<div class=\"" + page + "\">\n")
	if toc != "" {
		b.WriteString("<nav class=\"toc-side\" aria-label=\"Contents\"><p>Contents</p>\n" + toc + "</nav>\n")
	}
	b.WriteString("<main id=\"nb:main\">\n")
	if !p.hasTopHeading() {
		b.WriteString("<h1>" + sanitize.Escape(title) + "</h1>\n")
	}
	b.WriteString(htmlCosts(costsOf(n)))
	b.WriteString(p.body.String())
	b.WriteString("</main>\n</div>\n<script>" + script + "</script>\n</body>\n</html>\n")
	return b.String()
}

// policy is the content security policy of the page: nothing but what is inside it, and its own
// one script by its hash.
func (p *builder) policy() string {
	hash := sha256.Sum256([]byte(script))
	images := "data:"
	if p.doc.relative {
		images += " 'self' file:"
	}
	return "default-src 'none'; style-src 'unsafe-inline'; img-src " + images + "; media-src data:; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"
}

func (p *builder) title(o Options) string {
	if t := strings.TrimSpace(o.Title); t != "" {
		return t
	}
	for _, h := range p.doc.headings {
		if t := plainText(h.inner); t != "" {
			return t
		}
	}
	return "Notebook"
}

func (p *builder) hasTopHeading() bool {
	for _, h := range p.doc.headings {
		if h.level == 1 {
			return true
		}
	}
	return false
}

// contents is the table of contents, or "" for a page that needs none. Levels are relative to
// the highest that is listed; the heading that is the title of the page is not.
func (p *builder) contents(title string) string {
	hs := p.doc.headings
	if len(hs) < minHeadings {
		return ""
	}
	if hs[0].level == 1 && plainText(hs[0].inner) == title {
		hs = hs[1:]
	}
	top := 6
	for _, h := range hs {
		top = min(top, h.level)
	}
	var b strings.Builder
	b.WriteString("<ol>\n")
	for _, h := range hs {
		if h.id == "" || h.level > top+2 {
			continue
		}
		inner := idInTag.ReplaceAllString(linkTag.ReplaceAllString(h.inner, ""), "")
		fmt.Fprintf(&b, "<li class=\"toc-%d\"><a href=\"#%s\">%s</a></li>\n", h.level-top, sanitize.Escape(h.id), inner)
	}
	b.WriteString("</ol>\n")
	return b.String()
}

// kernelLine states the kernel and the language of a notebook.
func kernelLine(n *nb.Notebook) string {
	var spec struct {
		Name        string `json:"name"`
		DisplayName string `json:"display_name"`
	}
	var lang struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	// A notebook with a strange kernelspec is still worth reading: it has no kernel to state.
	_ = json.Unmarshal(n.Metadata["kernelspec"], &spec)
	_ = json.Unmarshal(n.Metadata["language_info"], &lang)
	kernel := spec.DisplayName
	if kernel == "" {
		kernel = spec.Name
	}
	if kernel == "" {
		kernel = "not stated"
	}
	s := "Kernel: " + kernel
	if lang.Version != "" {
		s += " · " + strings.TrimSpace(lang.Name+" "+strings.TrimPrefix(lang.Version, "go"))
	}
	return s
}

// withThemes repeats the dark colours for readers who choose them by the button.
func withThemes(css string) string {
	dark := darkRules.FindStringSubmatch(css)
	if dark == nil {
		return css
	}
	return css + ":root[data-theme=dark]{" + dark[1] + "}\n"
}

// plainText is the text of clean HTML.
func plainText(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllString(s, ""))), " ")
}
