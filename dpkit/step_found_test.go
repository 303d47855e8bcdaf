package dpkit

import (
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
)

// TestRowsFarSmallerThanTheirColumns: thresholds lie on a grid over the column's bounds, whose rounding is charged for however small the
// rows are known to be.
func TestRowsFarSmallerThanTheirColumns(t *testing.T) {
	steps := Pipeline{}.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.2}, "x", "z").steps
	s := chainSubject(steps, attack.Subject{Schema: squareDomain(1), Neighbours: ReplaceOne, Displaced: []string{"x", "z"}, Narrow: true})
	p := must(attack.ParsePair([]string{
		"1 * 8.881734825539249e-16 0 0 / 8.881928715877222e-16 0 0",
		"7 * 8.881734825539249e-16 0 0 / 8.881928715877222e-16 0 0",
		"1 * 0 0 0 / 1e-15 1e-15 0",
	}, 3))
	if _, err := attack.Search(t.Context(), s, attack.Options{Pairs: 1, Rows: []int{9}, Replay: []attack.Pair{p}}); err != nil {
		t.Error(err)
	}
}
