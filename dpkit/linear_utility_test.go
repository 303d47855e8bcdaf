package dpkit

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// TestLinearUtility measures the test error of every method on real sets at ε = 1, δ = 1/n²: with -v it prints the table.
// On fixed seeds: no false alarms.
func TestLinearUtility(t *testing.T) {
	t.Parallel()
	if os.Getenv("DPNB_DATA") == "" {
		t.Skip("DPNB_DATA is not set: NOTHING WAS MEASURED on housing, wine and bike")
	}
	if testing.Short() {
		t.Skip("short")
	}
	ctx := context.Background()
	releases := 10
	if v := os.Getenv("DPNB_RELEASES"); v != "" {
		fmt.Sscan(v, &releases)
	}
	for _, set := range []struct {
		name string
		load func() (*frames.Frame, string, error)
	}{{"housing", datasets.Housing}, {"wine, red", datasets.WineRed}, {"wine, white", datasets.WineWhite}, {"bike, hours", datasets.BikeHour}} {
		f, _, err := set.load()
		if err != nil {
			t.Fatal(err)
		}
		train, test, err := frames.Split(f, 0.8, 1)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(train.Rows())
		mse := func(m LinearModel) float64 {
			v := must(m.RMSE(ctx, frames.Public(test)))
			return v * v
		}
		chain := func(s *Session) Pipeline {
			p := s.Data()
			for _, c := range train.Schema().Features() {
				if c.Kind == frames.KindCategory {
					return p.OneHot().Scale()
				}
			}
			return p.Scale()
		}
		exact := must(chain(must(OnPublic(frames.Public(train)))).FitLinear(linearBy(linear.Settings{})).Release(ctx))
		t.Logf("%s: n = %g, d = %d, not private: %.5g", set.name, n, len(exact.Value.Coef), mse(exact.Value))
		for _, method := range []string{models.BestLinear, models.LinearMixing, models.AdaSSP, models.OutputPerturbation, models.Sheffet2017, models.Sheffet2017Exact} {
			var sum, squares float64
			chosen := string("")
			for seed := range releases {
				s := must(Demo(train, uint64(seed), AddRemove))
				r, err := chain(s).FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1 / (n * n), Method: method})).Release(ctx)
				if err != nil {
					t.Fatal(err)
				}
				v := mse(r.Value)
				sum += v
				squares += v * v
				chosen = r.Value.Method
			}
			k := float64(releases)
			mean := sum / k
			t.Logf("  %-20q %-20q %.5g ± %.2g", method, chosen, mean, math.Sqrt(max(0, squares/k-mean*mean)/k))
		}
	}
}
