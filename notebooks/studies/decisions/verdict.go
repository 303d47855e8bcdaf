package decisions

import "math"

// Verdict says how far what Compare recommends is from the best way in hindsight.
type Verdict struct {
	Set         string
	Epsilon     float64
	Written     Way
	Recommended Way
	Best        Way
	// Loss is what the recommended way has less of accuracy than the best, or by which part its excess error, over that of the fit
	// without noise, is larger.
	Loss float64
	// Within: Loss is at most 0.01 of accuracy, or 0.05 of the excess error.
	Within bool
}

// The most that a recommended way may lose.
const (
	mostAccuracy = 0.01
	mostExcess   = 0.05
)

// Verdicts are one for each case.
func (r Results) Verdicts() (out []Verdict) {
	for _, s := range r.Sets {
		for _, c := range s.Cases {
			v := Verdict{Set: s.Name, Epsilon: c.Epsilon, Written: c.Ways[0], Recommended: c.Ways[c.Recommended]}
			v.Best = c.Ways[s.best(c)]
			v.Loss = s.loss(v.Recommended, v.Best)
			most := mostAccuracy
			if s.Task == Numbers {
				most = mostExcess
			}
			v.Within = v.Loss <= most+1e-12
			out = append(out, v)
		}
	}
	return out
}

// best is the place of the way with the best median, of those that Compare may recommend.
func (s Set) best(c Case) int {
	best := -1
	for i, w := range c.Ways {
		if w.Refused == "" && !w.Listed && (best < 0 || s.better(w.Median, c.Ways[best].Median)) {
			best = i
		}
	}
	return max(best, 0)
}

func (s Set) better(a, b float64) bool {
	if s.Task == Numbers {
		return a < b
	}
	return a > b
}

// loss is that of a way against another one.
func (s Set) loss(w, best Way) float64 {
	if w.Refused != "" {
		return math.Inf(1)
	}
	if s.Task == Classes {
		return best.Median - w.Median
	}
	return (w.Median - best.Median) / max(best.Median-s.Exact, leastExcess)
}

// leastExcess keeps the excess of a way that is as good as the fit without noise, or better by chance, away from 0: a hundredth
// of the label's variance.
const leastExcess = 0.01
