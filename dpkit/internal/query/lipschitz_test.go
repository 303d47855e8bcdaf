package query

import (
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func TestLipschitzBehind(t *testing.T) {
	for _, c := range []struct {
		name  string
		taint stage.Taint
		want  float64
	}{
		{"no step displaces a column", nil, 3},
		{"no column is left that a step displaces", stage.Taint{}, 3},
		{"a step displaces a column", stage.Taint{"age": true}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := LipschitzBehind(c.taint, 2, 3); got != c.want {
				t.Errorf("got %g, want %g", got, c.want)
			}
		})
	}
}
