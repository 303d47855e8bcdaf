package dpkit_test

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	_ "github.com/dpkit-go/dpnb/dpkit"
)

// TestImportLeavesGonumAlone: a program that imports dpkit has gonum's own linear algebra.
func TestImportLeavesGonumAlone(t *testing.T) {
	if own, ok := blas64.Implementation().(gonum.Implementation); !ok {
		t.Errorf("blas64 uses %T, want %T", blas64.Implementation(), own)
	}
}
