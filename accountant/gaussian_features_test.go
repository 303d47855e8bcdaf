package accountant

import (
	"errors"
	"math"
	"testing"
)

func TestChooseGaussianFeatures(t *testing.T) {
	c, err := ChooseGaussianFeatures(100_000, 22, Budget{0.1, 1e-7}, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	if c.Leverage != 44 || math.Abs(c.Strength-0.49973163197180140356) > 1e-12 {
		t.Errorf("got %+v", c)
	}
	// At the least n a statistic of twice the strength passes but for δ, and one row less is too few.
	pass := func(n int) bool {
		s := c.Leverage / float64(n)
		threshold := must[float64](t)(TestThresholdLaplace(c.Strength, s, 0.1, 1e-7))
		return 2*c.Strength-threshold >= s*math.Log(1/(2*1e-7))/0.1
	}
	if !pass(c.Rows) || pass(c.Rows-1) {
		t.Errorf("n = %d: passes %v, with one row less %v", c.Rows, pass(c.Rows), pass(c.Rows-1))
	}
	for _, bad := range []struct {
		name string
		n, d int
		test Budget
		nu   float64
		want error
	}{
		{"n", 0, 1, Budget{1, 1e-6}, 0.1, ErrParameter},
		{"d", 1, 0, Budget{1, 1e-6}, 0.1, ErrParameter},
		{"nu", 1, 1, Budget{1, 1e-6}, math.NaN(), ErrParameter},
		{"epsilon", 1, 1, Budget{0, 1e-6}, 0.1, ErrEpsilon},
		{"delta", 1, 1, Budget{1, 0.6}, 0.1, ErrDelta},
	} {
		if _, err := ChooseGaussianFeatures(bad.n, bad.d, bad.test, bad.nu); !errors.Is(err, bad.want) {
			t.Errorf("%s: got %v, want %v", bad.name, err, bad.want)
		}
	}
	if v := GaussianStrength(3, -1); !math.IsNaN(v) {
		t.Errorf("negative leverage: got %g", v)
	}
}
