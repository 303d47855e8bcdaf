package nb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Write writes the notebook the way Jupyter does: keys sorted, indent 1, multi-line strings as
// lists of lines, no escapes beyond JSON's own, a newline at the end.
func (n *Notebook) Write(w io.Writer) error {
	data, err := n.encode()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteFile writes the notebook to path. The file appears whole or not at all: a temporary file in
// the same folder is synced, then renamed. Symbolic links and the mode of an existing file are kept.
func (n *Notebook) WriteFile(path string) error {
	data, err := n.encode()
	if err != nil {
		return err
	}
	return WriteFileAtomic(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFileAtomic calls write with a temporary file beside path and renames it to path once it is
// complete and on disk. On an error path stays as it was.
func WriteFileAtomic(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("nb: cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
			err = fmt.Errorf("nb: cannot write %s: %w", path, err)
		}
	}()
	if err = write(tmp); err != nil {
		return err
	}
	if err = tmp.Chmod(mode); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func (n *Notebook) encode() ([]byte, error) {
	n.fillIDs()
	cells := make([]any, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = c.tree()
	}
	top := objectTree(n.Extra)
	top["cells"] = cells
	top["metadata"] = objectTree(n.Metadata)
	top["nbformat"] = n.NBFormat
	top["nbformat_minor"] = n.NBFormatMinor

	var b bytes.Buffer
	if err := writeValue(&b, top, 0); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func (c *Cell) tree() map[string]any {
	m := objectTree(c.Extra)
	m["cell_type"] = c.Type
	m["metadata"] = objectTree(c.Metadata)
	m["source"] = splitLines(c.Source)
	if c.ID != "" {
		m["id"] = c.ID
	}
	if c.Attachments != nil {
		files := map[string]any{}
		for name, bundle := range c.Attachments {
			data := map[string]any{}
			for mime, text := range bundle {
				data[mime] = mimeText(mime, text)
			}
			files[name] = data
		}
		m["attachments"] = files
	}
	if c.Type == "code" {
		m["execution_count"] = count(c.ExecutionCount)
		outputs := make([]any, len(c.Outputs))
		for i := range c.Outputs {
			outputs[i] = c.Outputs[i].tree()
		}
		m["outputs"] = outputs
	}
	return m
}

func (o *Output) tree() map[string]any {
	m := objectTree(o.Extra)
	m["output_type"] = o.Type
	switch o.Type {
	case "stream":
		m["name"] = o.Name
		m["text"] = splitLines(o.Text)
	case "execute_result":
		m["execution_count"] = count(o.ExecutionCount)
		fallthrough
	case "display_data":
		data := map[string]any{}
		for mime, raw := range o.Data {
			var text string
			if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
				data[mime] = mimeText(mime, text)
			} else {
				data[mime] = raw
			}
		}
		m["data"] = data
		m["metadata"] = objectTree(o.Metadata)
	case "error":
		m["ename"] = o.EName
		m["evalue"] = o.EValue
		trace := make([]any, len(o.Traceback))
		for i, line := range o.Traceback {
			trace[i] = line
		}
		m["traceback"] = trace
	}
	return m
}

// count writes "never executed" as null.
func count(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func objectTree(raw map[string]json.RawMessage) map[string]any {
	m := make(map[string]any, len(raw)+8)
	for key, value := range raw {
		m[key] = value
	}
	return m
}

// mimeText splits the values of the MIME types that Jupyter splits, and leaves base64 whole.
func mimeText(mime, text string) any {
	if strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml" {
		return splitLines(text)
	}
	return text
}

// splitLines splits like Python's str.splitlines(keepends=True), which Jupyter uses.
func splitLines(s string) []any {
	lines := []any{}
	start := 0
	for i, r := range s {
		switch r {
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				continue
			}
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		default:
			continue
		}
		end := i + utf8.RuneLen(r)
		lines = append(lines, s[start:end])
		start = end
	}
	if start < len(s) {
		lines = append(lines, s[start:])
	}
	return lines
}

// writeValue writes what Python's json.dumps(v, indent=1, sort_keys=True, ensure_ascii=False) writes.
// Numbers keep their spelling.
func writeValue(b *bytes.Buffer, v any, depth int) error {
	newline := func(depth int) {
		b.WriteByte('\n')
		for range depth {
			b.WriteByte(' ')
		}
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprint(b, v)
	case int:
		fmt.Fprint(b, v)
	case json.Number:
		b.WriteString(v.String())
	case string:
		writeString(b, v)
	case json.RawMessage:
		if len(v) == 0 {
			b.WriteString("null")
			return nil
		}
		dec := json.NewDecoder(bytes.NewReader(v))
		dec.UseNumber()
		var value any
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("nb: a raw field of the notebook holds invalid JSON: %w", err)
		}
		return writeValue(b, value, depth)
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return nil
		}
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			newline(depth + 1)
			if err := writeValue(b, item, depth+1); err != nil {
				return err
			}
		}
		newline(depth)
		b.WriteByte(']')
	case map[string]any:
		if len(v) == 0 {
			b.WriteString("{}")
			return nil
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		b.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			newline(depth + 1)
			writeString(b, key)
			b.WriteString(": ")
			if err := writeValue(b, v[key], depth+1); err != nil {
				return err
			}
		}
		newline(depth)
		b.WriteByte('}')
	default:
		panic(fmt.Sprintf("nb: writeValue: impossible type %T", v))
	}
	return nil
}

// writeString escapes what JSON requires and nothing else.
func writeString(b *bytes.Buffer, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		default:
			if r < 0x20 {
				fmt.Fprintf(b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
}
