package accountant

import (
	"errors"
	"strings"
	"testing"
)

// TestRelationErrors: who has to choose a relation is told what add/remove does not hide.
func TestRelationErrors(t *testing.T) {
	for _, r := range []Neighbours{0, 3} {
		err := r.Validate()
		if !errors.Is(err, ErrNeighbours) {
			t.Fatalf("got %v", err)
		}
		for _, want := range []string{"zeroed out", "not deleted from the file", "number of rows stays public under both"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("no %q in %v", want, err)
			}
		}
	}
	e := SubsampledGaussian{C: 1, Sigma: 1, Sampling: BatchSampling(10, 100), Neighbours: AddRemove}
	if _, err := e.RDP(AddRemove); err == nil || strings.Contains(err.Error(), "size of the table") || !strings.Contains(err.Error(), "replaced row") {
		t.Errorf("without replacement: got %v", err)
	}
}
