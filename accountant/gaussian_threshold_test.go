package accountant

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"

	"github.com/dpkit-go/dpnb/internal/golden"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// goldenThreshold is an entry of the groups on keys that are found.
type goldenThreshold struct {
	Groups    int
	Sigma     golden.Number
	Threshold golden.Number
	Epsilon   golden.Number
	S         golden.Number
	PerGroup  int `json:"rows_per_group"`
	Relation  Neighbours
	Delta     golden.Number
	Digits    int
	Failure   golden.Number // of one key: 1 − F
}

func thresholdEntries(t *testing.T, group string) (out []goldenThreshold) {
	groups := golden.Groups(t, golden.Read(t, golden.Files(t, "tables")[0]))
	var raw []json.RawMessage
	if err := json.Unmarshal(groups[group], &raw); err != nil || len(raw) == 0 {
		t.Fatalf("%s: %d entries, %v", group, len(raw), err)
	}
	for _, r := range raw {
		var e goldenThreshold
		if err := golden.Strictly(r, &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func (e goldenThreshold) event() GaussianThreshold {
	return GaussianThreshold{
		Sigma: float64(e.Sigma), Threshold: float64(e.Threshold), Groups: e.Groups, Values: float64(e.S), Cells: 1, GridSigma: math.Inf(1), Neighbours: e.Relation,
	}
}

// TestGoldenThresholds compares the profile with that of theory at 40 digits: it rounds up, by no more than its margin.
func TestGoldenThresholds(t *testing.T) {
	for _, group := range []string{"threshold", "threshold_with_riders"} {
		for _, e := range thresholdEntries(t, group) {
			g := e.event()
			got, want := must[Profile](t)(g.Profile(e.Relation))(float64(e.Epsilon)), float64(e.Delta)
			if !(got >= want*(1-1e-15)) || got > want*(1+1e-10) {
				t.Errorf("%s: %v at %g: got %.17g, want %.17g", group, g, float64(e.Epsilon), got, want)
			}
			if want := float64(e.Failure); want > 0 && math.Abs(g.Shows()/want-1) > 1e-9 {
				t.Errorf("%s: %v fails with %g, want %g", group, g, g.Shows(), want)
			}
		}
	}
}

// TestThresholdsOnIntegersAreOthers pins docs/theory/tables.md#keys-that-are-found: discrete noise on the integers is another mechanism than this
// event, which is drawn on a fine grid and charged for it. Its δ is the largest over the same cases, of the exact tail and of an exact
// convolution of as many discrete Gaussians.
func TestThresholdsOnIntegersAreOthers(t *testing.T) {
	for _, e := range thresholdEntries(t, "threshold_discrete_gaussian") {
		const reach = 40
		s := float64(e.Sigma)
		var law [2*reach + 1]float64
		all := 0.0
		for k := -reach; k <= reach; k++ {
			law[k+reach] = math.Exp(-float64(k*k) / (2 * s * s))
			all += law[k+reach]
		}
		hidden := 0.0 // Z ≤ ⌈T⌉ − 2
		for k := range law {
			if law[k] /= all; k-reach <= int(math.Ceil(float64(e.Threshold)))-2 {
				hidden += law[k]
			}
		}
		// losses of the sum of n coordinates moved by one: (2k + n)/2s² for Σk
		delta := func(n int, epsilon float64) float64 {
			if n == 0 {
				return max(0, -math.Expm1(epsilon))
			}
			sum := law[:]
			for range n - 1 {
				next := make([]float64, len(sum)+2*reach)
				for i, p := range sum {
					for j, q := range law {
						next[i+j] += p * q
					}
				}
				sum = next
			}
			d := 0.0
			for i, p := range sum {
				loss := (2*float64(i-n*reach) + float64(n)) / (2 * s * s)
				d += p * max(0, -math.Expm1(epsilon-loss))
			}
			return d
		}
		most, log := 0.0, math.Log(hidden)
		others := e.Groups
		if e.Relation == AddRemove {
			others = 0
		}
		for j := range e.Groups + 1 {
			for i := range others + 1 {
				n := e.Groups - j + others - i
				show := -math.Expm1(float64(j) * log)
				most = max(most, show+(1-show)*delta(n, float64(e.Epsilon)+float64(i-j)*log))
				if e.Relation == AddRemove {
					most = max(most, delta(n, float64(e.Epsilon)+float64(j)*log))
				}
			}
		}
		if want := float64(e.Delta); math.Abs(most-want) > 1e-9*want {
			t.Errorf("%+v: got %.12g", e, most)
		}
		if own := must[Profile](t)(e.event().Profile(e.Relation))(float64(e.Epsilon)); math.Abs(own/most-1) < 1e-3 {
			t.Errorf("%+v: %g on the integers, %g of a fine grid: want another price", e, most, own)
		}
	}
}

// TestThresholdPairsOfRows: with several rows of a person the profile is at least that of every pair of bags of rows, and where rows are people that
// of one row.
func TestThresholdPairsOfRows(t *testing.T) {
	g := GaussianThreshold{Sigma: 8, Threshold: 30, Groups: 2, Values: 1.5, Rows: 4, RowsPerGroup: 3, Cells: 3, GridSigma: math.Inf(1), Neighbours: ReplaceOne}
	for a := 0; a <= 2; a++ {
		for b := 0; b <= 2; b++ {
			for _, of := range [][4]int{{3, 1, 3, 1}, {2, 2, 2, 2}, {3, 0, 3, 0}, {3, 1, 1, 3}, {1, 0, 3, 1}} {
				moves := 0.0
				for k := range 2 {
					x, y := float64(of[k]), float64(of[2+k])
					if k >= a {
						x = 0
					}
					if k >= b {
						y = 0
					}
					people := math.Abs(min(x, 1) - min(y, 1))
					moves += people + (x-y)*(x-y) + g.Values*(x+y)*(x+y)
				}
				if bound := g.moves(a, b); moves > bound {
					t.Errorf("%d and %d keys with rows %v: the table moves by %g, believed %g", a, b, of, moves, bound)
				}
			}
		}
	}
	one := GaussianThreshold{Sigma: 8, Threshold: 30, Groups: 2, Values: 0.5, Cells: 3, GridSigma: math.Inf(1), Neighbours: ReplaceOne}
	if rows := (GaussianThreshold{Groups: 2, Values: 0.5, Rows: 2, RowsPerGroup: 1}).moves(2, 2); rows < one.moves(2, 2) {
		t.Errorf("rows beside people move %g, rows that are people %g", rows, one.moves(2, 2))
	}
}

// TestCalibrateThreshold: the budget is kept, by no more than a hair; neither less noise at its least threshold nor more finds keys of fewer
// people; and at one threshold more noise may cost more.
func TestCalibrateThreshold(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, b := range []Budget{{1, 1e-6}, {0.1, 1e-9}, {8, 1e-5}, {3, 1e-12}} {
			for _, of := range []GaussianThreshold{{Groups: 1}, {Groups: 5}, {Groups: 3, Values: 2}, {Groups: 40, Values: 1}, {Groups: 3, Values: 0.5, Rows: 9, RowsPerGroup: 4}} {
				if of.Groups == 40 && b.Epsilon != 1 {
					continue // takes long
				}
				of.Cells, of.GridSigma, of.Neighbours = 1, 0x1p40, rel
				g := must[GaussianThreshold](t)(CalibrateThreshold(b, of))
				p := must[Profile](t)(g.Profile(rel))
				if d := p(b.Epsilon); !(d <= b.Delta) || d < 0.999*b.Delta {
					t.Errorf("%v at %v: δ = %g", g, b, d)
				}
				for _, factor := range []float64{0.97, 1.03} {
					other := g
					other.Sigma *= factor
					if other, ok := other.LeastThreshold(b); ok && other.FoundFrom() < g.FoundFrom()*(1-1e-5) {
						t.Errorf("%v finds from %g, with noise %g from %g", g, g.FoundFrom(), other.Sigma, other.FoundFrom())
					}
				}
				if _, failure, err := g.ApproxRDP(rel); err != nil || !(failure <= b.Delta) {
					t.Errorf("%v fails with %g, %v, want at most %g", g, failure, err, b.Delta)
				}
			}
		}
	}
	at := func(sigma float64) float64 {
		g := GaussianThreshold{Sigma: sigma, Threshold: 20, Groups: 1, Cells: 1, GridSigma: math.Inf(1), Neighbours: AddRemove}
		return must[Profile](t)(g.Profile(AddRemove))(1)
	}
	if !(at(4) < at(2) && at(4) < at(10)) {
		t.Errorf("δ at σ = 2, 4, 10: %g, %g, %g", at(2), at(4), at(10))
	}
}

func TestGaussianThresholdErrors(t *testing.T) {
	good := GaussianThreshold{Sigma: 5, Threshold: 40, Groups: 2, Cells: 1, GridSigma: 1 << 20, Neighbours: ReplaceOne}
	for name, change := range map[string]func(g *GaussianThreshold){
		"sigma": func(g *GaussianThreshold) { g.Sigma = math.NaN() }, "threshold": func(g *GaussianThreshold) { g.Threshold = math.Inf(1) },
		"groups": func(g *GaussianThreshold) { g.Groups = 0 }, "many groups": func(g *GaussianThreshold) { g.Groups = 1 << 20 },
		"values": func(g *GaussianThreshold) { g.Values = -1 }, "rows": func(g *GaussianThreshold) { g.Rows = 3 },
		"rows of a key": func(g *GaussianThreshold) { g.RowsPerGroup = 3 }, "cells": func(g *GaussianThreshold) { g.Cells = 0 },
		"grid": func(g *GaussianThreshold) { g.GridSigma = 0 },
	} {
		g := good
		change(&g)
		if _, err := g.Profile(ReplaceOne); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := good.Profile(AddRemove); !errors.Is(err, ErrNeighbours) {
		t.Errorf("relation: got %v", err)
	}
	if _, err := CalibrateThreshold(Budget{1, 0}, good); !errors.Is(err, ErrDelta) {
		t.Errorf("δ = 0: got %v", err)
	}
}

// TestThresholdInALedger: a Gaussian covers it outside the failure that a key of one person shows.
func TestThresholdInALedger(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		g := must[GaussianThreshold](t)(CalibrateThreshold(Budget{1, 1e-6}, GaussianThreshold{Groups: 3, Cells: 1, GridSigma: 0x1p40, Neighbours: rel}))
		failure := g.Shows() * (1 + 0x1p-10)
		mu := must[float64](t)(GaussianCover(g, rel, failure))
		rows := 3.0
		if rel == ReplaceOne {
			rows = 6
		}
		if most := math.Sqrt(rows) / g.Sigma; !(mu <= most*(1+1e-3)) || mu < most*0.8 {
			t.Errorf("%v: covered by μ = %g, want about %g", g, mu, most)
		}
	}
}

// TestThresholdLeavesNothingOut: δ is to the bit the largest of all numbers of keys on both sides, although most are left out; more keys
// move more, which the proof of that needs.
func TestThresholdLeavesNothingOut(t *testing.T) {
	single.Goroutine(t)
	for _, of := range []GaussianThreshold{
		{Groups: 3, Values: 2}, {Groups: 9, Values: 3}, {Groups: 5, Values: 1 + 1e-15}, {Groups: 6, Values: 1e9}, {Groups: 7, Values: 0.5, Rows: 9, RowsPerGroup: 4}, {Groups: 12, Values: 1, Rows: 12, RowsPerGroup: 12},
	} {
		for _, sigma := range []float64{1e-3, 1, 4, 30, 1e5} {
			for _, threshold := range []float64{0, 1, 3, 10, 30, 200} { // keys that are hardly hidden, and all but
				g := of
				g.Sigma, g.Threshold, g.Cells, g.GridSigma, g.Neighbours = sigma, threshold, 1, math.Inf(1), ReplaceOne
				for a := range g.Groups + 1 {
					for b := range g.Groups {
						if less, more := g.moves(a, b), g.moves(a, b+1); !(less <= more) {
							t.Fatalf("%v: a person with %d and %d keys moves %v, with one more %v", g, a, b, less, more)
						}
					}
				}
				hidden := -g.logHidden()
				for _, epsilon := range []float64{-30, -1, 0, 0.3, 2, 9, 300, 710, 745, 2000} { // down to subnormal numbers
					want := 0.0
					for i := range g.Groups + 1 {
						for j := range g.Groups + 1 {
							mu := quad.DivUp(quad.SqrtUp(g.moves(g.Groups-j, g.Groups-i)), sigma)
							show := min(1, quad.Inflate(-math.Expm1(-float64(j)*hidden), thresholdMargin))
							e := epsilon + float64(j-i)*hidden - float64(i+j)*hidden*thresholdMargin
							want = max(want, quad.AddUp(show, quad.MulUp(1-show*(1-2*thresholdMargin), gaussianDelta(e, mu))))
						}
					}
					if got := g.delta(ReplaceOne, epsilon); got != min(1, want) {
						t.Errorf("%v, ε = %g: δ = %v, the largest of all is %v", g, epsilon, got, min(1, want))
					}
					for _, grid := range []float64{math.Inf(1), 0x1p20} {
						g := g
						g.GridSigma = grid
						all := must[Profile](t)(g.Profile(ReplaceOne))(epsilon)
						for _, delta := range []float64{0, all / 2, math.Nextafter(all, 0), all, math.Nextafter(all, 2), all * (1 + 1e-9), 2 * all, want, 1} {
							if g.within(Budget{epsilon, delta}) != (all <= delta) {
								t.Errorf("%v, ε = %g: δ = %v, and within %v: %t", g, epsilon, all, delta, !(all <= delta))
							}
						}
					}
				}
			}
		}
	}
}
