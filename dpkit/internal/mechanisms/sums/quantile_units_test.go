package sums

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// TestQuantileUnits: a level is refused outside (0, 1) and nearer to its ends than ranks are counted, each with its own reason, and the
// level that the error asks for is taken.
func TestQuantileUnits(t *testing.T) {
	for _, c := range []struct {
		name    string
		q       float64
		refusal string // "" where it is taken
	}{
		{"zero", 0, "strictly between 0 and 1"},
		{"one", 1, "strictly between 0 and 1"},
		{"below", -0.5, "strictly between 0 and 1"},
		{"above", 50, "strictly between 0 and 1"},
		{"not a number", math.NaN(), "strictly between 0 and 1"},
		{"infinite", math.Inf(1), "strictly between 0 and 1"},
		{"tiny", 1e-9, "want at least 4.8e-07"},
		{"least float", 5e-324, "want at least 4.8e-07"},
		{"a little below", 4.76e-7, "ask for q = 1e-06"},
		{"near one", 1 - 1e-9, "want at most 1 - 4.8e-07"},
		{"a little near", 1 - 4.76e-7, "ask for q = 0.999999"},
		{"stated limit", 4.8e-7, ""},
		{"stated upper limit", 1 - 4.8e-7, ""},
		{"advice", 1e-6, ""},
		{"upper advice", 0.999999, ""},
		{"median", 0.5, ""},
	} {
		units, err := QuantileUnits(c.q)
		if c.refusal == "" {
			if err != nil || !(units >= 1 && units < RankUnit) {
				t.Errorf("%s: got %d, %v", c.name, units, err)
			}
			continue
		}
		if !errors.Is(err, kind.ErrParameter) || !strings.Contains(err.Error(), c.refusal) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.refusal)
		}
	}
}
