package main

import (
	"context"
	"path/filepath"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
)

// memoryCases hold what they must. At -rows 10000000 the table is 1.6 GB.
func memoryCases() []benchCase {
	return []benchCase{
		{"memory", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Gram(target())) }), nil},
		{"memory chain", 1, writeNumbers, loadChain, nil},
	}
}

// loadChain is a Gram matrix behind steps of which each makes rows of another width: at most the source and one working table are held.
func loadChain(ctx context.Context, dir string, rows int) (func(context.Context) error, error) {
	f, err := readNumbers(ctx, filepath.Join(dir, "numbers"), rows)
	if err != nil {
		return nil, err
	}
	s, err := dpkit.Demo(f, 1, accountant.AddRemove)
	if err != nil {
		return nil, err
	}
	if err := s.Memory(max(64<<20, 10*width*rows)); err != nil { // as much as a table takes, not two
		return nil, err
	}
	p := s.Data().Center().Drop("x20").Scale().PCA(dpkit.SoftThreshold{Lambda: 0.01}).Select(columns(10)...).ClipNorm(1)
	return value(p.Gram(target())), nil
}
