package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// mimeTypes are the types that are drawn, the richest first.
var mimeTypes = []string{"text/html", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp", "text/markdown", "text/latex", "application/json", "text/plain"}

// output draws one output of a cell; "" when there is nothing to see.
func (p *builder) output(c *nb.Cell, o nb.Output) (string, error) {
	p.outputs++
	switch o.Type {
	case "stream":
		return streamOutput(o), nil
	case "error":
		return errorOutput(o), nil
	}
	var seen, blank bool
	for _, mime := range mimeTypes {
		raw, ok := o.Data[mime]
		if !ok {
			continue
		}
		text, isText := mimeText(raw)
		if mime != "application/json" && !isText {
			continue
		}
		if isText && strings.TrimSpace(text) == "" {
			blank = true
			if mime == "text/html" {
				break // an emptied display, such as a progress bar that is done
			}
			continue
		}
		seen = true
		s, err := p.display(c, o, mime, text)
		if err != nil {
			return "", err
		}
		if s != "" {
			return "<div class=\"out\">" + s + "</div>\n", nil
		}
	}
	if _, tag := o.Data[costMIME]; blank && !seen || len(o.Data) == 0 || tag {
		return "", nil
	}
	return "<div class=\"out note\">An output of type " + sanitize.Escape(strings.Join(typesOf(o.Data), ", ")) + " needs a live notebook.</div>\n", nil
}

// display draws one type of a bundle; "" when nothing of it may be drawn.
func (p *builder) display(c *nb.Cell, o nb.Output, mime, text string) (string, error) {
	switch mime {
	case "text/html":
		return p.rich(text), nil
	case "image/svg+xml":
		return svgImage(text, o, c), nil
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return imageTag(mime, sanitize.Base64(text), o, c), nil
	case "text/markdown":
		// Headings of outputs stay out of the table of contents.
		doc := markdownDoc{cells: p.doc.cells, ids: p.doc.ids}
		s, err := doc.html(text, nil)
		p.doc.cells, p.doc.ids, p.doc.relative = doc.cells, doc.ids, p.doc.relative || doc.relative
		return "<div class=\"md\">" + s + "</div>", err
	case "text/latex":
		return "<div class=\"md\">" + latexOutput(text) + "</div>", nil
	case "application/json":
		var b bytes.Buffer
		if err := json.Indent(&b, o.Data[mime], "", "  "); err != nil {
			return "", nil // not JSON: the next type of the bundle is better
		}
		return "<details open><summary>JSON</summary><pre tabindex=\"0\">" + sanitize.Escape(b.String()) + "</pre></details>", nil
	}
	return "<pre tabindex=\"0\">" + ansiHTML(text) + "</pre>", nil
}

// rich draws an HTML output: clean, with its ids made unique in the page, its style elements
// confined to it and its formulas drawn.
func (p *builder) rich(text string) string {
	prefix := fmt.Sprintf("o%d-", p.outputs)
	box := "nb:" + prefix + "box"
	clean := sanitize.HTML(text, sanitize.Options{IDPrefix: prefix, Scope: fmt.Sprintf(`[id="%s"]`, box), Text: textWithMath})
	if plainText(clean.HTML) == "" && !strings.ContainsAny(clean.HTML, "<") || clean.Removed && nothingVisible(clean.HTML) {
		return ""
	}
	p.doc.relative = p.doc.relative || clean.Relative
	class := "rich"
	if clean.Coloured {
		class = "rich paper" // it brings colours for a light page
	}
	return fmt.Sprintf("<div class=\"%s\" id=\"%s\">%s</div>", class, box, clean.HTML)
}

var visibleTag = regexp.MustCompile(`<(?:img|svg|table|math|hr|meter|progress|audio|video|a)\b`)

func nothingVisible(clean string) bool {
	return plainText(clean) == "" && !visibleTag.MatchString(clean)
}

// textWithMath draws the formulas in a text of an HTML output.
func textWithMath(text string, code bool) string {
	if code || !strings.ContainsAny(text, `$\`) {
		return sanitize.Escape(text)
	}
	m := &markdownMath{}
	return m.restore(m.extract(text), false)
}

// latexOutput draws a text/latex output: formulas with delimiters in running text, or one formula.
func latexOutput(text string) string {
	m := &markdownMath{}
	held := m.extract(text)
	if len(m.formulas) == 0 {
		return markdownFormula{tex: text, display: true}.html()
	}
	return "<p>" + m.restore(held, false) + "</p>"
}

func streamOutput(o nb.Output) string {
	if strings.TrimSpace(o.Text) == "" {
		return ""
	}
	text := ansiHTML(strings.TrimRight(o.Text, "\n"))
	if o.Name == "stderr" {
		return "<div class=\"out stderr\"><span class=\"label\">stderr</span><pre tabindex=\"0\">" + text + "</pre></div>\n"
	}
	return "<div class=\"out\"><pre tabindex=\"0\">" + text + "</pre></div>\n"
}

func errorOutput(o nb.Output) string {
	trace := strings.Join(o.Traceback, "\n")
	head := strings.Trim(o.EName+": "+o.EValue, ": ")
	if head == "" {
		head = "Error"
	}
	s := "<div class=\"out error\"><span class=\"label\">Error</span><p><strong>" + sanitize.Escape(head) + "</strong></p>"
	if strings.TrimSpace(trace) != "" {
		s += "<pre tabindex=\"0\">" + ansiHTML(trace) + "</pre>"
	}
	return s + "</div>\n"
}

// svgImage draws SVG as an image: there it cannot run scripts, fetch, or clash with the ids
// and styles of the page.
func svgImage(text string, o nb.Output, c *nb.Cell) string {
	clean := sanitize.HTML(text, sanitize.Options{Scope: "svg"}).HTML
	i := strings.Index(clean, "<svg")
	if i < 0 {
		return ""
	}
	clean = clean[i:]
	for _, ns := range [][2]string{{"xmlns:xlink=", "http://www.w3.org/1999/xlink"}, {"xmlns=", "http://www.w3.org/2000/svg"}} {
		if tag, _, _ := strings.Cut(clean, ">"); !strings.Contains(tag, " "+ns[0]) {
			clean = "<svg " + ns[0] + `"` + ns[1] + `"` + clean[len("<svg"):]
		}
	}
	return imageTag("image/svg+xml", base64.StdEncoding.EncodeToString([]byte(clean)), o, c)
}

func imageTag(mime, data string, o nb.Output, c *nb.Cell) string {
	if data == "" {
		return ""
	}
	class := ""
	if mime == "image/png" && isDrawing(data) {
		class = ` class="drawing"`
	}
	s := `<img` + class + ` src="data:` + mime + `;base64,` + data + `" alt="` + sanitize.Escape(altText(mime, o, c)) + `"`
	var size struct{ Width, Height float64 }
	if json.Unmarshal(o.Metadata[mime], &size) == nil {
		if size.Width >= 1 && size.Width < 1e5 {
			s += fmt.Sprintf(` width="%.0f"`, size.Width)
		}
		if size.Height >= 1 && size.Height < 1e5 {
			s += fmt.Sprintf(` height="%.0f"`, size.Height)
		}
	}
	return s + ">"
}

// altText is the text that stands for an image: of its metadata, else the plain text of the
// bundle, else which cell drew it.
func altText(mime string, o nb.Output, c *nb.Cell) string {
	var alt string
	if json.Unmarshal(o.Metadata["alt"], &alt) == nil && strings.TrimSpace(alt) != "" {
		return alt
	}
	var own struct{ Alt string }
	if json.Unmarshal(o.Metadata[mime], &own) == nil && strings.TrimSpace(own.Alt) != "" {
		return own.Alt
	}
	if text, ok := mimeText(o.Data["text/plain"]); ok && strings.TrimSpace(text) != "" {
		return strings.TrimSpace(text)
	}
	if c.ExecutionCount > 0 {
		return fmt.Sprintf("Image drawn by cell [%d]", c.ExecutionCount)
	}
	return "Image drawn by a cell"
}

// mimeText is the value of a text type: a string or a list of strings.
func mimeText(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, ""), true
	}
	return "", false
}

func typesOf(data map[string]json.RawMessage) []string {
	var types []string
	for mime := range data {
		types = append(types, mime)
	}
	sort.Strings(types)
	return types
}
