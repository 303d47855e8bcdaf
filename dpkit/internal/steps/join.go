package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Join is dpkit.Pipeline.Join: columns of a public table, by the level that a row has of a category.
type Join struct {
	On    string
	Keys  []string // levels of the public table's rows, each once
	Takes []Joined
}

// Joined is a column of the public table.
type Joined struct {
	Name   string
	Lo, Hi float64   // of a number
	Levels []string  // of a category
	Values []float64 // by key; codes of levels; NaN: missing
}

// mostJoined is how many cells a public table may have.
const mostJoined = 1 << 20

func (Join) Kind() kind.Kind { return kind.Kind{Name: "join", Law: 1, Call: "Join"} }

// NewJoin reads a public table.
func NewJoin(public *frames.PublicFrame, on string) (Join, error) {
	none := Join{}
	if public == nil {
		return none, fmt.Errorf("got no table, want one that frames.Public returned: %w", kind.ErrParameter)
	}
	s := public.Schema()
	at, ok := s.FeatureIndex(on)
	if !ok {
		return none, fmt.Errorf("the public table: %w", domain.UnknownColumn(on, s))
	}
	features := s.Features()
	key := features[at]
	switch {
	case key.Kind == frames.KindText:
		return none, fmt.Errorf("column %q of the public table has texts, want a category: declare them as levels, which are public here: %w", on, stage.ErrColumn)
	case len(key.Levels) == 0:
		return none, fmt.Errorf("column %q of the public table has numbers, want a category: declare its values as levels: %w", on, stage.ErrColumn)
	case public.Rows() > mostJoined/len(features):
		return none, fmt.Errorf("the public table has %d rows of %d columns, want at most %d cells: %w", public.Rows(), len(features), mostJoined, kind.ErrParameter)
	}
	j := Join{On: on}
	for i, c := range features {
		switch {
		case i == at:
		case len(c.Levels) > 0:
			j.Takes = append(j.Takes, Joined{Name: c.Name, Levels: slices.Clone(c.Levels)})
		case c.Kind == frames.KindText:
			return none, fmt.Errorf("column %q of the public table has texts: declare them as levels, or leave it out: %w", c.Name, stage.ErrColumn)
		case c.NoBounds:
			return none, fmt.Errorf("column %q of the public table has no bounds, which a joined number needs: declare them: %w", c.Name, stage.ErrColumn)
		default:
			j.Takes = append(j.Takes, Joined{Name: c.Name, Lo: c.Lo, Hi: c.Hi})
		}
	}
	seen := map[string]bool{}
	err := public.Frame().Scan(context.Background(), func(b *frames.Block) error {
		for r := range b.Rows {
			row := b.Row(r)
			if math.IsNaN(row[at]) {
				return fmt.Errorf("row %d of the public table has no %q: leave it out: %w", b.First+r+1, on, kind.ErrParameter)
			}
			level := key.Levels[int(row[at])]
			if seen[level] {
				return fmt.Errorf("the public table has %q twice, at row %d: want one row for each %s, so that a row finds one: %w", level, b.First+r+1, on, kind.ErrParameter)
			}
			seen[level] = true
			j.Keys = append(j.Keys, level)
			for i, k := 0, 0; i < len(row); i++ {
				if i != at {
					j.Takes[k].Values = append(j.Takes[k].Values, row[i])
					k++
				}
			}
		}
		return nil
	})
	return j, err
}

// table are the values of each new column by the levels of the chain's category, and which are missing.
func (j Join) table(key frames.Column) (values [][]float64, missing [][]int) {
	place := map[string]int{}
	for i, k := range j.Keys {
		place[k] = i
	}
	for _, c := range j.Takes {
		of, none := make([]float64, len(key.Levels)), []int{}
		for code, level := range key.Levels {
			i, ok := place[level]
			if !ok || i >= len(c.Values) || math.IsNaN(c.Values[i]) {
				none = append(none, code)
				continue
			}
			of[code] = c.Values[i]
		}
		values, missing = append(values, of), append(missing, none)
	}
	return values, missing
}

// made are the columns that the step adds.
func (j Join) made(in frames.Schema) ([]frames.Column, error) {
	key, ok := in.Column(j.On)
	if _, feature := in.FeatureIndex(j.On); !ok || !feature {
		return nil, domain.UnknownColumn(j.On, in)
	}
	if key.Kind == frames.KindText {
		return nil, fmt.Errorf("column %q has texts that no codebook lists, want a category: put Codebook(%[1]q, levels…) before: %w", j.On, stage.ErrColumn)
	}
	if len(key.Levels) == 0 {
		return nil, fmt.Errorf("column %q has numbers, want a category, before OneHot: put Bin(edges, %[1]q) before, and name the public table's levels as it does: %w", j.On, stage.ErrColumn)
	}
	if len(j.Takes) == 0 {
		return nil, fmt.Errorf("the public table has no column beside %q: %w", j.On, kind.ErrParameter)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(j.Keys)))) != len(j.Keys) {
		return nil, fmt.Errorf("the public table has a level of %q twice: %w", j.On, kind.ErrParameter)
	}
	_, missing := j.table(key)
	var out []frames.Column
	for k, c := range j.Takes {
		col := frames.Numeric(c.Name, c.Lo, c.Hi)
		most := c.Hi
		least := c.Lo
		if len(c.Levels) > 0 {
			col, least, most = frames.Category(c.Name, c.Levels...), 0, float64(len(c.Levels)-1)
		}
		if len(c.Values) != len(j.Keys) || slices.ContainsFunc(c.Values, func(v float64) bool {
			return v < least || v > most || len(c.Levels) > 0 && v != math.Trunc(v) && !math.IsNaN(v)
		}) {
			return nil, fmt.Errorf("column %q of the public table: got %d values for %d keys, or some outside what is declared: %w", c.Name, len(c.Values), len(j.Keys), kind.ErrParameter)
		}
		if key.Missing || len(missing[k]) > 0 {
			col = col.MayMiss()
		}
		out = append(out, col)
	}
	return out, nil
}

// Origin (see [domain.ByColumn]): what the step adds is of its key; other columns stand for themselves.
func (j Join) Origin(unit string) []string {
	for _, c := range j.Takes {
		if unit == c.Name {
			return []string{j.On}
		}
	}
	return []string{unit}
}

// LabelBlind says that no label is read.
func (Join) LabelBlind() {}

func (j Join) Check(in frames.Schema) (frames.Schema, error) {
	made, err := j.made(in)
	if err != nil {
		return in, err
	}
	return added(in, made, ": name the public table's otherwise")
}

// Propagate (docs/theory/tables.md#joins): common rows have the same key on both sides, and so the same new cells.
func (j Join) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, []string{j.On}); err != nil {
		return stage.Propagation{}, err
	}
	made, err := j.made(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	return stage.Columnwise(st, stage.Bounds{K: 1, R: radiusWith(st, made)}, "a row's new cells are those of a public table at its own level: free")
}

func (j Join) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(j, st)
}

func (j Join) Deploy(st stage.Stage) (stage.RowMap, error) {
	key, _ := st.In.Column(j.On)
	at, _ := st.In.FeatureIndex(j.On)
	values, missing := j.table(key)
	return stage.RowMap{{Join: &stage.JoinOp{On: at, Values: values, Missing: missing}}}, nil
}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Join) LeavesTexts() {}
