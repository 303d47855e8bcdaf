package viz

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
)

// style is sent with every view, because a notebook keeps each output on its own. It inherits the
// page's colours, light or dark. The sticky header needs an opaque ground: that of the front end's
// theme, or else of the page's colour scheme. Grounds are drawn as inner shadows, because an
// exporter that sees a background colour takes it for one of a light page.
const style = `.dpnb-view{font-size:.875rem;line-height:1.45;color:inherit;max-width:100%}
.dpnb-view>*{margin:.5em 0}
.dpnb-view .dpnb-title{font-weight:600;font-size:1.05em}
.dpnb-view .dpnb-scroll{overflow:auto;max-height:34em;border:1px solid rgba(127,127,127,.4);border-radius:4px;width:fit-content;max-width:100%}
.dpnb-view .dpnb-scroll .table{border:0;margin:0;max-height:none;overflow:visible;width:auto}
.dpnb-view table{border-collapse:separate;border-spacing:0;margin:0;border:0;color:inherit;font-variant-numeric:tabular-nums}
.dpnb-view caption{caption-side:top;text-align:left;padding:.4em .7em;opacity:.85}
.dpnb-view th,.dpnb-view td{padding:.3em .7em;text-align:left;vertical-align:top;white-space:pre-line;border:0;border-bottom:1px solid rgba(127,127,127,.25);max-width:34em;min-width:2em;background:none}
.dpnb-view thead>tr>*{position:sticky;top:0;white-space:nowrap;box-shadow:inset 0 0 0 100em var(--jp-layout-color0,var(--vscode-editor-background,var(--bg,Canvas)));border-bottom:2px solid rgba(127,127,127,.6)}
.dpnb-view td.dpnb-n,.dpnb-view th.dpnb-n{text-align:right;white-space:nowrap}
.dpnb-view tr.dpnb-foot>*{border-top:2px solid rgba(127,127,127,.6);border-bottom:0}
.dpnb-view .dpnb-banner{border:2px solid #d55e00;border-left-width:8px;border-radius:4px;padding:.5em .8em;box-shadow:inset 0 0 0 100em rgba(213,94,0,.14)}
.dpnb-view dl{display:grid;grid-template-columns:max-content 1fr;gap:.25em 1.2em}
.dpnb-view dt{opacity:.85;font-weight:400}
.dpnb-view dd{margin:0;white-space:pre-line;overflow-wrap:anywhere}
.dpnb-view dd.dpnb-alarm{font-weight:700;border-left:4px solid #d55e00;padding-left:.5em}
.dpnb-view meter{width:20em;max-width:100%;height:1.1em;vertical-align:middle;margin-right:.7em}
.dpnb-view figure{margin:0}
.dpnb-view img{max-width:100%;height:auto;border-radius:4px}
@media print{.dpnb-view .dpnb-scroll{max-height:none}}
`

const viewTemplate = `{{define "view"}}<section class="dpnb-view" aria-label="{{.Label}}"><style>{{.Style}}</style>
{{with .Title}}<p class="dpnb-title">{{.}}</p>
{{end}}{{range .Banners}}{{template "banner" .}}
{{end}}{{with .Image}}<figure><img src="{{.}}" width="{{$.Width}}" alt="{{$.Alt}}"></figure>
{{end}}{{range .Blocks}}{{template "block" .}}
{{end}}</section>{{end}}
{{define "banner"}}<div class="dpnb-banner" role="note"><strong>{{.Head}}:</strong> {{.Body}}</div>{{end}}
{{define "block"}}{{with .Banner}}{{template "banner" .}}{{end -}}
{{with .Para}}<p>{{.Text}}</p>{{end -}}
{{with .Facts}}<dl>{{range .}}
<dt>{{.Name}}</dt><dd{{if .Alarm}} class="dpnb-alarm"{{end}}>{{.Value}}</dd>{{end}}
</dl>{{end -}}
{{with .Meter}}<p><meter min="0" max="{{.Max}}" value="{{.Value}}" aria-label="{{.Label}}"></meter>{{.Label}}</p>{{end -}}
{{with .Grid}}<div class="dpnb-scroll" role="region" tabindex="0" aria-label="{{.Label}}"><table>
{{with .Caption}}<caption>{{.}}</caption>
{{end}}<thead><tr>{{range .Heads}}{{if .Text}}<th scope="col"{{if .Right}} class="dpnb-n"{{end}}>{{.Text}}</th>{{else}}<td></td>{{end}}{{end}}</tr></thead>
<tbody>{{range .Rows}}
<tr{{if .Foot}} class="dpnb-foot"{{end}}>{{range .Cells}}<td{{if .Right}} class="dpnb-n"{{end}}>{{.Text}}</td>{{end}}</tr>{{end}}
</tbody></table></div>{{end}}{{end}}
{{define "page"}}<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}}</title>
<style>:root{color-scheme:light dark}body{margin:1.5rem;font-family:system-ui,"Liberation Sans",Arial,sans-serif}</style></head>
<body>
{{.Body}}
</body></html>
{{end}}`

