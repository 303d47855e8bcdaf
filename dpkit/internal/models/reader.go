package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Reader is how a model reads raw rows: the public maps that lead to its columns. It is part of
// the model; that of one which was released without prediction is empty.
type Reader struct {
	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
	Schema frames.Schema `json:"schema,omitzero"`
	Maps   stage.RowMap  `json:"maps,omitempty"`
}

// Deployed is a pointer to a model that takes over the public row maps of its chain: one that has a [Reader].
type Deployed interface{ reader() *Reader }

func (m *Reader) reader() *Reader { return m }

// Deploy keeps the map of the steps before the mechanism, from rows of raw to those that it read: prediction applies it.
func Deploy(m Deployed, raw frames.Schema, ops stage.RowMap) { *m.reader() = Reader{raw, ops} }

// evaluate returns link(⟨coef, z⟩ + intercept) for every row z that the maps make of src, in order.
func (m *Reader) evaluate(ctx context.Context, src *frames.PublicFrame, coef []float64, intercept float64, link func(float64) float64) ([]float64, error) {
	var out []float64
	err := m.each(ctx, src, len(coef), func(z []float64) {
		s := intercept
		for j, v := range z {
			s += v * coef[j]
		}
		out = append(out, link(s))
	})
	return out, err
}

// each calls visit for every row that the maps make of src, in order. The row is visit's until it returns.
func (m *Reader) each(ctx context.Context, src *frames.PublicFrame, columns int, visit func(z []float64)) error {
	if src == nil {
		return fmt.Errorf("dpkit: predict: got no frame, want one that frames.Public returned: %w", kind.ErrParameter)
	}
	t, err := m.open(src.Schema(), columns)
	if err != nil {
		return err
	}
	z := make([]float64, columns)
	return src.Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			t(z, b.Row(i))
			visit(z)
		}
		return nil
	})
}

// open returns the map from raw rows of schema s to the model's columns.
func (m *Reader) open(s frames.Schema, columns int) (stage.Transform, error) {
	want, features := m.Schema.Features(), s.Features()
	if len(want) == 0 {
		return nil, fmt.Errorf("dpkit: predict: the model was released without prediction: the fitted maps that lead to its columns stay secret; put a public or a privately released step in their place: %w", stage.ErrOrder)
	}
	if len(features) != len(want) {
		names := make([]string, len(want))
		for j, f := range want {
			names[j] = f.Name
		}
		return nil, fmt.Errorf("dpkit: predict: got rows of %d features, want %d: %s: %w", len(features), len(want), strings.Join(names, ", "), stage.ErrColumn)
	}
	for j, f := range features {
		if f.Name != want[j].Name {
			return nil, fmt.Errorf("dpkit: predict: feature %d: got %q, want %q: %w", j+1, f.Name, want[j].Name, stage.ErrColumn)
		}
		if !slices.Equal(f.Levels, want[j].Levels) {
			return nil, fmt.Errorf("dpkit: predict: feature %q: got levels %q, want %q in this order: load the rows with the schema of the training rows: %w", f.Name, f.Levels, want[j].Levels, stage.ErrColumn)
		}
	}
	t, width, err := m.Maps.Transform(len(features))
	if err != nil {
		return nil, err
	}
	if width != columns {
		return nil, fmt.Errorf("dpkit: predict: the model's maps make %d columns for %d coefficients", width, columns)
	}
	return t, nil
}

// check reports a model whose parts do not fit: the names of its columns, where it came from, and its vectors of coefficients.
func (m *Reader) check(columns []string, p *origin.Provenance, coef ...[]float64) error {
	for _, c := range coef {
		if len(columns) != len(c) {
			return fmt.Errorf("got %d columns for %d coefficients", len(columns), len(c))
		}
	}
	if err := p.Sound(); err != nil {
		return fmt.Errorf("provenance: %w", err)
	}
	if m.Schema.Len() == 0 {
		if len(m.Maps) > 0 {
			return fmt.Errorf("it has row maps and no schema of the rows that they read")
		}
		return nil // released without prediction
	}
	_, err := m.open(m.Schema, len(columns))
	return err
}
