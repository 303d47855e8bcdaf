package dpkit

import (
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// drawnFrom is a release of a mechanism from rows at a stage.
func drawnFrom[V any](t testing.TB, m mechanism[V], in frames.Source, st Stage, rng *noise.Source) V {
	t.Helper()
	draw := must(must(m.Settle(st)).read(t.Context(), inProcess{in}))
	return must(draw(t.Context(), rng))
}
