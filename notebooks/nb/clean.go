package nb

import (
	"encoding/json"
	"slices"
)

// What front ends write into metadata at each run or view, and what says nothing about the notebook.
var (
	volatileCell     = []string{"ExecuteTime", "execution", "executionInfo", "scrolled", "vscode"}
	volatileNotebook = []string{"signature", "vscode"}
)

// Clean removes what changes from run to run without saying anything: execution counts, times of
// execution and the state of views. Outputs stay unless outputs is set. It reports whether it changed
// something.
func (n *Notebook) Clean(outputs bool) (changed bool) {
	drop := func(metadata map[string]json.RawMessage, keys []string) {
		for key := range metadata {
			if slices.Contains(keys, key) {
				delete(metadata, key)
				changed = true
			}
		}
	}
	drop(n.Metadata, volatileNotebook)
	for _, c := range n.Cells {
		drop(c.Metadata, volatileCell)
		if c.Type != "code" {
			continue
		}
		changed = changed || c.ExecutionCount != 0 || outputs && len(c.Outputs) > 0
		c.ExecutionCount = 0
		if outputs {
			c.Outputs = nil
		}
		for i := range c.Outputs {
			changed = changed || c.Outputs[i].ExecutionCount != 0
			c.Outputs[i].ExecutionCount = 0
		}
	}
	return changed
}
