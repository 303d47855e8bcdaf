package cost

import (
	"math"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the comparison as a gota frame, a row for each way of each step: "step", "name" of the step as it is written, "way",
// "best" (the way to take), "displacement", "amplification", "share", "noise", "refused" (why it has no price; its numbers are
// gota's NaN then), and what the plan with that way would promise: "epsilon", "delta", "unit", "entry" (none yet), "promise".
func (c Comparison) Gota() dataframe.DataFrame {
	var step []int
	var name, way, refused []string
	var best []bool
	var displacement, amplification, share, noise []float64
	var promises []origin.Provenance
	for _, s := range c.Steps {
		for i, v := range s.Variants {
			promise := v.Cost.promise()
			if v.Refused != "" {
				promise = origin.Provenance{}
				v.Displacement, v.Amplification, v.Share, v.Noise = math.NaN(), math.NaN(), math.NaN(), math.NaN()
			}
			step, name, way, best = append(step, s.Step), append(name, s.Name), append(way, v.Name), append(best, i == s.Best)
			displacement, amplification = append(displacement, v.Displacement), append(amplification, v.Amplification)
			share, noise, refused = append(share, v.Share), append(noise, v.Noise), append(refused, v.Refused)
			promises = append(promises, promise)
		}
	}
	return origin.GotaEach(promises,
		series.New(step, series.Int, "step"), origin.Words("name", name), origin.Words("way", way), series.New(best, series.Bool, "best"),
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
