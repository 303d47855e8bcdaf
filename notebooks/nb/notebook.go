package nb

import "encoding/json"

// Notebook is a Jupyter notebook (nbformat 4). Fields that this package does not know survive
// a read and a write in Extra.
type Notebook struct {
	Cells         []*Cell
	Metadata      map[string]json.RawMessage
	NBFormat      int
	NBFormatMinor int
	Extra         map[string]json.RawMessage
}

// Cell is one cell: Type is "code", "markdown" or "raw".
type Cell struct {
	Type           string
	ID             string
	Source         string
	Metadata       map[string]json.RawMessage
	ExecutionCount int // 0 where never executed
	Outputs        []Output
	Attachments    map[string]map[string]string // markdown attachments: name → MIME → base64
	Extra          map[string]json.RawMessage
}

// Output is one output of a code cell. Type is "stream", "display_data", "execute_result" or "error".
type Output struct {
	Type           string
	Name           string                     // stream: "stdout" or "stderr"
	Text           string                     // stream
	Data           map[string]json.RawMessage // display: MIME → JSON value (a string, a list of strings or an object)
	Metadata       map[string]json.RawMessage // display
	ExecutionCount int                        // execute_result
	EName, EValue  string                     // error
	Traceback      []string                   // error
	Extra          map[string]json.RawMessage
}

// Language returns the language that the notebook declares, "" where it declares none: the
// kernelspec wins over language_info, as the kernelspec decides which kernel runs.
func (n *Notebook) Language() string {
	var spec struct{ Language, Name string }
	for _, key := range []string{"kernelspec", "language_info"} {
		raw, ok := n.Metadata[key]
		if !ok || json.Unmarshal(raw, &spec) != nil {
			continue
		}
		if spec.Language != "" {
			return spec.Language
		}
		if spec.Name != "" {
			return spec.Name
		}
	}
	return ""
}

// HasTag says whether the cell carries the tag in its metadata.
func (c *Cell) HasTag(tag string) bool {
	var tags []string
	if json.Unmarshal(c.Metadata["tags"], &tags) != nil {
		return false
	}
	for _, t := range tags {
		if t == tag {
			return true
		}
	}
	return false
}
