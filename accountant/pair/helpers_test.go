package pair

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func curveOf(t *testing.T, e accountant.Event, rel accountant.Neighbours) accountant.Curve {
	t.Helper()
	return must[accountant.Curve](t)(e.RDP(rel))
}
