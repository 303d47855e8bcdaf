package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Codebook is dpkit.Pipeline.Codebook: a column of texts, or a category, gets a public list of levels, and one for all others.
type Codebook struct {
	Column string
	Other  string
	Levels []string
}

func (Codebook) Kind() kind.Kind { return kind.Kind{Name: "codebook", Law: 1, Call: "Codebook"} }

func (Codebook) Origin(unit string) []string { return []string{unit} }

func (c Codebook) Check(in frames.Schema) (frames.Schema, error) {
	col, ok := in.Column(c.Column)
	if _, feature := in.FeatureIndex(c.Column); !ok || !feature {
		return in, domain.UnknownColumn(c.Column, in)
	}
	if col.Kind == frames.KindNumeric {
		return in, fmt.Errorf("column %q: got numbers, want texts or a category: put Bin before: %w", c.Column, stage.ErrColumn)
	}
	if len(c.Levels) == 0 {
		return in, fmt.Errorf("got no level, want at least one, such as those that Levels found: %w", kind.ErrParameter)
	}
	if c.Other == "" {
		return in, fmt.Errorf("other: got no level for what is none of the list, want one, such as \"other\": %w", kind.ErrParameter)
	}
	for _, level := range c.Levels {
		if col.Kind == frames.KindCategory && level != c.Other && !slices.Contains(col.Levels, level) {
			return in, fmt.Errorf("column %q has no level %q: correct the list: %w", c.Column, level, kind.ErrParameter)
		}
	}
	out, err := domain.Replaced(in, []string{c.Column}, func(was frames.Column) frames.Column {
		made := frames.Category(c.Column, c.all()...)
		made.Missing = was.Missing
		return made
	})
	if err != nil {
		return in, fmt.Errorf("%w: %w", err, kind.ErrParameter)
	}
	return out, nil
}

// all are the levels, with that for others.
func (c Codebook) all() []string {
	if slices.Contains(c.Levels, c.Other) {
		return c.Levels
	}
	return append(slices.Clone(c.Levels), c.Other)
}

// Propagate (docs/theory/tables.md#codebooks): the cells of common rows are the same on both sides, and so are their levels.
func (c Codebook) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, []string{c.Column}); err != nil {
		return stage.Propagation{}, err
	}
	r := domain.EncodedRadius(st, 1) // a category counts with norm 1 (see [stage.StartRadius])
	return stage.Columnwise(st, stage.Bounds{K: 1, R: r}, "public levels, row by row: free")
}

func (c Codebook) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(c, st)
}

func (c Codebook) Deploy(st stage.Stage) (stage.RowMap, error) {
	col, _ := st.In.Column(c.Column)
	at, _ := st.In.FeatureIndex(c.Column)
	all := c.all()
	op := &stage.LevelsOp{Column: at, Other: slices.Index(all, c.Other)}
	for i, level := range all {
		switch k := slices.Index(col.Levels, level); {
		case col.Kind == frames.KindText:
			op.Codes, op.Levels = append(op.Codes, frames.TextCode(level)), append(op.Levels, i)
		case k >= 0:
			op.Codes, op.Levels = append(op.Codes, float64(k)), append(op.Levels, i)
		}
	}
	return stage.RowMap{{Levels: op}}, nil
}

// ReadsUnbounded says that no bound of a column enters.
func (Codebook) ReadsUnbounded() {}

// LeavesTexts says that texts that stand for others are left alone.
func (Codebook) LeavesTexts() {}
