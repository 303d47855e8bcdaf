package pld

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"
)

// tailRow is an entry of testdata/tails.json, which testdata/tails.py computes with 60 digits.
type tailRow struct {
	Law    string
	Params []float64
	Loss   float64
	// P(L > loss) and e^loss Q(L > loss), both as if the loss were less and more by 2^-45 of it: a float64 can be that
	// far from the end of a support.
	P, Q [2]string
}

func (r tailRow) build() (Law, error) {
	switch r.Law {
	case "gaussian":
		return NewGaussian(r.Params[0])
	case "laplace":
		return NewLaplace(r.Params[0])
	case "remove":
		return NewSubsampled(r.Params[0], r.Params[1], Remove)
	case "add":
		return NewSubsampled(r.Params[0], r.Params[1], Add)
	case "discrete":
		return NewDiscreteGaussian(int(r.Params[0]), r.Params[1])
	}
	return nil, fmt.Errorf("unknown law %q", r.Law)
}

func tailRows(t *testing.T) (rows []tailRow) {
	t.Helper()
	b, err := os.ReadFile("testdata/tails.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func exact(t *testing.T, s string) *big.Float {
	t.Helper()
	f, _, err := big.ParseFloat(s, 10, 300, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// relative is (got − want)/want, 0 for 0 of 0.
func relative(t *testing.T, got float64, want string) float64 {
	w := exact(t, want)
	d := new(big.Float).Sub(big.NewFloat(got), w)
	if d.Sign() == 0 {
		return 0
	}
	if w.Sign() == 0 {
		return got * math.Inf(1)
	}
	r, _ := d.Quo(d, w).Float64()
	return r
}

// TestTailTable compares both tails with the table, and the bounds on δ of one release with what follows from it.
func TestTailTable(t *testing.T) {
	for i, r := range tailRows(t) {
		law, err := r.build()
		must(t, law, err)
		u := law.Tails(r.Loss)
		for side, v := range map[string]struct {
			got  float64
			want [2]string
		}{"P": {u.PAbove, r.P}, "Q": {u.QAbove, r.Q}} {
			most, least := relative(t, v.got, v.want[0]), relative(t, v.got, v.want[1])
			if !(most <= 1e-12 && least >= -1e-12) {
				t.Errorf("%s%v: %s above %g is %g, relative errors %.2g and %.2g", r.Law, r.Params, side, r.Loss, v.got, most, least)
			}
		}
		if i%5 != 0 || r.Loss < 0 {
			continue
		}
		least, _ := new(big.Float).Sub(exact(t, r.P[1]), exact(t, r.Q[1])).Float64()
		most, _ := new(big.Float).Sub(exact(t, r.P[0]), exact(t, r.Q[0])).Float64()
		c, err := Compose(Term{law, 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Delta(r.Loss, Options{MaxPoints: 1 << 14})
		if err != nil {
			t.Fatal(err)
		}
		if !(b.Upper >= least*(1-1e-12) && b.Lower <= max(0, most)*(1+1e-12)) {
			t.Errorf("%s%v: δ(%g) in [%g, %g], want %g to %g", r.Law, r.Params, r.Loss, b.Lower, b.Upper, least, most)
		}
	}
}
