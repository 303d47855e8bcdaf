package viz

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Utility plots measures of quality against ε: one series for each method, with its band. [MeanBand] makes
// a series from repeated releases.
func Utility(measure Axis, note string, series ...Series) View {
	return Lines(LineChart{
		Title: clean(measure.Name) + " against ε", Note: note,
		X: Axis{Name: "ε", Log: true, Loss: true}, Y: measure, Series: series,
	})
}

// MeanBand is the mean of repeated measurements at each x, runs[i] at x[i], with the interval that holds their
// expectation at the given level (0.95, say): Student's, for independent and about normal measurements. Where
// there is one measurement the interval has no width, and where there is none the series has a gap.
func MeanBand(name string, level float64, x []float64, runs [][]float64) Series {
	s := Series{Name: name, X: x, gaps: true}
	for _, r := range runs {
		mean, half := math.NaN(), math.NaN()
		switch n := float64(len(r)); {
		case n == 1:
			mean, half = r[0], 0
		case n > 1:
			var sd float64
			mean, sd = stat.MeanStdDev(r, nil)
			half = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1-level)/2) * -sd / math.Sqrt(n)
		}
		s.Y, s.Lo, s.Hi = append(s.Y, mean), append(s.Lo, mean-half), append(s.Hi, mean+half)
	}
	return s
}
