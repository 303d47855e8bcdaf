package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

// correlated are three columns of 1000 rows, of which the first two rise together and the third is nearly constant.
func correlated() dpkit.CorrelationMatrix {
	return dpkit.CorrelationMatrix{
		Columns: []string{"hours", "mark", "height"}, Lo: []float64{0, 0, 1}, Hi: []float64{40, 100, 2}, Rows: 1000,
		Sums: []float64{100, -50, 300}, SumSigma: 8, SquareSigma: 11,
		Products: []float64{260, 170, 30, 170, 240, -15, 30, -15, 98}, Provenance: dpkit.Provenance{NotPrivate: "a test"},
	}
}

// TestCorrelation: each pair is told with its interval, those of which the sign is open say so, and the promise stands beside them.
func TestCorrelation(t *testing.T) {
	view := Correlation(correlated())
	text := view.Text()
	for _, want := range []string{"0.72", "Of 2 pairs the sign is not known", "covariance", "height", "–", "NOT PRIVATE"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if html := view.HTML(); !strings.Contains(html, "<svg") && !strings.Contains(html, "<img") {
		t.Error("no picture")
	}
	if text := Correlation(dpkit.CorrelationMatrix{Columns: []string{"a"}}).Text(); !strings.Contains(text, "incomplete") {
		t.Error(text)
	}
}

// TestCorrelationOfPublicRows has no intervals, and draws every number with its colour.
func TestCorrelationOfPublicRows(t *testing.T) {
	m := correlated()
	m.SumSigma, m.SquareSigma = 0, 0
	if text := Correlation(m).Text(); strings.Contains(text, "not known") {
		t.Error(text)
	}
}
