package nb

import "encoding/json"

// Notebook is a Jupyter notebook (nbformat 4). Fields that this package does not know survive
// a read and a write.
type Notebook struct {
	Cells         []*Cell
	Metadata      map[string]json.RawMessage
	NBFormat      int
	NBFormatMinor int
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
}
