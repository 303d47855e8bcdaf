package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// Grid removes all rows but one from each cell of a public grid: the numeric keys are cut into cells
// of the given width, counted from the column's lower bound, and the other keys (categories, encoded
// or not, the label, and which cells are missing) are compared as they are.
type Grid struct {
	Width          float64 // of a cell, in the units of the columns; no default
	Representative Representative
}

// Representative says which row stands for a cell.
type Representative uint8

const (
	// Center moves the numeric keys to the centres of their cells. Over whole rows that costs nothing:
	// what is left is the set of occupied cells.
	Center Representative = iota
	// Smallest keeps the row of the cell that comes first in the order of its values, as it is.
	Smallest
)

func (r Representative) String() string {
	switch r {
	case Center:
		return "Center"
	case Smallest:
		return "Smallest"
	default:
		return fmt.Sprintf("Representative(%d)", uint8(r))
	}
}

// text names the way in a chain.
func (r Representative) text() string { return r.String() }

// read is the opposite of text.
func (r *Representative) read(p *parser) error {
	name, err := p.name()
	if err != nil {
		return err
	}
	for _, is := range []Representative{Center, Smallest} {
		if is.String() == name {
			*r = is
			return nil
		}
	}
	return p.fail("got %s, want Center or Smallest", name)
}

func (g Grid) deduper(keys []string) Preprocessor { return gridDedup{g, keys} }

type gridDedup struct {
	Grid
	Keys []string
}

func (gridDedup) kind() kind { return kind{"dedup/grid", 1, "Dedup", "dpkit.gridDedup"} }

func (g gridDedup) Check(in frames.Schema) (frames.Schema, error) {
	if g.Representative > Smallest {
		return in, fmt.Errorf("representative: got %v, want Center or Smallest: %w", g.Representative, ErrParameter)
	}
	k, err := keysOf(in, g.Keys)
	if err != nil {
		return in, err
	}
	if len(k.numeric) == 0 {
		return in, fmt.Errorf("got no numeric column among the keys; use Exact{}: %w", ErrColumn)
	}
	return g.cells(k, in).Check(in)
}

// cells is the public grid on the numeric keys.
func (g gridDedup) cells(k keySet, in frames.Schema) quantize {
	return quantize{g.Width, k.numbers(in)}
}

// Propagate (docs/theory/calculus.md#grid-dedup): Center is a public row map followed by the removal of exact duplicates. Smallest keeps
// one row of each group of rows that agree in their cells and their other keys, as keys with payload do.
func (g gridDedup) Propagate(st Stage) (Propagation, error) {
	if err := dedupable(st); err != nil {
		return Propagation{}, err
	}
	k, err := keysOf(st.In, g.Keys)
	if err != nil {
		return Propagation{}, err
	}
	p := st.Before
	if g.Representative == Center {
		pr, err := g.cells(k, st.In).Propagate(st)
		if err != nil {
			return pr, err
		}
		p = pr.Pair
	} else {
		k.all = false
	}
	note := exactNote(k.all)
	if k.all {
		note = "the set of occupied cells changes by one when one row does: free"
	}
	return removal(st, p, k.freed(st.Before.F), note, "preprocessing §1, A2; stability calculus §3, grid dedup; Hu, Sanyal, Schölkopf 2024, Prop. 3, replaced by a public grid")
}

func (g gridDedup) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	if g.Representative == Smallest {
		return copyRow, nil
	}
	t, err := fitPublic(g, st)
	return func(dst, src []float64) {
		t(dst, src)
		copyRow(dst, dst)
	}, err
}

func (g gridDedup) rewrite(_ context.Context, m *matrix, st Stage) error {
	k, err := keysOf(st.In, g.Keys)
	if err != nil {
		return err
	}
	if g.Representative == Center {
		m.dedup(k) // of rows that Fit's map moved to the centres
		return nil
	}
	t, err := fitPublic(g.cells(k, st.In), st)
	if err != nil {
		return err
	}
	at := &matrix{cols: m.cols, x: make([]float64, m.cols), y: m.y}
	if m.y != nil {
		at.y = make([]float64, 1)
	}
	width, key := at.cells(append(k.numeric, k.exact...), k.label)
	class, count := m.classesOf(width, func(buf []byte, i int) {
		t(at.x, m.row(i))
		if m.y != nil {
			at.y[0] = m.y[i]
		}
		key(buf, 0)
	})
	m.keepSmallest(class, count)
	return nil
}

// Deploy moves rows to predict to the centres of their cells where training rows were moved.
func (g gridDedup) Deploy(st Stage) (RowMap, error) {
	k, err := keysOf(st.In, g.Keys)
	if err != nil || g.Representative == Smallest {
		return RowMap{}, err
	}
	return g.cells(k, st.In).Deploy(st)
}
