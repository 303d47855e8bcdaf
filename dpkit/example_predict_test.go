package dpkit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// A model reads rows as programs have them, without the label: from JSON, a struct, a gota DataFrame.
func ExampleLinearModel_PredictRow() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10).MayMiss(), frames.Category("course", "day", "evening"), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 5000, Cols: 2}
	for i := range block.Rows {
		hours, course := float64(i%101)/10, float64(i%2)
		block.X, block.Y = append(block.X, hours, course), append(block.Y, 20+6*hours+10*course)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().OneHot().Impute(dpkit.Fixed{Value: 5}, "hours").Scale().FitLinear(dpkit.BestLinear{Epsilon: 5, Delta: 1e-9}).Release(context.Background())
	check(err)
	model := &r.Value

	fmt.Print(model.Inputs()) // what it asks for
	score, err := model.PredictRow(map[string]any{"hours": 8, "course": "day"})
	check(err)
	fmt.Printf("%.0f\n", score)
	score, err = model.PredictRow(struct {
		Hours  *float64 // nil is a missing cell: the chain takes 5
		Course string
	}{nil, "day"})
	check(err)
	fmt.Printf("%.0f\n", score)

	class := dataframe.ReadCSV(strings.NewReader("course,hours,name\nday,2,Ann\nevening,4,Bo\n"))
	scores, err := model.PredictRows(context.Background(), class)
	check(err)
	fmt.Printf("%.0f\n", scores)

	_, err = model.PredictRow(map[string]any{"hours": 8, "course": "night"})
	fmt.Println(errors.Is(err, frames.ErrLevel), err)
	// Output:
	// column  kind      domain         notes
	// hours   numeric   [0, 10]        may miss
	// course  category  day | evening
	// 68
	// 50
	// [32 54]
	// true dpkit: predict: row 1: column "course": got "night", want one of "day", "evening": give a level of the schema, or none where the cell is missing: not a declared level
}
