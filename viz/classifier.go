package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Scored are the scores that a model gives to public rows, beside their public labels. Private rows have no
// business here: these plots are exact.
type Scored struct {
	Name     string
	Scores   []float64 // the higher, the more likely positive
	Positive []bool    // the label of each
}

// Classifier plots how well models tell the classes of public rows apart: [ROC], [PrecisionRecall] and
// [Calibration] in one figure.
func Classifier(models ...Scored) View {
	return Panels("Models on public rows", "", rocChart(models), precisionChart(models), calibrationChart(models))
}

// ROC plots the receiver operating characteristic on public rows, with the area under it (which is the
// probability that a positive row has the higher score than a negative one, ties counted half).
func ROC(models ...Scored) View { return Lines(rocChart(models)) }

// PrecisionRecall plots precision against recall on public rows, with the average precision.
func PrecisionRecall(models ...Scored) View { return Lines(precisionChart(models)) }

// Calibration plots, for scores that are probabilities, how often public rows of about equal score are
// positive: ten bins, with Wilson's 95 % intervals (1927).
func Calibration(models ...Scored) View { return Lines(calibrationChart(models)) }

func (m Scored) wrong() string {
	name := strconv.Quote(clean(m.Name))
	positives := 0
	for _, p := range m.Positive {
		if p {
			positives++
		}
	}
	switch {
	case len(m.Scores) != len(m.Positive):
		return fmt.Sprintf("%s is not drawn: got %d scores and %d labels, want as many of each", name, len(m.Scores), len(m.Positive))
	case positives == 0 || positives == len(m.Positive):
		return name + " is not drawn: got rows of one class, want both"
	}
	for _, s := range m.Scores {
		if math.IsNaN(s) {
			return name + " is not drawn: a score is NaN"
		}
	}
	return ""
}

// step is how many rows have at least some score.
type step struct{ positive, negative float64 }

// steps are the numbers of rows above each threshold, from none to all. Rows of equal score come together.
func (m Scored) steps() []step {
	order := make([]int, len(m.Scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(m.Scores[j], m.Scores[i]) })
	out, at := []step{{}}, step{}
	for k, i := range order {
		if m.Positive[i] {
			at.positive++
		} else {
			at.negative++
		}
		if k+1 == len(order) || m.Scores[order[k+1]] != m.Scores[i] {
			out = append(out, at)
		}
	}
	return out
}

// thin leaves out points of a curve that nobody can see: of runs that lie within a 500th of the axis.
func thin(x, y []float64) ([]float64, []float64) {
	var u, v []float64
	for i := range x {
		n := len(u)
		if n > 0 && i+1 < len(x) && math.Abs(x[i]-u[n-1]) < 0.002 && math.Abs(y[i]-v[n-1]) < 0.002 {
			continue
		}
		u, v = append(u, x[i]), append(v, y[i])
	}
	return u, v
}

func rocChart(models []Scored) LineChart {
	c := LineChart{
		Title: "Receiver operating characteristic",
		X:     Axis{Name: "false positive rate", Range: [2]float64{0, 1}}, Y: Axis{Name: "true positive rate", Range: [2]float64{0, 1.02}},
	}
	for _, m := range models {
		if w := m.wrong(); w != "" {
			c.warnings = append(c.warnings, w)
			continue
		}
		steps := m.steps()
		all := steps[len(steps)-1]
		var x, y []float64
		area := 0.0
		for i, s := range steps {
			x, y = append(x, s.negative/all.negative), append(y, s.positive/all.positive)
			if i > 0 {
				area += (x[i] - x[i-1]) * (y[i] + y[i-1]) / 2
			}
		}
		s := Series{Name: fmt.Sprintf("%s, area %.3f", m.Name, area), plain: true}
		s.X, s.Y = thin(x, y)
		c.Series = append(c.Series, s)
	}
	c.Series = append(c.Series, Series{Name: "chance", X: []float64{0, 1}, Y: []float64{0, 1}, Style: ReferenceStyle})
	return c
}

func precisionChart(models []Scored) LineChart {
	c := LineChart{
		Title: "Precision and recall",
		X:     Axis{Name: "recall", Range: [2]float64{0, 1}}, Y: Axis{Name: "precision", Range: [2]float64{0, 1.02}},
	}
	base := math.NaN()
	for _, m := range models {
		if m.wrong() != "" {
			c.warnings = append(c.warnings, m.wrong())
			continue
		}
		steps := m.steps()
		all := steps[len(steps)-1]
		share := all.positive / (all.positive + all.negative)
		if math.IsNaN(base) {
			base = share
		}
		var x, y []float64
		average := 0.0
		for i, s := range steps[1:] {
			x, y = append(x, s.positive/all.positive), append(y, s.positive/(s.positive+s.negative))
			average += (s.positive - steps[i].positive) / all.positive * y[i]
		}
		s := Series{Name: fmt.Sprintf("%s, average %.3f", m.Name, average), plain: true}
		s.X, s.Y = thin(x, y)
		c.Series = append(c.Series, s)
	}
	if !math.IsNaN(base) {
		c.Series = append(c.Series, Series{Name: "share of positives", X: []float64{0, 1}, Y: []float64{base, base}, Style: ReferenceStyle})
	}
	return c
}

const calibrationBins = 10

func calibrationChart(models []Scored) LineChart {
	c := LineChart{
		Title: "Calibration", X: Axis{Name: "mean score of a bin", Range: [2]float64{0, 1}}, Y: Axis{Name: "share of positives", Range: [2]float64{0, 1.02}},
	}
	for _, m := range models {
		w := m.wrong()
		for _, p := range m.Scores {
			if w == "" && !(p >= 0 && p <= 1) {
				w = strconv.Quote(clean(m.Name)) + " is not drawn: a score lies outside [0, 1], want probabilities"
			}
		}
		if w != "" {
			c.warnings = append(c.warnings, w)
			continue
		}
		var rows, positive, sum [calibrationBins]float64
		for i, p := range m.Scores {
			b := min(int(p*calibrationBins), calibrationBins-1)
			rows[b]++
			sum[b] += p
			if m.Positive[i] {
				positive[b]++
			}
		}
		s := Series{Name: m.Name}
		for b, n := range rows {
			if n > 0 {
				lo, hi := wilson(positive[b], n)
				s.X, s.Y = append(s.X, sum[b]/n), append(s.Y, positive[b]/n)
				s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
			}
		}
		c.Series = append(c.Series, s)
	}
	c.Series = append(c.Series, Series{Name: "calibrated", X: []float64{0, 1}, Y: []float64{0, 1}, Style: ReferenceStyle})
	return c
}

// wilson is the 95 % score interval of a share k/n.
func wilson(k, n float64) (lo, hi float64) {
	const z = 1.959963984540054
	p := k / n
	mid, half := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, min(p, mid-half)), min(1, max(p, mid+half))
}
