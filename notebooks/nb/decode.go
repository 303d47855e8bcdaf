package nb

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrNotNotebook is wrapped by every error about content that is not an nbformat 4 notebook.
var ErrNotNotebook = errors.New("not a Jupyter notebook")

// ReadFile reads a notebook. Errors name the file, the line and the field.
func ReadFile(path string) (*Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("nb: cannot read the notebook: %w", err)
	}
	return Parse(path, data)
}

// Read reads a notebook from r.
func Read(r io.Reader) (*Notebook, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("nb: cannot read the notebook: %w", err)
	}
	return Parse("notebook", data)
}

// Parse reads a notebook from its bytes; name stands before the line number in errors.
func Parse(name string, data []byte) (*Notebook, error) {
	fail := func(offset int64, format string, args ...any) error {
		line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
		return fmt.Errorf("nb: %s:%d: %w: %s", name, line, ErrNotNotebook, fmt.Sprintf(format, args...))
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fail(syntax.Offset, "%v", err)
		}
		return nil, fail(0, "%v", err)
	}
	top, cells, offsets, err := splitTop(data)
	if err != nil {
		return nil, fail(0, "%v", err)
	}

	n := &Notebook{}
	f := &fields{m: top}
	n.NBFormat = f.integer("nbformat")
	n.NBFormatMinor = f.integer("nbformat_minor")
	n.Metadata = f.object("metadata")
	if f.err != nil {
		return nil, fail(0, "%v", f.err)
	}
	switch {
	case n.NBFormat == 0:
		return nil, fail(0, "no nbformat field, want nbformat 4")
	case n.NBFormat != 4:
		return nil, fail(0, "got nbformat %d, want 4: open and save it once in a current Jupyter", n.NBFormat)
	case cells == nil:
		return nil, fail(0, "no list of cells")
	}
	n.Extra = f.rest()
	n.Cells = make([]*Cell, len(cells))
	for i, raw := range cells {
		if n.Cells[i], err = decodeCell(fmt.Sprintf("cells[%d]", i), raw); err != nil {
			return nil, fail(offsets[i], "%v", err)
		}
	}
	n.fillIDs()
	return n, nil
}

// splitTop returns the top-level fields other than cells, the cells, and the byte offset of each.
// cells is nil where the field is missing. The data is valid JSON.
func splitTop(data []byte) (top map[string]json.RawMessage, cells []json.RawMessage, offsets []int64, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, nil, nil, fmt.Errorf("got %v at the top, want an object", tok)
	}
	top = map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, nil, err
		}
		if key != "cells" {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				return nil, nil, nil, err
			}
			top[key.(string)] = raw
			continue
		}
		if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
			return nil, nil, nil, fmt.Errorf("cells: got %v, want a list", tok)
		}
		cells, offsets = []json.RawMessage{}, nil
		for dec.More() {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				return nil, nil, nil, err
			}
			cells = append(cells, raw)
			offsets = append(offsets, dec.InputOffset()-int64(len(raw)))
		}
		if _, err := dec.Token(); err != nil {
			return nil, nil, nil, err
		}
	}
	return top, cells, offsets, nil
}

func decodeCell(path string, raw json.RawMessage) (*Cell, error) {
	f := openFields(path, raw)
	c := &Cell{
		Type:        f.str("cell_type"),
		ID:          f.str("id"),
		Source:      f.text("source"),
		Metadata:    f.object("metadata"),
		Attachments: f.attachments("attachments"),
	}
	if f.err == nil && c.Type == "" {
		return nil, fmt.Errorf(`%s.cell_type: missing, want "code", "markdown" or "raw"`, path)
	}
	if c.Type == "code" {
		c.ExecutionCount = f.integer("execution_count")
		for i, raw := range f.list("outputs") {
			o, err := decodeOutput(fmt.Sprintf("%s.outputs[%d]", path, i), raw)
			if err != nil {
				return nil, err
			}
			c.Outputs = append(c.Outputs, o)
		}
	}
	c.Extra = f.rest()
	return c, f.err
}

