package sketch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// usable reports a sketch of which nothing can be estimated.
func (s *Sketch) usable() error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("%w: %w", err, kind.ErrParameter)
	}
	if s.sigmaIsBound {
		return fmt.Errorf("the sketch was stored by a version that told a bound on its noise, and not the noise, which is to be taken off: release one anew, or read Inner: %w", models.ErrRefused)
	}
	return nil
}

// columns finds columns by name; none are asked for twice.
func (s *Sketch) columns(names []string) ([]int, error) {
	var at []int
	for _, name := range names {
		j := slices.Index(s.Columns, name)
		if j < 0 {
			return nil, fmt.Errorf("column %q: the sketch has %q: %w", name, s.Columns, stage.ErrColumn)
		}
		if slices.Contains(at, j) {
			return nil, fmt.Errorf("column %q: got it twice, want different columns: %w", name, kind.ErrParameter)
		}
		at = append(at, j)
	}
	return at, nil
}

// block is the rows and columns at of Inner, row-major.
func (s *Sketch) block(at []int) []float64 {
	out := make([]float64, 0, len(at)*len(at))
	for _, i := range at {
		for _, j := range at {
			out = append(out, s.Inner[i*len(s.Columns)+j])
		}
	}
	return out
}

// spectrum decomposes a matrix of what is released: its scale may be read off it.
func spectrum(a []float64, n int) linalg.Spectrum {
	d, err := linalg.Symmetric(a, n, 0)
	if err != nil {
		panic(err) // impossible: the matrix is square
	}
	return d
}

// few lists the first names of many.
func few(names []string) string {
	const shown = 6
	if n := len(names); n > shown {
		return fmt.Sprintf("%s, … (%d)", strings.Join(names[:shown], ", "), n)
	}
	return strings.Join(names, ", ")
}
