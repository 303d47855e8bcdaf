package dpkit

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestHistory: a row for each charge, none for a replay, each with its own guarantee; a session without a ledger has none.
func TestHistory(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("a", 0, 1)))
	f := must(frames.FromBlock(schema, &frames.Block{Rows: 3, Cols: 1, X: []float64{0.1, 0.5, 0.9}}))
	s := must(Create(f, Options{Ledger: filepath.Join(t.TempDir(), "l"), Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "history"}))
	defer s.Close()
	if df := must(s.History()); df.Nrow() != 0 || df.Err != nil {
		t.Errorf("before the first charge: %d rows, %v", df.Nrow(), df.Err)
	}
	for _, epsilon := range []float64{0.5, 1, 0.5} {
		must(s.Data().Mean(Target{Epsilon: epsilon, Delta: 1e-6}).Release(t.Context()))
	}
	rows := must(s.History()).Maps()
	if len(rows) != 2 {
		t.Fatalf("got %d charges, want 2: %v", len(rows), rows)
	}
	for i, epsilon := range []float64{0.5, 1} {
		r := rows[i]
		if e := r["epsilon"].(float64); !(e > 0.99*epsilon && e <= epsilon) || !strings.Contains(r["name"].(string), "Mean(") || !strings.Contains(r["promise"].(string), "-DP, replace-one") || r["entry"] == "" {
			t.Errorf("charge %d: %v", i+1, r)
		}
	}
	if _, err := must(Demo(f, 1, ReplaceOne)).History(); err == nil || !strings.Contains(err.Error(), "no ledger") {
		t.Errorf("a demonstration: got %v", err)
	}
}