func decodeOutput(path string, raw json.RawMessage) (Output, error) {
	f := openFields(path, raw)
	o := Output{Type: f.str("output_type")}
	switch o.Type {
	case "stream":
		o.Name = f.str("name")
		o.Text = f.text("text")
	case "execute_result":
		o.ExecutionCount = f.integer("execution_count")
		fallthrough
	case "display_data":
		o.Data = f.object("data")
		o.Metadata = f.object("metadata")
	case "error":
		o.EName = f.str("ename")
		o.EValue = f.str("evalue")
		f.into("traceback", &o.Traceback, "a list of strings")
	}
	if f.err == nil && o.Type == "" {
		return o, fmt.Errorf("%s.output_type: missing", path)
	}
	o.Extra = f.rest()
	return o, f.err
}

// fillIDs gives an id to every cell that lacks one where the format requires it (minor version 5).
// The id is a hash of the place and the source, so that the same file gets the same ids.
func (n *Notebook) fillIDs() {
	if n.NBFormatMinor < 5 {
		return
	}
	used := map[string]bool{}
	for _, c := range n.Cells {
		used[c.ID] = true
	}
	for i, c := range n.Cells {
		for try := 0; c.ID == ""; try++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", i, try, c.Source))
			if id := hex.EncodeToString(sum[:4]); !used[id] {
				c.ID, used[id] = id, true
			}
		}
	}
}

// fields takes the known fields out of a JSON object and keeps the first error.
type fields struct {
	path string
	m    map[string]json.RawMessage
	err  error
}

func openFields(path string, raw json.RawMessage) *fields {
	f := &fields{path: path}
	if json.Unmarshal(raw, &f.m) != nil || f.m == nil {
		f.err = fmt.Errorf("%s: got %s, want an object", path, kind(raw))
	}
	return f
}

// into decodes one field and removes it. A missing field and null leave v as it is.
func (f *fields) into(key string, v any, want string) {
	raw, ok := f.m[key]
	if !ok || f.err != nil {
		return
	}
	delete(f.m, key)
	if err := json.Unmarshal(raw, v); err != nil {
		f.err = fmt.Errorf("%s: got %s, want %s", strings.TrimPrefix(f.path+"."+key, "."), kind(raw), want)
	}
}

func (f *fields) str(key string) (s string) {
	f.into(key, &s, "a string")
	return s
}

func (f *fields) integer(key string) (i int) {
	f.into(key, &i, "a whole number")
	return i
}

func (f *fields) object(key string) (m map[string]json.RawMessage) {
	f.into(key, &m, "an object")
	return m
}

func (f *fields) list(key string) (l []json.RawMessage) {
	f.into(key, &l, "a list")
	return l
}

// text reads a multi-line string, which the format writes as a string or as a list of strings.
func (f *fields) text(key string) string {
	var t multiline
	f.into(key, &t, "a string or a list of strings")
	return string(t)
}

func (f *fields) attachments(key string) map[string]map[string]string {
	var m map[string]map[string]multiline
	f.into(key, &m, "an object of MIME objects with string values")
	if m == nil {
		return nil
	}
	out := make(map[string]map[string]string, len(m))
	for name, bundle := range m {
		out[name] = make(map[string]string, len(bundle))
		for mime, text := range bundle {
			out[name][mime] = string(text)
		}
	}
	return out
}

// rest returns what nobody took.
func (f *fields) rest() map[string]json.RawMessage {
	if len(f.m) == 0 {
		return nil
	}
	return f.m
}

type multiline string

func (t *multiline) UnmarshalJSON(raw []byte) error {
	var lines []string
	if len(raw) > 0 && raw[0] == '[' {
		if err := json.Unmarshal(raw, &lines); err != nil {
			return err
		}
		*t = multiline(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// kind names the JSON type of raw for an error; it never shows the value.
func kind(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '"':
		return "a string"
	case raw[0] == 't', raw[0] == 'f':
		return "a boolean"
	case raw[0] == 'n':
		return "null"
	}
	return "a number"
}
