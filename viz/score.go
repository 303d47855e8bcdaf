package viz

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
)

// Score shows how good a released model is on rows that it has not seen: of two classes the ROC curve and, of probabilities, the calibration,
// with 95 % intervals over the privacy noise, and all measures in words; else the measures alone. The picture says what the release
// promises.
func Score(s dpkit.Score) View {
	title := "Score of the model of " + clean(s.Label)
	var words facts
	for _, name := range s.Names() {
		if m, err := s.Measure(name, 0.95); err == nil {
			words = append(words, fact{Name: name, Value: fmt.Sprintf("%s [%s, %s]", near(m.Value), near(m.Low), near(m.High))})
		}
	}
	curve, err := s.ROC(0.95)
	if err != nil {
		return View{title: title, blocks: []block{words}}.promising(s.Provenance)
	}
	var told []string
	for _, f := range words {
		told = append(told, f.Name+" "+f.Value)
	}
	charts := []Chart{scoreROC(curve)}
	if bins, err := s.Calibration(0.95); err == nil && s.Probable {
		charts = append(charts, scoreCalibration(bins, s.Sigma))
	}
	note := "Of " + clean(s.Classes[1]) + ": " + strings.Join(told, ", ") + ". Brackets and bars: 95 % intervals over the privacy noise."
	v := Panels(title, note, charts...)
	v.fig.stacked = true
	return v.promising(s.Provenance)
}

func scoreROC(curve []dpkit.ScorePoint) LineChart {
	s := Series{Name: "at the edges of bins of scores", Style: PointStyle}
	for _, p := range curve {
		s.X, s.Y = append(s.X, p.FalsePositive.Value), append(s.Y, p.TruePositive.Value)
		s.Lo, s.Hi = append(s.Lo, p.TruePositive.Low), append(s.Hi, p.TruePositive.High)
	}
	return LineChart{
		Title: "Receiver operating characteristic",
		X:     Axis{Name: "false positive rate", Range: [2]float64{0, 1}}, Y: Axis{Name: "true positive rate", Range: [2]float64{0, 1.02}},
		Series: []Series{s, {Name: "chance", X: []float64{0, 1}, Y: []float64{0, 1}, Style: ReferenceStyle}},
	}
}

// scoreCalibration leaves out bins whose noisy number of rows the noise alone may make.
func scoreCalibration(bins []dpkit.ScoreBin, sigma float64) LineChart {
	s := Series{Name: "share in a bin of scores", Style: PointStyle}
	left := 0
	for _, b := range bins {
		if b.Rows <= 4*sigma || b.Rows <= 0 {
			left++
			continue
		}
		s.X, s.Y = append(s.X, (b.Lo+b.Hi)/2), append(s.Y, b.Share.Value)
		s.Lo, s.Hi = append(s.Lo, b.Share.Low), append(s.Hi, b.Share.High)
	}
	c := LineChart{
		Title: "Calibration", X: Axis{Name: "middle of the bin", Range: [2]float64{0, 1}}, Y: Axis{Name: "share of the second class", Range: [2]float64{0, 1.02}},
		Series: []Series{s, {Name: "calibrated", X: []float64{0, 1}, Y: []float64{0, 1}, Style: ReferenceStyle}},
	}
	if left > 0 {
		c.Note = fmt.Sprintf("%d bins of few rows are left out.", left)
	}
	return c
}
