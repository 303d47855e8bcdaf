package dpkit

import (
	"context"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// prepared is a chain over rows of tinySchema whose plan is made once for each number of rows: a search runs it on thousands of
// tables, and nothing of a plan depends on what they hold.
type prepared struct {
	t      *testing.T
	schema frames.Schema
	build  func(Pipeline) Pipeline
	quotes map[int]quote
}

func prepare(t *testing.T, build func(Pipeline) Pipeline) *prepared {
	return &prepared{t: t, schema: tinySchema(t), build: build, quotes: map[int]quote{}}
}

func (p *prepared) quote(f *frames.Frame) quote {
	p.t.Helper()
	q, ok := p.quotes[f.Rows()]
	if !ok {
		stages, end, err := p.build(demo(p.t, f).Data()).trace()
		if err != nil {
			p.t.Fatal(err)
		}
		q = quote{stages: stages, end: end}
		p.quotes[f.Rows()] = q
	}
	return q
}

// run runs the chain on the rows as Release would.
func (p *prepared) run(table [][]float64) (*rows.Matrix, quote) {
	p.t.Helper()
	f := frameOf(p.t, p.schema, table)
	q := p.quote(f)
	fitted, err := q.apply(context.Background(), f, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return fitted.rows.(*rows.Matrix), q
}

// answers runs the chain up to its last step and returns the exact statistics that that one asks for.
func (p *prepared) answers(table [][]float64) ([][]float64, []query.Expense) {
	p.t.Helper()
	ctx := context.Background()
	f := frameOf(p.t, p.schema, table)
	stages := p.quote(f).stages
	last := stages[len(stages)-1]
	step := last.Step.(query.Spender)
	fitted, err := quote{stages: stages[:len(stages)-1]}.apply(ctx, f, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	list, err := step.Expenses(last.Stage)
	if err != nil {
		p.t.Fatal(err)
	}
	v, err := step.Measure(ctx, fitted.rows, last.Stage)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(v) != len(list) {
		p.t.Fatalf("%d statistics for %d queries", len(v), len(list))
	}
	return v, list
}
