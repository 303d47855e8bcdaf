package stage_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Negate changes the sign of every number: a public row map, which moves no row nearer to another or further away.
type Negate struct{}

func init() {
	if err := stage.Register[Negate]("example.com/steps/negate", 1); err != nil {
		panic(err)
	}
}

func (Negate) Check(in frames.Schema) (frames.Schema, error) {
	columns := in.Columns()
	for i, c := range columns {
		if _, ok := in.FeatureIndex(c.Name); ok {
			columns[i].Lo, columns[i].Hi = 0-c.Hi, 0-c.Lo
		}
	}
	return frames.NewSchema(columns...)
}

func (Negate) Propagate(st stage.Stage) (stage.Propagation, error) {
	q, err := st.Before.Propagate(pair.StepBounds{K: 1, KF: 1, R: st.Before.R})
	return stage.Propagation{
		Pair: q, Taint: st.Taint, Role: stage.RolePublic, Note: "a public map of each row: free",
		Scope: accountant.Scope{Kind: accountant.Unconditional},
	}, err
}

func (Negate) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) {
		for j, x := range src {
			dst[j] = -x
		}
	}), nil
}

func Example() {
	schema, _ := frames.NewSchema(frames.Numeric("age", 0, 100))
	rows, err := frames.ParseCSV(strings.NewReader("age\n30\n40\n50\n"), "ages", schema, frames.CSVOptions{Header: true})
	if err != nil {
		panic(err)
	}
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	if err != nil {
		panic(err)
	}
	chain := session.Data().With(Negate{})
	out, err := chain.Schema()
	age, _ := out.Column("age")
	fmt.Println(chain, "in", age.Lo, "to", age.Hi, err)
	// Output: With("example.com/steps/negate", Negate{}) in -100 to 0 <nil>
}
