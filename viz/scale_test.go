package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTicksOfScales(t *testing.T) {
	for _, c := range []struct {
		name string
		axis Axis
		data []float64
		want string
	}{
		{"linear, from 0", Axis{}, []float64{1, 10}, "0 2 4 6 8 10"},
		{"linear, far from 0", Axis{}, []float64{100, 101}, "100 100.2 100.4 100.6 100.8 101"},
		{"whole", Axis{whole: true}, []float64{0, 2}, "0 1 2"},
		{"given range", Axis{Range: [2]float64{-1, 1}}, []float64{7}, "−1 −0.5 0 0.5 1"},
		{"range of one number", Axis{Range: [2]float64{1, 1}}, []float64{0, 1}, "0 0.2 0.4 0.6 0.8 1"},
		{"decades", Axis{Log: true}, []float64{0.01, 10}, "0.01 0.1 1 10"},
		{"many decades", Axis{Log: true}, []float64{1e-12, 1}, "10^−12 10^−10 10^−8 10^−6 10^−4 10^−2 10^0"},
		{"less than three decades", Axis{Log: true}, []float64{0.3, 11}, "0.5 1 2 5 10"},
		{"less than one", Axis{Log: true}, []float64{1.1, 1.4}, "1.1 1.2 1.3 1.4"},
		{"logarithmic range that reaches 0", Axis{Log: true, Range: [2]float64{0, 1}}, []float64{1, 100}, "1 10 100"},
		{"one value", Axis{}, []float64{3}, "1.5 2 2.5 3 3.5 4 4.5"},
		{"nothing", Axis{}, []float64{math.NaN()}, "0 0.2 0.4 0.6 0.8 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, k := range scaleOf(c.axis, c.data).ticks() {
				s := k.label
				if k.power != "" {
					s += "^" + k.power
				}
				if s != "" {
					got = append(got, s)
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}

// What is cut lies inside, and what lies inside is not cut.
func TestClip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	inside := func(p pair) bool {
		const tol = 1e-9
		return p.x >= -tol && p.x <= 1+tol && p.y >= -tol && p.y <= 1+tol
	}
	for range 300 {
		var line []pair
		within := true
		for range 6 {
			p := pair{1.5*r.Float64() - 0.25, 1.5*r.Float64() - 0.25}
			line, within = append(line, p), within && inside(p)
		}
		pieces := clipLine(line)
		for _, piece := range append(pieces, clipArea(line)) {
			for _, p := range piece {
				if !inside(p) {
					t.Fatalf("%v lies outside", p)
				}
			}
		}
		if within && (len(pieces) != 1 || fmt.Sprint(pieces[0]) != fmt.Sprint(line)) {
			t.Errorf("%v became %v", line, pieces)
		}
	}
	if got := clipLine([]pair{{-1, 0.5}, {2, 0.5}, {2, 2}, {0.5, 2}, {0.5, 0.5}}); fmt.Sprint(got) != "[[{0 0.5} {1 0.5}] [{0.5 1} {0.5 0.5}]]" {
		t.Errorf("got %v", got)
	}
	if got := clipArea([]pair{{-1, -1}, {-1, 2}, {2, 2}, {2, -1}}); len(got) != 4 {
		t.Errorf("the square of a larger one: got %v", got)
	}
}

func TestSpark(t *testing.T) {
	x, y := scale{lo: 0, hi: 1}, scale{lo: 0, hi: 1}
	for _, c := range []struct {
		name string
		s    Series
		want string
	}{
		{"line", Series{X: []float64{0, 1}, Y: []float64{0, 1}}, "▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇████"},
		{"steps", Series{X: []float64{0, 0.5, 1}, Y: []float64{0, 1, 0}, Style: StepStyle}, strings.Repeat("▁", 16) + strings.Repeat("█", 16)},
		{"points", Series{X: []float64{0, 1}, Y: []float64{0.5, 1}, Style: PointStyle}, "▅" + strings.Repeat("·", 30) + "█"},
		{"one point", Series{X: []float64{0}, Y: []float64{1}}, "█" + strings.Repeat("·", 31)},
		{"half", Series{X: []float64{0.5, 1}, Y: []float64{1, 1}}, strings.Repeat("·", 16) + strings.Repeat("█", 16)},
		{"nothing", Series{X: []float64{math.NaN()}, Y: []float64{1}}, strings.Repeat("·", 32)},
	} {
		if got := spark(c.s, x, y); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
