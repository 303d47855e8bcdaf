package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// open reads a model from a file, or fits one to made-up rows where there is none.
func open(path string) (*dpkit.LogisticModel, error) {
	if path == "" {
		return madeUp()
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	model := new(dpkit.LogisticModel)
	return model, json.Unmarshal(raw, model)
}

// madeUp fits a model to rows that nobody is behind. With rows of people it is dpkit.Create or dpkit.Open in place of
// Demo, once, in a program of its own: the file of the model is what a service needs.
func madeUp() (*dpkit.LogisticModel, error) {
	schema, err := frames.NewSchema(
		frames.Numeric("age", 18, 90).MayMiss(), frames.Category("work", "none", "private", "state"), frames.Label("income", "low", "high"),
	)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	b := &frames.Block{Rows: 5000, Cols: 2}
	for range b.Rows {
		age, work, high := 18+72*random.Float64(), random.IntN(3), 0.0
		if random.Float64()*90 < age-20*float64(1-min(work, 1)) {
			high = 1
		}
		b.X, b.Y = append(b.X, age, float64(work)), append(b.Y, high)
	}
	rows, err := frames.FromBlock(schema, b)
	if err != nil {
		return nil, err
	}
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	if err != nil {
		return nil, err
	}
	r, err := session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	return &r.Value, err
}
