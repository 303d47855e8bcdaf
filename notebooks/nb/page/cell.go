package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// longSource is the number of lines above which a reader can fold a source.
const longSource = 40

// cell draws a cell.
func (p *builder) cell(c *nb.Cell) error {
	p.cells++
	hide := hidden(c.Metadata)
	if hide["cell"] {
		return nil
	}
	switch c.Type {
	case "markdown":
		clean, err := p.doc.html(c.Source, c.Attachments)
		if err != nil {
			return err
		}
		p.body.WriteString("<div class=\"cell md\">\n" + clean + "</div>\n")
	case "code":
		return p.code(c, hide)
	default:
		if strings.TrimSpace(c.Source) != "" {
			p.body.WriteString("<div class=\"cell raw\"><pre tabindex=\"0\">" + sanitize.Escape(c.Source) + "</pre></div>\n")
		}
	}
	return nil
}

func (p *builder) code(c *nb.Cell, hide map[string]bool) error {
	var outputs strings.Builder
	if !hide["remove-output"] {
		for _, o := range joinStreams(c.Outputs) {
			s, err := p.output(c, o)
			if err != nil {
				return err
			}
			outputs.WriteString(s)
		}
	}
	source := strings.TrimRight(c.Source, "\n")
	if strings.TrimSpace(source) == "" && outputs.Len() == 0 {
		return nil
	}
	b := &p.body
	b.WriteString("<div class=\"cell code\">\n")
	if strings.TrimSpace(source) != "" && !hide["remove-input"] {
		count := " "
		if c.ExecutionCount > 0 {
			count = fmt.Sprint(c.ExecutionCount)
		}
		fmt.Fprintf(b, "<div class=\"prompt\"><span class=\"sr\">Code cell, execution </span>[%s]</div>\n", count)
		b.WriteString("<div class=\"in\">" + sourceBlock(source, hide["input"]) + "</div>\n")
	}
	if outputs.Len() > 0 {
		b.WriteString("<div class=\"outs\">\n")
		if hide["output"] {
			b.WriteString("<details><summary>Output</summary>\n" + outputs.String() + "</details>\n")
		} else {
			b.WriteString(outputs.String())
		}
		b.WriteString("</div>\n")
	}
	b.WriteString("</div>\n")
	return nil
}

func sourceBlock(source string, hidden bool) string {
	pre := "<pre tabindex=\"0\"><code class=\"language-go\">" + highlightGo(source) + "</code></pre>"
	lines := strings.Count(source, "\n") + 1
	if !hidden && lines <= longSource {
		return pre
	}
	open, noun := " open", "lines"
	if hidden {
		open = ""
	}
	if lines == 1 {
		noun = "line"
	}
	return fmt.Sprintf("<details%s><summary>Source, %d %s</summary>%s</details>", open, lines, noun, pre)
}

// hidden reads what cell metadata hides, as JupyterLab ("jupyter") and Jupyter Book (tags) do.
func hidden(meta map[string]json.RawMessage) map[string]bool {
	hide := map[string]bool{}
	var lab struct {
		SourceHidden  bool `json:"source_hidden"`
		OutputsHidden bool `json:"outputs_hidden"`
	}
	var tags []string
	// Metadata of another shape hides nothing.
	if json.Unmarshal(meta["jupyter"], &lab) == nil {
		hide["input"], hide["output"] = lab.SourceHidden, lab.OutputsHidden
	}
	if json.Unmarshal(meta["tags"], &tags) == nil {
		for _, t := range tags {
			t = strings.ReplaceAll(t, "_", "-")
			switch t {
			case "hide-input", "hide-output":
				hide[strings.TrimPrefix(t, "hide-")] = true
			case "remove-input", "remove-output":
				hide[t] = true
			case "remove-cell":
				hide["cell"] = true
			case "hide-cell":
				hide["input"], hide["output"] = true, true
			}
		}
	}
	return hide
}

// joinStreams joins what one stream wrote in pieces.
func joinStreams(outputs []nb.Output) []nb.Output {
	var out []nb.Output
	for _, o := range outputs {
		if last := len(out) - 1; o.Type == "stream" && last >= 0 && out[last].Type == "stream" && out[last].Name == o.Name {
			out[last].Text += o.Text
			continue
		}
		out = append(out, o)
	}
	return out
}
