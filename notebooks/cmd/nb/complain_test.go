package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The package's own prefix goes, and nothing else.
func TestComplain(t *testing.T) {
	one, two := errors.New("nb: cell 1: dpnb: reading"), errors.New("nb: cell 2: nb: twice")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"one":     {one, "nb: f: cell 1: dpnb: reading\n"},
		"joined":  {errors.Join(one, two), "nb: f: cell 1: dpnb: reading\n    cell 2: nb: twice\n"},
		"wrapped": {fmt.Errorf("%w and %w", one, two), "nb: f: cell 1: dpnb: reading and nb: cell 2: nb: twice\n"},
		"foreign": {errors.New("dpnb: reading"), "nb: f: dpnb: reading\n"},
	} {
		var b strings.Builder
		if complain(&b, "f", c.err); b.String() != c.want {
			t.Errorf("%s: got %q, want %q", name, b.String(), c.want)
		}
	}
}
