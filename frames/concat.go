package frames

import (
	"context"
	"fmt"
	"slices"
)

// Concat returns the rows of all sources, one after the other, as one source: for data that comes
// in several files. Their schemas must be the same; errors wrap [ErrSchema].
func Concat(sources ...Source) (Source, error) {
	if len(sources) == 0 {
		return nil, fmt.Errorf("frames: concat: got 0 sources, want at least 1: pass them: %w", ErrSchema)
	}
	want := sources[0].Schema().Hash()
	for i, s := range sources[1:] {
		if s.Schema().Hash() != want {
			return nil, fmt.Errorf("frames: concat: the schemas of sources 1 and %d differ, want the same: load them under one schema: %w", i+2, ErrSchema)
		}
		if err := sources[0].Schema().learn(s.Schema()); err != nil {
			return nil, fmt.Errorf("frames: concat: source %d: %w", i+2, err)
		}
	}
	return concat(slices.Clone(sources)), nil // what the caller does with the list changes nothing
}

type concat []Source

func (c concat) Schema() Schema { return c[0].Schema() }

func (c concat) Rows() int {
	n := 0
	for _, s := range c {
		n += s.Rows()
	}
	return n
}

// Clamped sums what the sources count.
func (c concat) Clamped() map[string]int {
	counts := map[string]int{}
	for _, s := range c {
		if s, ok := s.(clamper); ok {
			addCounts(counts, s.Clamped())
		}
	}
	return counts
}

func (c concat) Scan(ctx context.Context, fn func(*Block) error) error {
	first := 0
	for _, s := range c {
		err := s.Scan(ctx, func(b *Block) error {
			moved := *b
			moved.First += first
			return fn(&moved)
		})
		if err != nil {
			return err
		}
		first += s.Rows()
	}
	return nil
}
