package viz

import (
	"strconv"

	"github.com/dpkit-go/dpnb/dpkit"
)

// Scree plots eigenvalues that were released or are public, in the order given, beside how much of the whole
// the leading ones make up.
func Scree(eigenvalues []float64) View {
	return Panels("Spectrum", "", screeChart(eigenvalues), sharesChart(eigenvalues))
}

func screeChart(eigenvalues []float64) LineChart {
	return LineChart{
		Title: "Eigenvalues", X: Axis{Name: "direction", whole: true}, Y: Axis{Name: "eigenvalue", Log: true},
		Series: []Series{{X: countFrom1(len(eigenvalues)), Y: eigenvalues}},
	}
}

// sharesChart is how much the first k eigenvalues have of the sum of all positive ones: noise makes some negative.
func sharesChart(eigenvalues []float64) LineChart {
	total := 0.0
	for _, v := range eigenvalues {
		total += max(0, v)
	}
	share, sum := make([]float64, len(eigenvalues)), 0.0
	for i, v := range eigenvalues {
		sum += max(0, v)
		share[i] = 100 * sum / total
	}
	return LineChart{
		Title: "Together", X: Axis{Name: "directions", whole: true}, Y: Axis{Name: "share of the trace", Unit: "%", Range: [2]float64{0, 104}},
		Series: []Series{{X: countFrom1(len(share)), Y: share}},
	}
}

// Filters plots what spectral filters do to eigenvalues that were released or are public, of rows of norm at
// most R: the factor that each filter takes for a direction, and what it leaves of the spectrum.
func Filters(R float64, eigenvalues []float64, filters ...dpkit.SpectralFilter) View {
	factor := LineChart{
		Title: "Factor of a direction", X: Axis{Name: "eigenvalue a", Log: true}, Y: Axis{Name: "factor f(a)", Range: [2]float64{0, 1.04}},
	}
	after := screeChart(eigenvalues)
	after.Title = "Eigenvalues, and a·f(a)² that is left"
	after.Series[0].Name, after.Series[0].Style = "no filter", ReferenceStyle
	lo, hi := reach(true, eigenvalues)
	for _, f := range filters {
		if f == nil {
			continue
		}
		response, err := dpkit.Response(f, R)
		if err != nil {
			factor.warnings = append(factor.warnings, strconv.Quote(clean(f.String()))+" is not drawn: "+clean(err.Error()))
			continue
		}
		s := Series{Name: f.String()}
		if lo <= hi {
			s.X = geometric(lo/10, min(hi*10, R*R), 120)
		}
		for _, a := range s.X {
			s.Y = append(s.Y, response(a))
		}
		left := Series{Name: f.String(), X: after.Series[0].X, gaps: true}
		for _, a := range eigenvalues {
			r := response(max(0, a))
			left.Y = append(left.Y, a*r*r)
		}
		factor.Series, after.Series = append(factor.Series, s), append(after.Series, left)
	}
	return Panels("Spectral filters, on rows of norm at most "+near(R), "", factor, after)
}

func countFrom1(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i + 1)
	}
	return out
}
