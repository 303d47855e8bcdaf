package cost_test

import (
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// BenchmarkCurves is the table of curves of a private mean behind imputation.
func BenchmarkCurves(b *testing.B) {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 100).MayMiss(), frames.Numeric("pay", 0, 200))
	if err != nil {
		b.Fatal(err)
	}
	frame, err := frames.FromBlock(schema, &frames.Block{Rows: 1000, Cols: 2, X: make([]float64, 2000)})
	if err != nil {
		b.Fatal(err)
	}
	session, err := dpkit.Demo(frame, 1, dpkit.ReplaceOne)
	if err != nil {
		b.Fatal(err)
	}
	c, err := session.Data().Impute(dpkit.Mean{Pad: 100}).Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Cost()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c.Curves()
	}
}
