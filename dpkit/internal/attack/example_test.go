package attack_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/frames"
)

// A step that shifts every row by the mean, which one row of n moves by up to 2/n; it claims that no row moves by more than 1/n.
func Example() {
	schema, err := frames.NewSchema(frames.Numeric("x", -1, 1))
	if err != nil {
		panic(err)
	}
	behind, err := frames.NewSchema(frames.Numeric("x", -2, 2))
	if err != nil {
		panic(err)
	}
	shifted := func(b *frames.Block) attack.Output {
		mean := 0.0
		for _, x := range b.X {
			mean += x / float64(b.Rows)
		}
		out := &frames.Block{Rows: b.Rows, Cols: 1}
		for _, x := range b.X {
			out.X = append(out.X, x-mean)
		}
		return attack.Output{Rows: out}
	}
	_, err = attack.Search(context.Background(), attack.Subject{
		Schema: schema, Neighbours: accountant.ReplaceOne,
		Price: func(st attack.State) (attack.Claim, error) {
			n := float64(st.Pair.N)
			q, err := st.Pair.Propagate(pair.StepBounds{K: 1, A1: 1, AF: 1, AInf: 1 / n, R: 2, Affected: st.Pair.N - 1})
			return attack.Claim{Schema: behind, Pair: q, Taint: map[string]bool{"x": true}}, err
		},
		Run: func(_ context.Context, _ attack.Claim, a, b attack.Side) (attack.Output, attack.Output, error) {
			return shifted(a.Rows), shifted(b.Rows), nil
		},
	}, attack.Options{Rows: []int{10}})
	breach, found := attack.AsBreach(err)
	fmt.Println(found, breach.Pair.Len(), "rows")
	// Output: true 10 rows
}
