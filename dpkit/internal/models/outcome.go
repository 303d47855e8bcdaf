package models

import (
	"math"
	"slices"
)

// Outcome is what a prediction and the label of a row come to. Every number is in [0, 1], whatever the row is.
type Outcome struct {
	Hit  float64 // 1 where the class is predicted
	Loss float64 // log loss of probabilities that are clipped to [LeastChance, 1 − LeastChance], over the largest that it can be
	Rank float64 // of two classes the probability of the second or, of a model without probabilities, a rising function of its score

	Squared, Absolute float64 // errors of a number, in units of the label's range, both clamped to the label's bounds
}

// LeastChance is what probabilities are clipped to, from both ends: a log loss is at most −ln of it.
const LeastChance = 0.01

// chances returns the probabilities of the classes by the scores; nil where the model has none.
func chances(m Predictor) func(scores []float64) []float64 {
	two := func(s []float64) []float64 { return []float64{Sigmoid(-s[0]), Sigmoid(s[0])} }
	switch m := m.(type) {
	case *LogisticModel, *ReportedLogistic:
		return two
	case *MultinomialModel:
		return func(s []float64) []float64 {
			p := slices.Clone(s)
			probable(p)
			return p
		}
	case *GradientModel:
		if m.Loss == "LogLoss" && len(m.Coef) == 1 {
			return two
		}
	}
	return nil
}

// Probable says whether the model has probabilities of classes.
func (j *Judge) Probable() bool { return j.chances != nil }

// Outcomes returns a function of a row and its label. A row of which the model makes no number is as wrong as can be: that it is such a
// row stays private. One lane is for one goroutine.
func (j *Judge) Outcomes() func(row []float64, y float64) Outcome {
	scoresOf := j.scorer()
	classes := len(j.label.Levels)
	return func(row []float64, y float64) Outcome {
		worst := Outcome{Loss: 1, Squared: 1, Absolute: 1}
		if y == 0 {
			worst.Rank = 1
		}
		scores, ok := scoresOf(row)
		if !ok {
			return worst
		}
		if classes == 0 {
			return j.error(j.of.answer(scores), y, worst)
		}
		out := Outcome{Loss: 1}
		if j.chances != nil {
			p := j.chances(scores)
			if at := int(y); at >= 0 && at < len(p) {
				out.Loss = min(max(math.Log(min(max(p[at], LeastChance), 1-LeastChance))/math.Log(LeastChance), 0), 1)
			}
			out.Rank = p[len(p)-1]
		} else if len(scores) == 1 {
			out.Rank = Sigmoid(scores[0])
		} else if classes == 2 && len(scores) == 2 { // a softmax of two
			out.Rank = Sigmoid(scores[1] - scores[0])
		}
		if j.of.answer(scores) == y {
			out.Hit = 1
		}
		if !(out.Rank >= 0 && out.Rank <= 1) || math.IsNaN(out.Loss) {
			return worst
		}
		return out
	}
}

// error is the outcome of a number that was predicted.
func (j *Judge) error(predicted, y float64, worst Outcome) Outcome {
	lo, width := j.label.Lo, j.label.Hi-j.label.Lo
	d := math.Abs(min(max((predicted-lo)/width, 0), 1) - min(max((y-lo)/width, 0), 1))
	if !(d >= 0 && d <= 1) {
		return worst
	}
	return Outcome{Squared: d * d, Absolute: d}
}
