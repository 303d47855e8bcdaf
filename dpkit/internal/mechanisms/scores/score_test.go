package scores

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// noisy is a score with noise of the deviation sigma on every cell.
func noisy(rng *rand.Rand, exact Score, sigma float64) Score {
	s := exact
	s.Sigma = sigma
	with := func(of []float64) []float64 {
		out := make([]float64, len(of))
		for i, v := range of {
			out[i] = v + sigma*rng.NormFloat64()
		}
		return out
	}
	s.Sums = with(exact.Sums)
	if exact.Present != nil {
		s.Present = &with([]float64{*exact.Present})[0]
	}
	s.Bins = nil
	for _, b := range exact.Bins {
		s.Bins = append(s.Bins, with(b))
	}
	return s
}

// scoresOf are exact scores of few rows and of many, of classes that are alike and that are far apart.
func scoresOf() map[string]Score {
	out := map[string]Score{}
	for name, c := range map[string]struct {
		first, second float64
		at            func(class, b int) float64
	}{
		"alike":         {400, 400, func(_, _ int) float64 { return 1.0 / Bins }},
		"apart":         {500, 300, func(class, b int) float64 { return map[bool]float64{true: 1, false: 0}[b == class*(Bins-1)] }},
		"few of one":    {900, 12, func(class, b int) float64 { return float64(class*b+(1-class)*(Bins-1-b)) / 190 }},
		"few":           {20, 10, func(class, b int) float64 { return float64(class*b+(1-class)*(Bins-1-b)) / 190 }},
		"the wrong way": {600, 600, func(class, b int) float64 { return float64((1-class)*b+class*(Bins-1-b)) / 190 }},
	} {
		n := c.first + c.second
		s := Score{Label: "y", Classes: []string{"no", "yes"}, Rows: int(n), Measures: []string{Accuracy, LogLoss}, Sums: []float64{0.8 * n, 0.1 * n}, Probable: true, Bins: [][]float64{nil, nil}}
		for b := range Bins {
			s.Bins[0] = append(s.Bins[0], c.first*c.at(0, b))
			s.Bins[1] = append(s.Bins[1], c.second*c.at(1, b))
		}
		out[name] = s
		s.Present, s.Rows = &n, int(2*n)
		out[name+", some removed"] = s
	}
	return out
}

// TestScoreCovers: every interval holds the exact measure at least as often as it says. With 400 draws at 0.9 at least 0.9 − 6 standard
// deviations (0.015) of them do, but for a chance below 1e-9 each.
func TestScoreCovers(t *testing.T) {
	const draws, level = 400, 0.9
	rng := rand.New(rand.NewPCG(1, 21))
	for name, exact := range scoresOf() {
		t.Run(name, func(t *testing.T) {
			held, of := map[string]int{}, map[string]int{}
			note := func(what string, m, truth Measure) {
				of[what]++
				if m.Low <= truth.Value+1e-12 && truth.Value-1e-12 <= m.High && m.Low <= m.Value && m.Value <= m.High || m.Low <= truth.Value && truth.Value <= m.High {
					held[what]++
				}
			}
			curve, bins := mustOf(exact.ROC(level)), mustOf(exact.Calibration(level))
			for i := range draws {
				s := noisy(rng, exact, 6)
				for _, what := range []string{Accuracy, LogLoss} {
					note(what, mustOf(s.Measure(what, level)), mustOf(exact.Measure(what, level)))
				}
				if i < 100 { // dearer
					note(AUC, mustOf(s.Measure(AUC, level)), mustOf(exact.Measure(AUC, level)))
				}
				p := mustOf(s.ROC(level))[7]
				note("true positives", p.TruePositive, curve[7].TruePositive)
				note("false positives", p.FalsePositive, curve[7].FalsePositive)
				if b := mustOf(s.Calibration(level))[5]; exact.Bins[0][5]+exact.Bins[1][5] > 0 {
					note("calibration", b.Share, bins[5].Share)
				}
			}
			for what, n := range of {
				if got := float64(held[what]) / float64(n); got < level-6*math.Sqrt(level*(1-level)/float64(n)) {
					t.Errorf("%s: %.3f of the intervals hold it", what, got)
				}
			}
		})
	}
}

func mustOf[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestScoreWithoutNoise: the measures of public rows are exact, and a score is stored and read.
func TestScoreWithoutNoise(t *testing.T) {
	s := Score{Label: "y", Classes: []string{"no", "yes"}, Rows: 4, Measures: []string{Accuracy}, Sums: []float64{3}, Bins: [][]float64{make([]float64, Bins), make([]float64, Bins)}}
	s.Bins[0][2], s.Bins[0][9], s.Bins[1][9], s.Bins[1][15] = 1, 1, 1, 1
	if m := mustOf(s.Measure(AUC, 0.95)); m != (Measure{0.875, 0.875, 0.875}) {
		t.Errorf("AUC %v, want 7 of 8", m)
	}
	if m := mustOf(s.Measure(Accuracy, 0.95)); m != (Measure{0.75, 0.75, 0.75}) {
		t.Errorf("accuracy %v", m)
	}
	number := Score{Label: "y", Rows: 4, Range: 10, Measures: []string{Squared, Absolute}, Sums: []float64{0.16, 0.8}}
	if a, b := mustOf(number.Measure(Squared, 0.9)).Value, mustOf(number.Measure(Absolute, 0.9)).Value; math.Abs(a-2) > 1e-12 || math.Abs(b-2) > 1e-12 {
		t.Errorf("RMSE %v and mean absolute error %v, want 2", a, b)
	}
	var read Score
	if err := json.Unmarshal(mustOf(json.Marshal(s)), &read); err != nil || !reflect.DeepEqual(read, s) {
		t.Errorf("read %+v: %v", read, err)
	}
	for _, name := range []string{"AUC", "RMSE", ""} {
		if _, err := number.Measure(name, 0.9); name != Squared && err == nil {
			t.Errorf("a number has %q", name)
		}
	}
	if _, err := s.Measure(Accuracy, math.NaN()); err == nil {
		t.Error("a level that is none")
	}
	if _, err := number.ROC(0.9); err == nil {
		t.Error("a curve of a number")
	}
}
