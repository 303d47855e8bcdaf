package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

// TestScore: of two classes both pictures are drawn with what is promised, bins of few rows are named, and a number has its measures.
func TestScore(t *testing.T) {
	first, second := make([]float64, 20), make([]float64, 20)
	first[3], second[3], first[16], second[16], second[10] = 300, 60, 50, 400, 3
	s := dpkit.Score{
		Label: "passed", Classes: []string{"no", "yes"}, Rows: 810, Probable: true, Sigma: 5,
		Measures: []string{dpkit.ScoreAccuracy, dpkit.ScoreLogLoss}, Sums: []float64{700, 80}, Bins: [][]float64{first, second},
		Provenance: dpkit.Provenance{NotPrivate: "a test"},
	}
	view := Score(s)
	text := view.Text()
	for _, want := range []string{"accuracy 0.864", "AUC", "true positive rate", "share of the second class", "18 bins of few rows", "NOT PRIVATE"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	number := Score(dpkit.Score{Label: "pay", Rows: 100, Range: 10, Measures: []string{dpkit.ScoreRMSE, dpkit.ScoreAbsolute}, Sums: []float64{1, 9}, Sigma: 1})
	if text := number.Text(); !strings.Contains(text, "RMSE") || !strings.Contains(text, "mean absolute error") || strings.Contains(text, "positive") {
		t.Error(text)
	}
}
