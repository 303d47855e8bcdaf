package dpkit

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/frames"
)

func TestEstimatesAgainstExact(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 4000, 5)
	target := Target{Epsilon: 2, Delta: 1e-6}
	for _, c := range []struct {
		name  string
		plan  func(Pipeline) Plan[Estimates]
		names []string
	}{
		{"means", func(p Pipeline) Plan[Estimates] {
			return p.OneHot().Impute(Mean{}, "pay").Impute(Midpoint{}).Mean(target)
		}, []string{"age", "work=a", "work=b", "work=c", "pay", "home=x", "home=y"}},
		{"means of one column", func(p Pipeline) Plan[Estimates] { return p.Select("age").Mean(target) }, []string{"age"}},
		{"histogram with missing cells", func(p Pipeline) Plan[Estimates] { return p.Histogram("work", target) }, []string{"a", "b", "c", sums.MissingLevel}},
		{"histogram of the label", func(p Pipeline) Plan[Estimates] { return p.Histogram("income", target) }, []string{"low", "high"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			exact := must(c.plan(must(OnPublic(frames.Public(f))).Data()).Release(ctx)).Value
			// Noise is Gaussian with the stated Sigma: 8 standard deviations are passed with
			// probability 1.3e-15 in each of at most 14 values.
			got := must(c.plan(private(t, f, ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5}).Data()).Release(ctx)).Value
			if !slices.Equal(got.Names, c.names) || !slices.Equal(exact.Names, c.names) {
				t.Fatalf("names %v and %v, want %v", got.Names, exact.Names, c.names)
			}
			for i := range got.Values {
				if !(got.Sigma[i] > 0) || math.Abs(got.Values[i]-exact.Values[i]) > 8*got.Sigma[i]+1e-9 {
					t.Errorf("%s: got %v ± %v, exact %v", got.Names[i], got.Values[i], got.Sigma[i], exact.Values[i])
				}
			}
			if v, ok := got.Value(c.names[0]); !ok || v != got.Values[0] {
				t.Error("Value does not find the first name")
			}
		})
	}
}

// TestMeanIsCalibratedLikeTheTextbook: one column on [lo, hi] under replace-one has the sensitivity
// hi − lo, and noise of (hi − lo)/(n·μ*) on the mean.
func TestMeanIsCalibratedLikeTheTextbook(t *testing.T) {
	f := tinyFrame(t, 1000, 5)
	r := must(demo(t, f).Data().Select("age").Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background()))
	mu := must(accountant.CalibrateGaussian(Budget{Epsilon: 1, Delta: 1e-6}))
	want := (90 - 17) / (1000 * mu)
	if got := r.Value.Sigma[0]; got < want || got > want*1.0001 {
		t.Errorf("noise %v, want %v", got, want)
	}
}

func TestHistogramSensitivity(t *testing.T) {
	f := tinyFrame(t, 1000, 5)
	for rel, want := range map[accountant.Neighbours]float64{ReplaceOne: math.Sqrt2, AddRemove: 1} {
		c := must(must(Demo(f, 1, rel)).Data().Histogram("home", Target{Epsilon: 1, Delta: 1e-6}).Cost())
		if got := c.Release.Sensitivity; got < want || got > want*1.0001 {
			t.Errorf("%v: sensitivity %v, want %v", rel, got, want)
		}
	}
}

func TestEstimateMistakes(t *testing.T) {
	data := demo(t, tinyFrame(t, 50, 5)).Data()
	good := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name string
		plan Plan[Estimates]
		want string
		is   error
	}{
		{"category", data.Mean(good), "encode it with OneHot first, or release its Histogram", ErrOrder},
		{"missing", data.Select("pay").Mean(good), "Impute first", ErrOrder},
		{"no target", data.Select("age").Mean(Target{}), "epsilon", accountant.ErrEpsilon},
		{"unknown column", data.Histogram("wrk", good), "no such column", ErrColumn},
		{"numeric column", data.Histogram("age", good), "want a category or a class label", ErrColumn},
		{"encoded column", data.OneHot().Histogram("work", good), "no such column", ErrColumn},
		{"histogram target", data.Histogram("work", Target{Epsilon: 1}), "delta", accountant.ErrDelta},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.plan.Cost()
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := (Estimates{}).Margin(1); !errors.Is(err, ErrParameter) {
		t.Errorf("level 1: got %v", err)
	}
}
