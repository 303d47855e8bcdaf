package golden

import (
	"encoding/json"
	"math"
	"testing"
)

// Tolerance is the relative tolerance of a file.
type Tolerance float64

// ToleranceOf is the number tolerance_rel of a file's group meta; 1e-9 where it has none.
func ToleranceOf(t testing.TB, groups map[string]json.RawMessage) Tolerance {
	t.Helper()
	var meta struct {
		Tolerance float64 `json:"tolerance_rel"`
	}
	if m, ok := groups["meta"]; ok {
		if err := json.Unmarshal(m, &meta); err != nil {
			t.Fatal(err)
		}
	}
	if meta.Tolerance == 0 {
		return 1e-9
	}
	return Tolerance(meta.Tolerance)
}

// Same wants a bound to be the reference's: to the file's tolerance above, and below by no more than the reference's own rounding.
func (tol Tolerance) Same(t testing.TB, what string, got, want float64) {
	t.Helper()
	Within(t, what, got, want, float64(tol), min(float64(tol), 1e-12))
}

// Near wants a number that is no bound to be the reference's to the file's tolerance.
func (tol Tolerance) Near(t testing.TB, what string, got, want float64) {
	t.Helper()
	Within(t, what, got, want, float64(tol), float64(tol))
}

// AtMost wants a number to stay within a bound.
func (tol Tolerance) AtMost(t testing.TB, what string, got, bound float64) {
	t.Helper()
	if !(got <= bound+float64(tol)*math.Abs(bound)) {
		t.Errorf("%s = %.17g, want at most %.17g", what, got, bound)
	}
}

// Within wants a number to be at most a relative distance above the reference, and at most another below it.
func Within(t testing.TB, what string, got, want, above, below float64) {
	t.Helper()
	if got == want {
		return
	}
	if scale := math.Abs(want); !(got <= want+above*scale) || !(got >= want-below*scale) {
		t.Errorf("%s = %.17g, want %.17g (off by %.3g)", what, got, want, got-want)
	}
}
