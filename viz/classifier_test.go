package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The area is the probability that a positive row scores above a negative one, ties counted half; the average
// precision is the sum over the positives.
func TestClassifierNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		m := Scored{Name: "m"}
		for range 40 {
			y := r.Float64() < 0.4
			s := math.Round(10*r.Float64()) / 10 // ties
			if y {
				s = min(1, s+0.2)
			}
			m.Scores, m.Positive = append(m.Scores, s), append(m.Positive, y)
		}
		if m.wrong() != "" {
			continue
		}
		wins, pairs := 0.0, 0.0
		average, positives := 0.0, 0.0
		for i, si := range m.Scores {
			if !m.Positive[i] {
				continue
			}
			positives++
			above, right := 0.0, 0.0
			for j, sj := range m.Scores {
				if sj >= si {
					above++
					if m.Positive[j] {
						right++
					}
				}
				if !m.Positive[j] {
					pairs++
					if si > sj {
						wins++
					} else if si == sj {
						wins += 0.5
					}
				}
			}
			average += right / above
		}
		if got, want := rocChart([]Scored{m}).Series[0].Name, fmt.Sprintf("m, area %.3f", wins/pairs); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := precisionChart([]Scored{m}).Series[0].Name, fmt.Sprintf("m, average %.3f", average/positives); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestScoredWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Scored
		want string // in the text of the view that has most to check
	}{
		{"lengths", Scored{Scores: []float64{1}}, "1 scores and 0 labels"},
		{"empty", Scored{}, "one class"},
		{"one class", Scored{Scores: []float64{0, 1}, Positive: []bool{true, true}}, "one class"},
		{"NaN", Scored{Scores: []float64{0, math.NaN()}, Positive: []bool{true, false}}, "NaN"},
		{"no probability", Scored{Scores: []float64{0, 2}, Positive: []bool{true, false}}, "outside [0, 1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Classifier(c.m)
			if s := v.Text(); !strings.Contains(s, "WRONG INPUT") || !strings.Contains(s, c.want) {
				t.Errorf("got %s", s)
			}
			if _, err := v.PNG(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Brown, Cai and DasGupta (2001) print Wilson's interval of 0 of 10 as [0, 0.278].
func TestWilson(t *testing.T) {
	for _, c := range []struct{ k, n, lo, hi float64 }{
		{0, 10, 0, 0.277533},
		{10, 10, 0.722467, 1},
		{5, 10, 0.236593, 0.763407},
	} {
		if lo, hi := wilson(c.k, c.n); math.Abs(lo-c.lo) > 1e-6 || math.Abs(hi-c.hi) > 1e-6 {
			t.Errorf("%v of %v: got [%v, %v], want [%v, %v]", c.k, c.n, lo, hi, c.lo, c.hi)
		}
	}
}
