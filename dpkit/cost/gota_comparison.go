package cost

import (
	"math"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the comparison as a gota frame, a row for each way of each step, the way to take first: "step", "name" of the step as it is
// written, "way", "kind", "best" (the way to take), "listed" (never recommended), "error" (the predicted one, in the unit of Of), "accuracy"
// (what it means for a classifier), "displacement", "amplification", "share", "noise", "refused" (why it has no price), and what the plan
// with that way would promise: "epsilon", "delta", "unit", "entry" (none yet), "promise". Numbers that there are none of are gota's NaN.
func (c Comparison) Gota() dataframe.DataFrame {
	var step []int
	var name, way, kinds, refused []string
	var best, listed []bool
	var off, accuracy, displacement, amplification, share, noise []float64
	var promises []origin.Provenance
	for _, s := range c.Steps {
		for _, i := range s.Ranked() {
			v := s.Variants[i]
			promise := v.Cost.promise()
			if v.Refused != "" {
				promise = origin.Provenance{}
				v.Displacement, v.Amplification, v.Share, v.Noise, v.Predicted = math.NaN(), math.NaN(), math.NaN(), math.NaN(), false
			}
			if !v.Predicted {
				v.Error = math.NaN()
			}
			if !v.Predicted || v.Accuracy == 0 {
				v.Accuracy = math.NaN()
			}
			step, name, way, kinds = append(step, s.Step), append(name, s.Name), append(way, v.Name), append(kinds, string(v.Kind))
			best, listed = append(best, i == s.Best), append(listed, v.Listed)
			off, accuracy = append(off, v.Error), append(accuracy, v.Accuracy)
			displacement, amplification = append(displacement, v.Displacement), append(amplification, v.Amplification)
			share, noise, refused = append(share, v.Share), append(noise, v.Noise), append(refused, v.Refused)
			promises = append(promises, promise)
		}
	}
	return origin.GotaEach(promises,
		series.New(step, series.Int, "step"), origin.Words("name", name), origin.Words("way", way), origin.Words("kind", kinds),
		series.New(best, series.Bool, "best"), series.New(listed, series.Bool, "listed"),
		origin.Numbers("error", off), origin.Numbers("accuracy", accuracy),
		origin.Numbers("displacement", displacement), origin.Numbers("amplification", amplification),
		origin.Numbers("share", share), origin.Numbers("noise", noise), origin.Words("refused", refused))
}

// blank is n numbers that are not there.
func blank(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
