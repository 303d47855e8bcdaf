package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// minHeadings is the number of headings from which a page has a table of contents.
const minHeadings = 4

var (
	//go:embed frame.tmpl costs.tmpl
	templates embed.FS
	//go:embed style.css
	styleSheet string
	//go:embed theme.js
	script string

	darkRules = regexp.MustCompile(`(?s)/\* dark \*/(.*?)/\* end \*/`)
	linkTag   = regexp.MustCompile(`</?a(?:\s[^>]*)?>`)
	idInTag   = regexp.MustCompile(` id="[^"]*"`)
)

// frame is what stands around the cells: frame.tmpl draws it.
type frame struct {
	Policy        template.HTMLAttr
	Style         template.CSS
	Script        template.JS
	Title, Kernel string
	Contents      []entry
	HasTopHeading bool
	Costs         costSummary
	Body          template.HTML
}

// entry is a line of the table of contents.
type entry struct {
	Level int // 0 is the highest that is listed
	ID    string
	Text  template.HTML
}

var frameTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("frame.tmpl").Funcs(template.FuncMap{"text": sanitize.Text, "dash": dash}).ParseFS(templates, "*.tmpl"))
})

// dash stands where a text is empty.
func dash(s string) string {
	if strings.TrimSpace(s) == "" {
		return "–"
	}
	return sanitize.Text(s)
}

func (p *builder) frame(n *nb.Notebook, o Options) frame {
	title := p.title(o)
	return frame{
		Policy: policy(p.doc.relative), Style: template.CSS(withThemes(styleSheet)), Script: template.JS(script),
		Title: sanitize.Text(title), Kernel: sanitize.Text(kernelLine(n)),
		Contents: p.contents(title), HasTopHeading: p.hasTopHeading(),
		Costs: costsOf(n), Body: template.HTML(p.body.String()),
	}
}

// policy is the content security policy of the page: nothing but what is inside it, and its own
// one script by its hash.
func policy(relativeImages bool) template.HTMLAttr {
	hash := sha256.Sum256([]byte(script))
	images := "data:"
	if relativeImages {
		images += " 'self' file:"
	}
	return template.HTMLAttr(`content="default-src 'none'; style-src 'unsafe-inline'; img-src ` + images + "; media-src data:; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + `'; base-uri 'none'; form-action 'none'"`)
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

// contents is the table of contents, empty for a page that needs none. The heading that is the title of the page is not listed.
func (p *builder) contents(title string) (list []entry) {
	hs := p.doc.headings
	if len(hs) < minHeadings {
		return nil
	}
	if hs[0].level == 1 && plainText(hs[0].inner) == title {
		hs = hs[1:]
	}
	top := 6
	for _, h := range hs {
		top = min(top, h.level)
	}
	for _, h := range hs {
		if h.id == "" || h.level > top+2 {
			continue
		}
		inner := idInTag.ReplaceAllString(linkTag.ReplaceAllString(h.inner, ""), "")
		list = append(list, entry{h.level - top, h.id, template.HTML(inner)})
	}
	return list
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
