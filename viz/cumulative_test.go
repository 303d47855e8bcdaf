package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

// TestCumulative: every period is told with its interval, and what a later one costs stands beside them with the promise.
func TestCumulative(t *testing.T) {
	s := dpkit.Series{
		By: "day month", Of: []dpkit.TableStatistic{{Of: "count"}}, Periods: []string{"2024-01", "2024-02", "2024-03"}, Rows: 100,
		Counts: []float64{10, 30, 90}, CountSigma: []float64{2, 3, 4}, Next: 1.02, Alone: 0.7, Provenance: dpkit.Provenance{NotPrivate: "a test"},
	}
	view := Cumulative(s)
	text := view.Text()
	for _, want := range []string{"2024-02", "cumulative count", "[24.1, 35.9]", "A calendar of one period more: 2 %", "NOT PRIVATE"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if html := view.HTML(); !strings.Contains(html, "<svg") && !strings.Contains(html, "<img") {
		t.Error("no picture")
	}
	if text := Cumulative(dpkit.Series{Periods: []string{"a"}}).Text(); !strings.Contains(text, "incomplete") {
		t.Error(text)
	}
}
