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
	m := loading(frames.Progress{What: "load", Name: "<b>\x1b[1m", Rows: 1000, Bytes: 5, OfBytes: 10, Elapsed: 4 * time.Second})
	w := &textWriter{}
	if m.(meter).text(w); !strings.Contains(w.String(), "1000 rows, 250 rows/s, 4s left") || strings.Contains(w.String(), "\x1b") {
		t.Errorf("%q", w.String())
	}
	if html := (View{blocks: []block{m}}).HTML(); strings.Contains(html, "<b>") {
		t.Error(html)
	}
}

// TestLoadingFits: a line fits into a terminal, whatever the file is called, and where nobody knows how much is left there is no bar.
func TestLoadingFits(t *testing.T) {
	long := strings.Repeat("ward-", 40) + "visits.csv"
	for _, c := range []struct {
		p    frames.Progress
		want string
	}{
		{frames.Progress{What: "load", Name: "/data/visits.csv", Rows: 1_234_567, Bytes: 5e8, OfBytes: 20e8, Elapsed: 4 * time.Second}, "[####----------] load visits.csv: 1234567 rows, 309 k rows/s, 12s left"},
		{frames.Progress{What: "fingerprint", Name: long, Rows: 123_456_789_012, Bytes: 5e8, OfBytes: 20e12, Elapsed: 400 * time.Hour}, "[#-------------] fingerprint …rd-ward-ward-visits.csv: 123456789012 rows, 85.7…"},
		{frames.Progress{What: "check", Rows: 2000, Elapsed: 2 * time.Second}, "check: 2000 rows, 1 k rows/s"},
	} {
		if got := loadingLine(c.p); got != c.want || len([]rune(got)) > 79 {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if html := (View{blocks: []block{loading(c.p)}}).HTML(); strings.Contains(html, "<meter") == (c.p.OfBytes == 0) {
			t.Errorf("bar or none: %s", html[len(html)-300:])
		}
	}
}
