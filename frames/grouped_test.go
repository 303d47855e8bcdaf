package frames

import (
	"context"
	"errors"
	"testing"
)

// summed is a source that adds its rows up.
type summed struct{ rows *Frame }

func (s *summed) Schema() Schema { return s.rows.Schema() }

func (s *summed) Rows() int { return s.rows.Rows() }

func (s *summed) Scan(ctx context.Context, fn func(*Block) error) error { return s.rows.Scan(ctx, fn) }

func (s *summed) Grouped(_ context.Context, _ Grouping, each func(levels []float64, rows int64, sums []int64)) (bool, error) {
	each([]float64{0}, int64(s.Rows()), nil)
	return true, nil
}

// Sources that make other rows of those of a Grouper.
type (
	changed  struct{ *summed }
	changing struct{ Grouper }
	checked  struct {
		*Checked
		name string
	}
	deep struct{ changed }
)

func (c changed) Scan(ctx context.Context, fn func(*Block) error) error { return errors.ErrUnsupported }
func (c changing) Scan(ctx context.Context, fn func(*Block) error) error {
	return errors.ErrUnsupported
}

// TestEmbeddedGroupers: sums are asked of a source that is a Grouper itself, and not of what another one embeds, whose rows may be others.
func TestEmbeddedGroupers(t *testing.T) {
	s, err := NewSchema(Category("ward", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := FromBlock(s, &Block{Rows: 3, Cols: 1, X: []float64{0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	own := &summed{f}
	guard, err := Check(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		src  Source
		done bool
	}{
		"itself": {own, true}, "guarded": {guard, true}, "embedded": {changed{own}, false}, "behind a pointer": {&changed{own}, false},
		"an interface": {changing{own}, false}, "a guarded one": {checked{guard, "x"}, false}, "two deep": {&deep{changed{own}}, false},
	} {
		c2 := &Checked{schema: s, rows: 3, private: func() guarded { return guarded{src: c.src} }}
		done, err := c2.Grouped(t.Context(), Grouping{By: []string{"ward"}}, func([]float64, int64, []int64) {
			if !c.done {
				t.Errorf("%s: sums were asked for", name)
			}
		})
		if done != c.done || err != nil {
			t.Errorf("%s: got %v, %v, want %v", name, done, err, c.done)
		}
	}
}
