package page

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// markdownDoc renders the markdown of one page: heading ids are unique across its cells.
type markdownDoc struct {
	ids      map[string]bool
	cells    int
	headings []markdownHeading
	relative bool // some image is relative to the page
}

type markdownHeading struct {
	level int
	id    string
	inner string // clean HTML
}

// html renders GitHub's markdown, with footnotes and mathematics, to clean HTML.
func (d *markdownDoc) html(source string, attachments map[string]map[string]string) (string, error) {
	d.cells++
	math := &markdownMath{}
	text := math.extract(strings.ReplaceAll(source, "\r\n", "\n"))
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.NewFootnote(extension.WithFootnoteIDPrefix(fmt.Sprintf("c%d-", d.cells)))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(markdownCode{}, 100))),
	)
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	var out bytes.Buffer
	ctx := parser.NewContext(parser.WithIDs(&markdownIDs{used: d.ids, math: math}))
	if err := md.Convert([]byte(text), &out, parser.WithContext(ctx)); err != nil {
		return "", fmt.Errorf("nb: markdown of cell %d: %w", d.cells, err)
	}
	clean := sanitize.HTML(out.String(), sanitize.Options{
		ID:          slug, // so that links written for other viewers work
		Attachments: attachments,
		Text:        math.restore,
		Attr:        math.restoreSource,
		Heading: func(level int, id, inner string) {
			d.headings = append(d.headings, markdownHeading{level, id, inner})
		},
	})
	d.relative = d.relative || clean.Relative
	return clean.HTML, nil
}

// markdownIDs gives headings the ids that GitHub gives them.
type markdownIDs struct {
	used map[string]bool
	math *markdownMath
}

func (m *markdownIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := slug(m.math.restoreSource(string(value)))
	if base == "" {
		base = "section"
	}
	id := base
	for i := 1; m.used[id]; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	m.used[id] = true
	return []byte(id)
}

func (m *markdownIDs) Put(value []byte) { m.used[string(value)] = true }

// slug is the id of a heading with this text. It is idempotent, and maps the ids that
// Jupyter and GitHub give to the same one.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.TrimSpace(s) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(unicode.ToLower(r))
		case r == ' ' || r == '-' || r == ':' || r == '\t' || r == '\n':
			dash = true
		}
	}
	return b.String()
}

// markdownCode renders fenced code, Go in colours.
type markdownCode struct{}

func (markdownCode) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, markdownFence)
}

func markdownFence(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	var code bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	lang := strings.ToLower(string(n.Language(source)))
	body := sanitize.Escape(code.String())
	if lang == "go" || lang == "golang" {
		body = highlightGo(code.String())
	}
	class := ""
	if lang != "" {
		class = ` class="language-` + sanitize.Escape(lang) + `"`
	}
	_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code%s>%s</code></pre>\n", class, body)
	return ast.WalkContinue, err
}
