package beam_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/beam"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Rows in three files, which workers of the direct runner read; a session with a ledger is the same.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "visits")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	for i, ward := range []string{"a", "b", "b"} {
		text := strings.Repeat("40,"+ward+"\n", 100)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%d.csv", i)), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 120), frames.Category("ward", "a", "b"))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	shards, err := beam.Open(ctx, filepath.Join(folder, "part-*.csv"), schema, beam.Options{Runner: "direct"})
	if err != nil {
		panic(err)
	}
	s, err := dpkit.Demo(shards, 1, dpkit.ReplaceOne)
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	r, err := s.Data().Histogram("ward", dpkit.Target{Epsilon: 5, Delta: 1e-6}).Release(ctx)
	if err != nil {
		panic(err)
	}
	for i, name := range r.Value.Names {
		fmt.Printf("%s: %.0f\n", name, r.Value.Values[i])
	}
	// Output:
	// session over 300 rows × 2 columns, replace-one neighbours, demonstration: not private
	// a: 99
	// b: 202
}
