package fivecalls

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestStored: the stored results are those of the full setting, and every call earns its place by more than chance explains: three standard
// errors of medians.
func TestStored(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	full, _ := json.Marshal(Full())
	if got, _ := json.Marshal(r.Settings); string(got) != string(full) {
		t.Errorf("stored settings %s, want %s", got, full)
	}
	for _, c := range []struct {
		name    string
		chain   Chain
		better  float64 // sign of an improvement
		without []string
	}{
		{"logistic", r.Logistic, 1, []string{"without Dedup", "midpoints in place of private means", "without PCA", "means that are not private", "a soft filter that is not private", "midpoints alone"}},
		{"sketch", r.Sketch, -1, []string{"without Dedup", "midpoints in place of means", "without PCA", "PCA in front: a gap declared", "PCA in front: a soft filter", "midpoints alone"}},
	} {
		whole := c.chain.Ways[0]
		for _, name := range c.without {
			w, ok := c.chain.Find(name)
			if !ok || w.Refused != "" {
				t.Errorf("%s, %s: not there, or refused: %s", c.name, name, w.Refused)
			}
			if gain, se := c.better*(whole.Median-w.Median), math.Hypot(whole.se(r.Settings.Releases), w.se(r.Settings.Releases)); !(gain > 3*se) {
				t.Errorf("%s: the whole chain has %g ± %g, %s %g", c.name, whole.Median, se, name, w.Median)
			}
		}
	}
	for _, name := range []string{"Dedup after Impute", "private means"} {
		if w, ok := r.Sketch.Find(name); !ok || !strings.Contains(w.Refused, "privacy type error") {
			t.Errorf("%s: %+v, want no price", name, w)
		}
	}
}

// se is about the standard error of a median: 1.25 deviations over the root, 1.35 of which are between the quartiles of a normal law.
func (w Way) se(draws int) float64 { return 1.25 * (w.High - w.Low) / 1.35 / math.Sqrt(float64(draws)) }

// TestRunAgreesWithStored: a few releases of the first chain are the first of the stored ones.
func TestRunAgreesWithStored(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	s := Full()
	s.Releases = 8
	c, err := s.logistic(t.Context(), logisticWays[:1])
	if err != nil {
		t.Fatal(err)
	}
	got, want := c.Ways[0], r.Logistic.Ways[0]
	if got.Plan != want.Plan || got.Noise != want.Noise || math.Abs(c.Exact-r.Logistic.Exact) > 1e-3 || c.Idle != r.Logistic.Idle {
		t.Errorf("%+v, stored %+v; exact %g, stored %g", got, want, c.Exact, r.Logistic.Exact)
	}
	if tolerance := 6.5 * want.se(s.Releases); math.Abs(got.Median-want.Median) > tolerance {
		t.Errorf("accuracy %g, stored %g ± %g", got.Median, want.Median, tolerance)
	}
}

// TestLogHasCopiesAndGaps: the rows are what their comment says.
func TestLogHasCopiesAndGaps(t *testing.T) {
	m := Machines{Rows: 600, Sensors: 6, States: 1, Signal: 0.5, Noise: 0.2, Rest: 0.3, Gaps: 0.25, Copies: 3}
	log, held, err := m.Log()
	if err != nil {
		t.Fatal(err)
	}
	if log.Rows() != 600 || held.Rows() != heldRows {
		t.Fatalf("%d and %d rows", log.Rows(), held.Rows())
	}
	rows, labels, err := cells(t.Context(), frames.Public(log))
	if err != nil {
		t.Fatal(err)
	}
	lost, copied := 0, 0
	for i, row := range rows {
		for j, v := range row {
			if math.IsNaN(v) {
				lost++
			} else if !(v >= -1 && v <= 1) {
				t.Fatalf("sensor %d reads %g", j+1, v)
			}
		}
		if i > 0 && same(row, rows[i-1]) {
			copied++
			if labels[i] != 1 {
				t.Errorf("row %d is a copy of a shift that did not fail", i)
			}
		}
	}
	if share := float64(lost) / 3600; math.Abs(share-0.25) > 0.1 || copied < 200 {
		t.Errorf("%g of the readings are lost, %d rows are copies", share, copied)
	}
}

func same(a, b []float64) bool {
	for j, v := range a {
		if v != b[j] && !(math.IsNaN(v) && math.IsNaN(b[j])) {
			return false
		}
	}
	return true
}
