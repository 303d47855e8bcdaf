package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestRelativeLawIsFinite: after thousands of relative steps the bound on the noise is that of the ball, so that the model can be stored.
func TestRelativeLawIsFinite(t *testing.T) {
	t.Parallel()
	schema := mustSchema(frames.Numeric("a", 0, 10), frames.Numeric("b", -1, 1), frames.NumericLabel("y", 0, 100))
	block := &frames.Block{Rows: 40_000, Cols: 2}
	for i := range block.Rows {
		a, b := float64(i%101)/10, float64(i%7)/3-1
		block.X = append(block.X, a, b)
		block.Y = append(block.Y, 20+6*a+5*b)
	}
	f := must(frames.FromBlock(schema, block))
	for _, steps := range []int{40, 4000, 10_000} {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			s := must(Demo(f, 1, ReplaceOne))
			r := must(s.Data().Scale().FitLinear(RelativeGaussianDescent{Epsilon: 2, Delta: 1e-6, Ridge: 0.02, Steps: steps}).Release(t.Context()))
			if _, err := json.Marshal(r.Value); err != nil {
				t.Fatal(err)
			}
			u := must(r.Value.Uncertainty(0.95))
			if u.Reason != "" || len(u.Intervals) != 3 {
				t.Fatalf("got %+v", u)
			}
			for _, i := range u.Intervals {
				if !(i.Hi-i.Lo > 0) || math.IsInf(i.Hi-i.Lo, 1) {
					t.Errorf("got the interval %+v", i)
				}
			}
		})
	}
}