// What the template reads. Exactly one field of htmlBlock is set.
type (
	htmlView struct {
		Title, Label, Alt string
		Width             int
		Style             template.CSS
		Image             template.URL
		Banners           []banner
		Blocks            []htmlBlock
	}
	htmlBlock struct {
		Banner *banner
		Para   *para
		Facts  facts
		Meter  *meter
		Grid   *htmlGrid
	}
	htmlGrid struct {
		Caption, Label string
		Heads          []htmlCell
		Rows           []htmlRow
	}
	htmlRow struct {
		Cells []htmlCell
		Foot  bool
	}
	htmlCell struct {
		Text  string
		Right bool
	}
)

func renderHTML(v View) string {
	h := htmlView{Title: v.title, Label: v.title, Style: style}
	if v.fig == nil {
		for _, b := range v.blocks {
			h.Blocks = append(h.Blocks, htmlOf(b, v.title))
		}
	} else {
		// The image holds what the blocks say; the warnings stay words.
		for _, b := range v.blocks {
			if w, ok := b.(banner); ok {
				h.Banners = append(h.Banners, w)
			}
		}
		h.Alt, h.Width = v.alt, figureWidth
		h.Title = "" // it is in the image
		if png, err := v.fig.png(); err == nil {
			h.Image = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
		} else {
			h.Blocks = append(h.Blocks, htmlBlock{Para: &para{"The plot could not be drawn: " + clean(err.Error())}})
		}
	}
	return execute("view", h)
}

// renderPage is a whole document.
func renderPage(v View) string {
	title := v.title
	if title == "" {
		title = "dpnb"
	}
	return execute("page", struct {
		Title string
		Body  template.HTML
	}{title, template.HTML(renderHTML(v))})
}

func execute(name string, data any) string {
	var b strings.Builder
	t := template.Must(template.New("").Parse(viewTemplate))
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("viz: template %s on its own type: %v", name, err)) // impossible
	}
	return b.String()
}

func htmlOf(b block, title string) htmlBlock {
	switch b := b.(type) {
	case banner:
		return htmlBlock{Banner: &b}
	case para:
		return htmlBlock{Para: &b}
	case facts:
		return htmlBlock{Facts: b}
	case meter:
		return htmlBlock{Meter: &b}
	case grid:
		return htmlBlock{Grid: b.html(title)}
	default:
		panic(fmt.Sprintf("viz: block %T has no HTML", b)) // impossible
	}
}

func (g grid) html(title string) *htmlGrid {
	h := &htmlGrid{Caption: g.Caption, Label: g.Caption}
	if h.Label == "" {
		h.Label = title
	}
	if h.Label == "" {
		h.Label = "table"
	}
	for _, c := range g.Columns {
		h.Heads = append(h.Heads, htmlCell{c.Head, c.Right})
	}
	for i, r := range g.Rows {
		row := htmlRow{Foot: g.Foot && i == len(g.Rows)-1}
		for j, s := range r {
			row.Cells = append(row.Cells, htmlCell{s, g.Columns[j].Right})
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}
