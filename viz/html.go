package viz

import (
	"encoding/base64"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is sent with every view, because a notebook keeps each output on its own. It inherits the
// page's colours, light or dark. The sticky header needs an opaque ground: that of the front end's
// theme, or else of the page's colour scheme. Grounds are drawn as inner shadows, because an
// exporter that sees a background colour takes it for one of a light page.
const style = `.dpnb-view{font-size:max(.82em,12.5px);line-height:1.45;color:inherit;max-width:100%}
.dpnb-view>*{margin:.5em 0}
.dpnb-view .dpnb-title{font-weight:600;font-size:1.05em}
.dpnb-view .dpnb-scroll{overflow:auto;max-height:34em;border:1px solid rgba(127,127,127,.4);border-radius:4px;width:fit-content;max-width:100%}
.dpnb-view .dpnb-scroll .table{border:0;margin:0;max-height:none;overflow:visible;width:auto}
.dpnb-view table{font-size:inherit;border-collapse:separate;border-spacing:0;margin:0;border:0;color:inherit;font-variant-numeric:tabular-nums}
.dpnb-view caption{caption-side:top;text-align:left;padding:.4em .7em;opacity:.85}
.dpnb-view th,.dpnb-view td{padding:.3em .7em;text-align:left;vertical-align:top;white-space:pre-line;border:0;border-bottom:1px solid rgba(127,127,127,.25);max-width:34em;min-width:2em;background:none}
.dpnb-view .dpnb-long{min-width:15em}
.dpnb-view thead>tr>*{position:sticky;top:0;vertical-align:bottom;box-shadow:inset 0 0 0 100em var(--jp-layout-color0,var(--vscode-editor-background,var(--bg,Canvas)));border-bottom:2px solid rgba(127,127,127,.6)}
.dpnb-view .dpnb-n{text-align:right}
.dpnb-view td.dpnb-n{white-space:nowrap}
.dpnb-view tr.dpnb-foot>*{position:sticky;bottom:0;border-top:2px solid rgba(127,127,127,.6);border-bottom:0;box-shadow:inset 0 0 0 100em var(--jp-layout-color0,var(--vscode-editor-background,var(--bg,Canvas)))}
.dpnb-view .dpnb-banner{border:2px solid #d55e00;border-left-width:8px;border-radius:4px;padding:.5em .8em;box-shadow:inset 0 0 0 100em rgba(213,94,0,.14)}
.dpnb-view dl{display:grid;grid-template-columns:minmax(5.6em,max-content) 1fr;gap:.25em 1.2em}
.dpnb-view dt{opacity:.85;font-weight:400}
.dpnb-view dd{margin:0;white-space:pre-line;overflow-wrap:anywhere}
.dpnb-view dd.dpnb-alarm{font-weight:700;border-left:4px solid #d55e00;padding-left:.5em}
.dpnb-view .dpnb-meter{display:flex;flex-wrap:wrap;align-items:center;gap:.1em .7em}
.dpnb-view meter{width:20em;max-width:100%;height:1.1em}
.dpnb-view figure{margin:0;overflow-x:auto}
.dpnb-view img{max-width:max(100%,40rem);height:auto;border-radius:4px}
@media print{.dpnb-view .dpnb-scroll{max-height:none}}
`

// page writes HTML. Text and attribute values are escaped on the way; markup is constant.
// (html/template would do the same, but it adds a fifth of a second to every cell's link.)
type page struct{ strings.Builder }

func (p *page) markup(s ...string) {
	for _, part := range s {
		p.WriteString(part)
	}
}

func (p *page) text(s string) { p.WriteString(html.EscapeString(s)) }

// attr writes name="value".
func (p *page) attr(name, value string) { p.markup(" ", name, `="`, html.EscapeString(value), `"`) }

func renderHTML(v View) string {
	var p page
	p.markup(`<section class="dpnb-view"`)
	p.attr("aria-label", v.title)
	p.markup("><style>", style, "</style>\n")
	if v.fig == nil {
		if v.title != "" {
			p.markup(`<p class="dpnb-title">`)
			p.text(v.title)
			p.markup("</p>\n")
		}
		for _, b := range v.blocks {
			p.block(b, v.title)
			p.markup("\n")
		}
	} else {
		// The image holds the title and what the blocks say; the warnings stay words, and other orders of a table are behind it.
		for _, b := range v.blocks {
			if w, ok := b.(banner); ok {
				p.block(w, "")
				p.markup("\n")
			}
		}
		p.figure(v)
		p.markup("\n")
		for _, b := range v.blocks {
			if f, ok := b.(folded); ok {
				p.block(f, "")
				p.markup("\n")
			}
		}
	}
	p.markup("</section>")
	return p.String()
}

// renderPage is a whole document.
func renderPage(v View) string {
	title := v.title
	if title == "" {
		title = "dpnb"
	}
	var p page
	p.markup("<!DOCTYPE html>\n", `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>`)
	p.text(title)
	p.markup("</title>\n", `<style>:root{color-scheme:light dark}body{margin:1.5rem;font-family:system-ui,"Liberation Sans",Arial,sans-serif}`,
		// Lightness turns around on a dark page, hues stay.
		`@media screen and (prefers-color-scheme:dark){img{filter:invert(.93) hue-rotate(180deg)}}</style></head>`,
		"\n<body>\n", renderHTML(v), "\n</body></html>\n")
	return p.String()
}

func (p *page) figure(v View) {
	png, err := v.fig.png()
	if err != nil {
		p.block(para{"The plot could not be drawn: " + clean(err.Error())}, "")
		return
	}
	p.markup("<figure><img")
	p.attr("src", "data:image/png;base64,"+base64.StdEncoding.EncodeToString(png))
	p.attr("width", strconv.Itoa(v.fig.pixels()))
	p.attr("alt", v.alt)
	p.markup("></figure>")
}

func (p *page) block(b block, title string) {
	switch b := b.(type) {
	case banner:
		p.markup(`<div class="dpnb-banner" role="note"><strong>`)
		p.text(b.Head + ":")
		p.markup("</strong> ")
		p.text(b.Body)
		p.markup("</div>")
	case para:
		p.markup("<p>")
		p.text(b.Text)
		p.markup("</p>")
	case facts:
		p.markup("<dl>")
		for _, f := range b {
			p.markup("\n<dt>")
			p.text(f.Name)
			p.markup("</dt><dd", onlyIf(f.Alarm, ` class="dpnb-alarm"`), ">")
			p.text(f.Value)
			p.markup("</dd>")
		}
		p.markup("\n</dl>")
	case meter:
		p.markup(`<p class="dpnb-meter"><meter min="0"`)
		p.attr("max", fmt.Sprint(b.Max))
		p.attr("value", fmt.Sprint(b.Value))
		p.attr("aria-label", b.Label)
		p.markup("></meter>")
		p.text(b.Label)
		p.markup("</p>")
	case grid:
		p.grid(b, title)
	case folded:
		p.markup(`<details><summary style="cursor:pointer;width:fit-content">`)
		p.text(b.Summary)
		p.markup("</summary>")
		p.grid(b.Grid, b.Summary)
		p.markup("</details>")
	default:
		panic(fmt.Sprintf("viz: block %T has no HTML", b)) // impossible
	}
}

func (p *page) grid(g grid, title string) {
	label := g.Caption
	if label == "" {
		label = title
	}
	if label == "" {
		label = "table"
	}
	p.markup(`<div class="dpnb-scroll" role="region" tabindex="0"`)
	p.attr("aria-label", label)
	p.markup("><table>\n")
	if g.Caption != "" {
		p.markup("<caption>")
		p.text(g.Caption)
		p.markup("</caption>\n")
	}
	p.markup("<thead><tr>")
	for j, c := range g.Columns {
		// One cell makes the column as wide.
		class := onlyIf(c.Right, ` class="dpnb-n"`) + onlyIf(g.long(j), ` class="dpnb-long"`)
		if c.Head == "" {
			p.markup("<td", class, "></td>")
			continue
		}
		p.markup(`<th scope="col"`, class, ">")
		p.text(c.Head)
		p.markup("</th>")
	}
	p.markup("</tr></thead>\n<tbody>")
	for i, r := range g.Rows {
		p.markup("\n<tr", onlyIf(g.Foot && i == len(g.Rows)-1, ` class="dpnb-foot"`), ">")
		for j, s := range r {
			p.markup("<td", onlyIf(g.Columns[j].Right, ` class="dpnb-n"`), ">")
			p.text(s)
			p.markup("</td>")
		}
		p.markup("</tr>")
	}
	p.markup("\n</tbody></table></div>")
}

// long reports whether column j holds sentences, which no browser should squeeze into a word's width
// to spare the reader from scrolling sideways.
func (g grid) long(j int) bool {
	if g.Columns[j].Right {
		return false
	}
	for _, r := range g.Rows {
		for line := range strings.Lines(r[j]) {
			if utf8.RuneCountInString(line) > longLine {
				return true
			}
		}
	}
	return false
}

// longLine is what fits the width that the style gives to long columns, in characters.
const longLine = 30

func onlyIf(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}
