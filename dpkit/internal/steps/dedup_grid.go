package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
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
	// CellCenter moves the numeric keys to the centres of their cells. Over whole rows that costs nothing:
	// what is left is the set of occupied cells.
	CellCenter Representative = iota
	// CellSmallest keeps the row of the cell that comes first in the order of its values, as it is.
	CellSmallest
)

func (r Representative) String() string {
	switch r {
	case CellCenter:
		return "CellCenter"
	case CellSmallest:
		return "CellSmallest"
	default:
		return fmt.Sprintf("Representative(%d)", uint8(r))
	}
}

// Text names the way in a chain.
func (r Representative) Text() string { return r.String() }

// was is the name of the way in identities.
func (r Representative) was() string { return strings.TrimPrefix(r.String(), "Cell") }

// Read is the opposite of text.
func (r *Representative) Read(p *kind.Parser) error {
	name, err := p.Name()
	if err != nil {
		return err
	}
	for _, is := range []Representative{CellCenter, CellSmallest} {
		if is.String() == name {
			*r = is
			return nil
		}
	}
	return p.Fail("got %s, want CellCenter or CellSmallest", name)
}

func (g Grid) Deduper(keys []string) stage.Preprocessor { return GridDedup{g, keys} }

// GridDedup is Dedup(Grid{…}): of the rows in a cell of the public grid on the numeric Keys, and with the same other Keys,
// one stays. Without Keys whole rows are compared.
type GridDedup struct {
	Grid
	Keys []string
}

func (GridDedup) Kind() kind.Kind {
	return kind.Kind{Name: "dedup/grid", Law: 1, Call: "Dedup", Was: "dpkit.gridDedup"}
}

func (g GridDedup) Check(in frames.Schema) (frames.Schema, error) {
	if g.Representative > CellSmallest {
		return in, fmt.Errorf("representative: got %v, want CellCenter or CellSmallest: %w", g.Representative, kind.ErrParameter)
	}
	k, err := rows.KeysOf(in, g.Keys)
	if err != nil {
		return in, err
	}
	if len(k.Numeric) == 0 {
		return in, fmt.Errorf("got no numeric column among the keys; use Exact{}: %w", stage.ErrColumn)
	}
	return g.cells(k, in).Check(in)
}

// cells is the public grid on the numeric keys.
func (g GridDedup) cells(k rows.KeySet, in frames.Schema) Quantize {
	return Quantize{g.Width, k.Numbers(in)}
}

// Propagate (docs/theory/calculus.md#grid-dedup): CellCenter is a public row map followed by the removal of exact duplicates. CellSmallest keeps
// one row of each group of rows that agree in their cells and their other keys, as keys with payload do.
func (g GridDedup) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := dedupable(st); err != nil {
		return stage.Propagation{}, err
	}
	k, err := rows.KeysOf(st.In, g.Keys)
	if err != nil {
		return stage.Propagation{}, err
	}
	p := st.Before
	if g.Representative == CellCenter {
		pr, err := g.cells(k, st.In).Propagate(st)
		if err != nil {
			return pr, err
		}
		p = pr.Pair
	} else {
		k.All = false
	}
	note := exactNote(k.All)
	if k.All {
		note = "the set of occupied cells changes by one when one row does: free"
	}
	return removal(st, p, k.Freed(st.Before.F), note, "preprocessing §1, A2; stability calculus §3, grid dedup; Hu, Sanyal, Schölkopf 2024, Prop. 3, replaced by a public grid")
}

func (g GridDedup) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	if g.Representative == CellSmallest {
		return stage.ByRow(CopyRow), nil
	}
	t, err := stage.FitPublic(g, st)
	return stage.ByBlock(func(dst, src []float64, n int) {
		t.Map(dst, src, n)
		CopyRow(dst, dst)
	}), err
}

func (g GridDedup) Rewrite(_ context.Context, m *rows.Matrix, st stage.Stage) error {
	k, err := rows.KeysOf(st.In, g.Keys)
	if err != nil {
		return err
	}
	if g.Representative == CellCenter {
		m.Dedup(k) // of rows that Fit's map moved to the centres
		return nil
	}
	t, err := stage.FitPublic(g.cells(k, st.In), st)
	if err != nil {
		return err
	}
	columns := append(k.Numeric, k.Exact...)
	width, _ := m.Cells(columns, k.Label)
	class, count := m.ClassesOf(width, func() func(buf []byte, i int) {
		at := &rows.Matrix{Cols: m.Cols, X: make([]float64, m.Cols)} // row i in the centre of its cell
		if m.Y != nil {
			at.Y = make([]float64, 1)
		}
		_, key := at.Cells(columns, k.Label)
		return func(buf []byte, i int) {
			t.Map(at.X, m.Row(i), 1)
			if m.Y != nil {
				at.Y[0] = m.Y[i]
			}
			key(buf, 0)
		}
	})
	m.KeepSmallest(class, count)
	return nil
}

// Deploy moves rows to predict to the centres of their cells where training rows were moved.
func (g GridDedup) Deploy(st stage.Stage) (stage.RowMap, error) {
	k, err := rows.KeysOf(st.In, g.Keys)
	if err != nil || g.Representative == CellSmallest {
		return stage.RowMap{}, err
	}
	return g.cells(k, st.In).Deploy(st)
}
