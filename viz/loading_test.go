package viz

import (
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// TestLoading: a short pass is not shown, a long one until its end, and another one meanwhile not.
func TestLoading(t *testing.T) {
	var shown []string
	report := oneByOne(func(p *frames.Progress) {
		if p == nil {
			shown = append(shown, "-")
		} else {
			shown = append(shown, p.Name)
		}
	})
	pass := func(name string, s float64, done bool) {
		report(frames.Progress{What: "load", Name: name, Elapsed: time.Duration(s * 1e9), Done: done})
	}
	pass("a", 0.2, false)
	pass("a", 0.3, true)
	pass("b", 0.6, false)
	pass("c", 0.7, false)
	pass("b", 0.9, false)
	pass("c", 0.9, true)
	pass("b", 1, true)
	pass("c", 2, true)
	if got := strings.Join(shown, " "); got != "b b -" {
		t.Errorf("shown: %s", got)
	}
	m := loadingMeter(frames.Progress{What: "load", Name: "<b>\x1b[1m", Rows: 1000, Bytes: 5, OfBytes: 10, Elapsed: 4 * time.Second})
	w := &textWriter{}
	if m.text(w); !strings.Contains(w.String(), "1000 rows, 250 rows/s, 4s left") || strings.Contains(w.String(), "\x1b") {
		t.Errorf("%q", w.String())
	}
	if html := (View{blocks: []block{*m}}).HTML(); strings.Contains(html, "<b>") {
		t.Error(html)
	}
}
