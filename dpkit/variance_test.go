package dpkit

import (
	"errors"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestVariance: without noise both are those of the rows; behind means that were imputed without noise, which displace the others, the price is that of the
// displaced rows too; and a margin is asked of the variance.
func TestVariance(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("pay", -1, 4).MayMiss(), frames.Label("y", "a", "b")))
	var rows [][]float64
	for i := range 500 {
		v := float64(i%11)/4 - 0.5
		if i%5 == 0 {
			v = math.NaN()
		}
		rows = append(rows, []float64{v, 0})
	}
	f, target := frameOf(t, schema, rows), Target{Epsilon: 1, Delta: 1e-6}
	filled := must(must(OnPublic(frames.Public(f))).Data().Impute(Fixed{Value: 0.75}).Variance(target, "pay").Release(t.Context())).Value
	var sum, square float64
	for _, r := range rows {
		v := r[0]
		if math.IsNaN(v) {
			v = 0.75
		}
		sum, square = sum+v, square+v*v
	}
	want := square/500 - sum*sum/500/500
	if v, sd := must(filled.At("variance of pay")), must(filled.At("standard deviation of pay")); math.Abs(v.Value-want) > 1e-9 || math.Abs(sd.Value-math.Sqrt(want)) > 1e-9 {
		t.Errorf("got %v and %v, want %v and its root", v, sd, want)
	}
	d := must(Demo(f, 1, ReplaceOne)).Data()
	free, displaced := must(d.Impute(Midpoint{}).Variance(target, "pay").Cost()), must(d.Impute(Mean{}).Variance(target, "pay").Cost())
	if !(displaced.Release.Sensitivity > 1.0001*free.Release.Sensitivity) {
		t.Errorf("behind displaced rows it moves by %v, without by %v", displaced.Release.Sensitivity, free.Release.Sensitivity)
	}
	if _, err := d.Impute(Midpoint{}).By().StdDev("pay").Within(0.1, 0.95).Table(Target{Delta: 1e-6}).Cost(); !errors.Is(err, ErrParameter) {
		t.Errorf("got %v", err)
	}
}
