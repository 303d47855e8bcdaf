package models

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
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

// open returns the map from raw rows of schema s to the model's columns. Features are found by name.
func (m *Reader) open(s frames.Schema, columns int) (stage.Transform, error) {
	want := m.Schema.Features()
	//dp:advises the model has no maps to read rows by
	if len(want) == 0 {
		return nil, fmt.Errorf("dpkit: predict: the model was released without prediction: the fitted maps that lead to its columns stay secret; put a public or a privately released step in their place: %w", stage.ErrOrder)
	}
	at, err := m.places(s)
	if err != nil {
		return nil, err
	}
	t, width, err := m.Maps.Transform(len(want))
	if err != nil {
		return nil, err
	}
	if width != columns {
		return nil, fmt.Errorf("dpkit: predict: the model's maps make %d columns for %d coefficients", width, columns)
	}
	if at == nil {
		return t, nil
	}
	x := make([]float64, len(want))
	for j, c := range want {
		x[j] = inside(c) // of features that the chain drops
	}
	return stage.ByRow(func(dst, src []float64) {
		for j, k := range at {
			if k >= 0 {
				x[j] = src[k]
			}
		}
		t.Map(dst, x, 1)
	}), nil
}

// namesOf lists the names of a schema's columns, the first ones of many.
func namesOf(s frames.Schema) string {
	var names []string
	for _, c := range s.Columns() {
		names = append(names, c.Name)
	}
	return few(names)
}

// few lists the first texts of many.
func few(texts []string) string {
	const shown = 12
	if n := len(texts); n > shown {
		return fmt.Sprintf("%s, … (%d)", quoted(texts[:shown]), n)
	}
	return quoted(texts)
}

func quoted(texts []string) string {
	q := make([]string, len(texts))
	for i, t := range texts {
		q[i] = strconv.Quote(t)
	}
	return strings.Join(q, ", ")
}

// equalLevels reports whether codes of one column are codes of the other.
func equalLevels(a, b frames.Column) bool { return slices.Equal(a.Levels, b.Levels) }

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
