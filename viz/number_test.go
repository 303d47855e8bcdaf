package viz

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		x        float64
		up, down string
	}{
		{0, "0", "0"},
		{1, "1", "1"},
		{0.99994, "1", "0.9999"},
		{1.23401, "1.235", "1.234"},
		{9.9999, "10", "9.999"},
		{1e-6, "1e-06", "1e-06"},
		{1.00001e-6, "1.001e-06", "1e-06"},
		{12345.6, "12350", "12340"},
		{math.Inf(1), "+Inf", "+Inf"},
		{math.NaN(), "NaN", "NaN"},
	} {
		if got := up(c.x); got != c.up {
			t.Errorf("up(%v) = %s, want %s", c.x, got, c.up)
		}
		if got := down(c.x); got != c.down {
			t.Errorf("down(%v) = %s, want %s", c.x, got, c.down)
		}
	}
}

// What is printed never understates a loss nor overstates a rest, and is off by less than one unit
// of the fourth digit: a thousandth.
func TestRoundingIsOnTheSafeSide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := math.Exp(60*r.Float64() - 40)
		hi, err1 := strconv.ParseFloat(up(x), 64)
		lo, err2 := strconv.ParseFloat(down(x), 64)
		if err1 != nil || err2 != nil || !(hi >= x && lo <= x && hi <= x*1.0011 && lo >= x/1.0011) {
			t.Fatalf("x = %v: up %s, down %s", x, up(x), down(x))
		}
	}
}
