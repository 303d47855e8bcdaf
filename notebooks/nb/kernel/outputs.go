package kernel

import (
	"encoding/json"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// maxText bounds the stream text that one cell may produce: beyond it a notebook file is useless and
// a runaway loop would fill the memory.
const maxText = 16 << 20

// outputs applies the kernel's messages to the cells of a notebook, as a Jupyter front end does.
type outputs struct {
	displays map[string][]place // display id → where it is shown
}

type place struct {
	cell  *nb.Cell
	index int
}

// cellOutputs is the state of one cell while it runs.
type cellOutputs struct {
	*nb.Cell
	clearNext bool            // clear_output(wait=true): clear when the next output comes
	text      int             // bytes of stream text so far, also those beyond maxText, which are dropped
	stream    strings.Builder // the text of the last output, where it is a stream
	exit      string
	unknown   string // a %command that GoNB does not know
	stderr    []byte // the end of stderr, for error reports
}

// content holds the fields of all output messages.
type content struct {
	Name           string                     `json:"name"`
	Text           string                     `json:"text"`
	Data           map[string]json.RawMessage `json:"data"`
	Metadata       map[string]json.RawMessage `json:"metadata"`
	Transient      map[string]json.RawMessage `json:"transient"`
	ExecutionCount int                        `json:"execution_count"`
	EName          string                     `json:"ename"`
	EValue         string                     `json:"evalue"`
	Traceback      []string                   `json:"traceback"`
	Wait           bool                       `json:"wait"`
	State          string                     `json:"execution_state"`
	Status         string                     `json:"status"`
}

// apply handles one iopub message about the cell and returns its content.
func (o *outputs) apply(c *cellOutputs, m message) (content, error) {
	var in content
	if err := json.Unmarshal(m.Content, &in); err != nil {
		return in, err
	}
	var display string
	if raw, ok := in.Transient["display_id"]; ok {
		_ = json.Unmarshal(raw, &display) // not a string: no display id
	}
	switch m.Header.Type {
	case "clear_output":
		if c.clearNext = in.Wait; !in.Wait {
			o.clear(c.Cell)
		}
	case "stream":
		c.watch(in)
		o.flush(c)
		c.print(in.Name, in.Text)
	case "display_data", "execute_result":
		o.flush(c)
		if display != "" {
			o.displays[display] = append(o.displays[display], place{c.Cell, len(c.Outputs)})
		}
		out := nb.Output{Type: m.Header.Type, Data: in.Data, Metadata: in.Metadata}
		if out.Type == "execute_result" {
			out.ExecutionCount = in.ExecutionCount
		}
		c.Outputs = append(c.Outputs, out)
	case "update_display_data":
		for _, p := range o.displays[display] {
			p.cell.Outputs[p.index].Data = in.Data
			p.cell.Outputs[p.index].Metadata = in.Metadata
		}
	case "error":
		o.flush(c)
		c.Outputs = append(c.Outputs, nb.Output{Type: "error", EName: in.EName, EValue: in.EValue, Traceback: in.Traceback})
	}
	return in, nil
}

// print appends to the last output where that is the same stream, else it starts a new one.
func (c *cellOutputs) print(name, text string) {
	if c.text += len(text); c.text > maxText {
		return
	}
	last := len(c.Outputs) - 1
	if last < 0 || c.Outputs[last].Type != "stream" || c.Outputs[last].Name != name {
		c.stream.Reset()
		c.Outputs = append(c.Outputs, nb.Output{Type: "stream", Name: name})
		last++
	}
	c.stream.WriteString(text)
	c.Outputs[last].Text = c.stream.String() // no copy: the builder grows behind it
}

// watch remembers what GoNB says in stream messages of its own, and the end of stderr.
func (c *cellOutputs) watch(in content) {
	if in.Name != "stderr" {
		return
	}
	switch {
	case exitMessage.MatchString(in.Text):
		c.exit = in.Text
	case unknownMessage.MatchString(in.Text):
		c.unknown = unknownMessage.FindStringSubmatch(in.Text)[1]
	}
	const keep = 8 << 10
	if c.stderr = append(c.stderr, in.Text...); len(c.stderr) > 2*keep {
		c.stderr = append([]byte(nil), c.stderr[len(c.stderr)-keep:]...)
	}
}

// said returns the last lines of stderr, without colours and without GoNB's exit message.
func (c *cellOutputs) said(lines int) string {
	return lastLines(nb.StripANSI(strings.TrimSuffix(string(c.stderr), c.exit)), lines)
}

func (o *outputs) flush(c *cellOutputs) {
	if c.clearNext {
		c.clearNext = false
		o.clear(c.Cell)
	}
}

// clear empties the cell and forgets the displays that it showed.
func (o *outputs) clear(c *nb.Cell) {
	c.Outputs = nil
	for id, places := range o.displays {
		kept := places[:0]
		for _, p := range places {
			if p.cell != c {
				kept = append(kept, p)
			}
		}
		o.displays[id] = kept
	}
}
