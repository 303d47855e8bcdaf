package linear

import "math"

// Verdict compares one of ours with one of the printed mechanisms at one ε of a set.
type Verdict struct {
	Set     string
	Epsilon float64
	Ours    string
	Printed string
	Ratio   float64 // of the mean error of ours to that of the printed one
	// Worse: ours has a larger mean error, and not within confidence: the 95 % interval of the difference is above 0.
	Worse bool
	// Better: the interval is below 0.
	Better bool
}

// Verdicts of linear regression: the default against both printed mechanisms, and each mechanism against its own printed form.
func (r Results) Verdicts() []Verdict {
	var out []Verdict
	for _, s := range r.Sets {
		if s.Task != "linear" {
			continue
		}
		for _, eps := range r.Settings.Linear {
			for _, pair := range [][2]string{{Best, PrintedMixing}, {Best, PrintedAdaSSP}, {Mixing, PrintedMixing}, {AdaSSP, PrintedAdaSSP}} {
				a, ok := s.Find(pair[0], eps)
				b, there := s.Find(pair[1], eps)
				if !ok || !there {
					continue
				}
				v := Verdict{Set: s.Name, Epsilon: eps, Ours: pair[0], Printed: pair[1], Ratio: a.Mean / b.Mean}
				half := normal95 * math.Hypot(a.SE, b.SE)
				v.Worse, v.Better = a.Mean-b.Mean > half, b.Mean-a.Mean > half
				out = append(out, v)
			}
		}
	}
	return out
}
