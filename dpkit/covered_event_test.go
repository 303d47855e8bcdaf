package dpkit

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestCoverByChords: the chords of a known profile are above it, and its cover is hardly more than that of the profile.
func TestCoverByChords(t *testing.T) {
	rel := accountant.ReplaceOne
	for _, mu := range []float64{0.1, 0.5, 2} {
		e := accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}
		const delta0 = 1e-6
		exact := must(e.Profile(rel))
		p := must(chords(byRDP(e, rel), delta0))
		for x := 0.0; x < 8*mu+mu*mu; x += 0.0137 * mu {
			if got, want := p(x), exact(x); !(got >= want) && want > delta0 {
				t.Errorf("μ = %v: δ(%v) = %v, exactly %v", mu, x, got, want)
			}
		}
		got, _, err := coveredEvent{of: e, delta0: delta0, delta: byRDP(e, rel)}.GDP(rel)
		direct := must(accountant.GaussianCover(e, rel, delta0))
		t.Logf("μ = %v: cover %.4f by chords, %.4f directly", mu, got, direct)
		if err != nil || !(got >= direct) || !(got <= 1.05*direct) {
			t.Errorf("μ = %v: cover %v by chords, %v directly, %v", mu, got, direct, err)
		}
	}
}
