// Package notebooks holds notebooks over shards and Beam, and what they import beside this module's own.
package notebooks

import (
	"encoding/json"
	"os"
	"testing"

	_ "github.com/dpkit-go/dpnb/notebooks/cell" // cells import it
	_ "github.com/dpkit-go/dpnb/viz"            // and this
)

// TestStored: every cell of the notebook has run, in order, and none failed. Whether it still says what is stored here, nb check tells.
func TestStored(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("beam.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Count   int    `json:"execution_count"`
			Outputs []struct {
				Type string `json:"output_type"`
			}
		}
	}
	if err := json.Unmarshal(text, &book); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, c := range book.Cells {
		if c.Type != "code" {
			continue
		}
		if ran++; c.Count != ran {
			t.Errorf("cell %d was run as number %d, want %d", i+1, c.Count, ran)
		}
		for _, o := range c.Outputs {
			if o.Type == "error" {
				t.Errorf("cell %d failed", i+1)
			}
		}
	}
	if ran == 0 {
		t.Error("no cell")
	}
}
