package tables

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenContributions is an entry of the groups that have sensitivities.
type goldenContributions struct {
	Rows     int
	PerGroup int `json:"rows_per_group"`
	Groups   int
	Cells    int           // 0: enough for both sides
	Weights  golden.Number `json:"value_weight"` // s of one value
	S        golden.Number // s²
	Relation accountant.Neighbours
	Squared  golden.Number `json:"l2_squared"`
}

// TestGolden checks the sensitivities of tables: contributions, few_cells and people_cell_and_rows, whose people have weight 1. The groups on
// thresholds and on filters are of keys that are found and of ledgers, which this package does not have.
func TestGolden(t *testing.T) {
	groups := golden.Groups(t, golden.Read(t, golden.Files(t, "tables")[0]))
	for name, people := range map[string]float64{"contributions": 0, "few_cells": 0, "people_cell_and_rows": 1} {
		var entries []json.RawMessage
		if err := json.Unmarshal(groups[name], &entries); err != nil || len(entries) == 0 {
			t.Fatalf("%s: %d entries, %v", name, len(entries), err)
		}
		for i, raw := range entries {
			var e goldenContributions
			if err := golden.Strictly(raw, &e); err != nil {
				t.Fatalf("%s, entry %d: %v", name, i, err)
			}
			c := contributions{rows: e.Rows, perGroup: e.PerGroup, groups: e.Groups, cells: e.Cells, weights: float64(e.Weights*e.Weights + e.S), people: people, rel: e.Relation}
			if c.cells == 0 {
				c.cells = 2 * e.Groups
			}
			if got, want := c.l2()*c.l2(), float64(e.Squared); !(got >= want*(1-1e-14)) || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s, entry %d, %+v: got %.17g, want %.17g", name, i, c, got, want)
			}
		}
	}
}
