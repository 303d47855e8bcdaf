package dpkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// A model is stored in a file that another process reads, and says where it came from.
func ExampleLinearModel_MarshalJSON() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 5000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X = append(block.X, hours)
		block.Y = append(block.Y, 20+6*hours)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitLinear(dpkit.BestLinear{Epsilon: 1, Delta: 1e-9}).Release(context.Background())
	check(err)

	folder, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "score.json")
	stored, err := json.Marshal(r.Value)
	check(err)
	check(os.WriteFile(path, stored, 0o644))

	raw, err := os.ReadFile(path)
	check(err)
	var model dpkit.LinearModel
	check(json.Unmarshal(raw, &model))
	fmt.Println(model)
	fmt.Println("not private:", model.NotPrivate)
	fmt.Print(model.Schema) // what rows it reads
	// Output:
	// linear model of score on 1 columns; the signs of 1 of 1 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// not private: a demonstration: its noise is reproducible
	// column  kind     domain    notes
	// hours   numeric  [0, 10]
	// score   label    [0, 100]
}
