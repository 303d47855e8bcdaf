package theme

import (
	"math"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []string
	}{
		{0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{-1.3, 1.7, []string{"−1", "−0.5", "0", "0.5", "1", "1.5"}},
		{0, 34000, []string{"0", "10000", "20000", "30000"}},
		{0, 0, nil},
		{0, math.Inf(1), nil},
		{math.NaN(), 1, nil},
	} {
		got := Ticks(c.lo, c.hi)
		if len(got) != len(c.want) {
			t.Errorf("Ticks(%v, %v) = %v, want %v", c.lo, c.hi, got, c.want)
			continue
		}
		for i := range got {
			if s := TickLabel(got[i]); s != c.want[i] {
				t.Errorf("Ticks(%v, %v)[%d] = %s, want %s", c.lo, c.hi, i, s, c.want[i])
			}
		}
	}
}
