package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/beam"
)

// row is one of a Parquet file.
type row struct {
	Age  int64  `parquet:"age"`
	Ward string `parquet:"ward"`
}

// TestRelease: the command makes a release, and replays it, from files of another format too.
func TestRelease(t *testing.T) {
	beam.Quiet()
	folder := t.TempDir()
	path := filepath.Join(folder, "budget.ledger")
	t.Cleanup(func() { _ = ledger.Forget(path) }) // no test has to make one
	for i := range 3 {
		text := "age,ward\n" + strings.Repeat("30,a\n50,b\n", 50+i)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%d.csv", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := pq.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%d.parquet", i)), slices.Repeat([]row{{30, "a"}, {50, "b"}}, 50+i)); err != nil {
			t.Fatal(err)
		}
	}
	plan := filepath.Join(folder, "plan.json")
	text := fmt.Sprintf(`{
		"schema": [{"name": "age", "kind": "numeric", "lo": 0, "hi": 120}, {"name": "ward", "kind": "category", "levels": ["a", "b"]}],
		"csv": {"Header": true},
		"ledger": {"Ledger": %q, "Budget": {"epsilon": 2, "delta": 1e-6}, "Neighbours": "replace-one", "Dataset": "visits"},
		"plan": "Histogram(\"ward\", ε = 0.5, δ = 1e-07)"
	}`, path)
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for extension, w := range map[string]*bytes.Buffer{".csv": &first, ".parquet": &second} {
		if err := release(t.Context(), w, plan, filepath.Join(folder, "part-*"+extension), beam.Options{Runner: "direct"}); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() || !strings.Contains(first.String(), `"ward=a"`) && !strings.Contains(first.String(), `"a"`) {
		t.Errorf("got %s, then %s", &first, &second)
	}
}
