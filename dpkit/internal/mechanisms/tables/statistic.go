package tables

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TableStatistic is a column of a table: a number for each group.
type TableStatistic struct {
	Of     string `json:"of"`               // one of the constants below
	Column string `json:"column,omitempty"` // "" for Count
	Level  string `json:"level,omitempty"`  // of Share
}

// What a statistic may be of.
const (
	Count = "count" // how many rows the group has
	// People is how many people have a row in the group.
	People = "people"
	Sum    = "sum"   // of a numeric column
	Mean   = "mean"  // of a numeric column
	Share  = "share" // of the group's rows at a level of a category or of a class label
)

// String names the statistic, as in "mean of stay".
func (s TableStatistic) String() string {
	switch s.Of {
	case Count, People:
		return s.Of
	case Share:
		return fmt.Sprintf("share of %s=%s", s.Column, s.Level)
	}
	return fmt.Sprintf("%s of %s", s.Of, s.Column)
}

// TableMeasure is a value of a row, of which a table has the sum by group: a numeric column, or whether a category is at a level. Several
// statistics may be made of one.
type TableMeasure struct {
	Column string  `json:"column"`
	Level  string  `json:"level,omitempty"`
	Lo     float64 `json:"lo"` // public bounds of the value
	Hi     float64 `json:"hi"`
}

// mid and half are the middle of the bounds, and half their distance: u = (x − mid)/half is in [−1, 1].
func (m TableMeasure) mid() float64 { return m.Lo + (m.Hi-m.Lo)/2 }

func (m TableMeasure) half() float64 { return (m.Hi - m.Lo) / 2 }

// measureOf is what a statistic is made of; ok is false for a count. Errors wrap [kind.ErrParameter] and [stage.ErrColumn].
func (s TableStatistic) measureOf(in frames.Schema) (m TableMeasure, ok bool, err error) {
	if s.Of == Count || s.Of == People {
		if s.Column != "" || s.Level != "" {
			return m, false, fmt.Errorf("%s: got column %q and level %q, want none: %w", s.Of, s.Column, s.Level, kind.ErrParameter)
		}
		return m, false, nil
	}
	c, there := in.Column(s.Column)
	if !there || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored {
		return m, false, fmt.Errorf("%v: %w", s, domain.UnknownColumn(s.Column, in))
	}
	if c.Missing {
		return m, false, fmt.Errorf("%v: column %q may miss, and a row without it is no part of it: impute it before, for instance by Impute(Midpoint{}, %[2]q): %w", s, s.Column, stage.ErrColumn)
	}
	switch s.Of {
	case Sum, Mean:
		switch {
		case len(c.Levels) > 0:
			return m, false, fmt.Errorf("%v: column %q has levels, want numbers; take the share of a level: %w", s, s.Column, stage.ErrColumn)
		case c.NoBounds:
			return m, false, fmt.Errorf("%v: column %q has no bounds, and nothing bounds what a row adds: put ClipColumns(lo, hi, %[2]q) before: %w", s, s.Column, stage.ErrColumn)
		case s.Level != "":
			return m, false, fmt.Errorf("%v: got level %q, want none: %w", s, s.Level, kind.ErrParameter)
		}
		return TableMeasure{Column: s.Column, Lo: c.Lo, Hi: c.Hi}, true, nil
	case Share:
		if len(c.Levels) == 0 {
			return m, false, fmt.Errorf("%v: column %q has numbers, want a category or a class label, before OneHot: %w", s, s.Column, stage.ErrColumn)
		}
		if !slices.Contains(c.Levels, s.Level) {
			return m, false, fmt.Errorf("%v: no such level among the %d of column %q: %w", s, len(c.Levels), s.Column, kind.ErrParameter)
		}
		return TableMeasure{Column: s.Column, Level: s.Level, Lo: 0, Hi: 1}, true, nil
	}
	return m, false, fmt.Errorf("statistic: got %q, want %s, %s, %s, %s or %s: %w", s.Of, Count, People, Sum, Mean, Share, kind.ErrParameter)
}

// reader returns the value of a row in [−1, 1].
func (m TableMeasure) reader(in frames.Schema) func(row []float64, y float64) float64 {
	at, feature := in.FeatureIndex(m.Column)
	code := math.NaN()
	if c, _ := in.Column(m.Column); m.Level != "" {
		code = float64(slices.Index(c.Levels, m.Level))
	}
	mid, half := m.mid(), m.half()
	return func(row []float64, y float64) float64 {
		if feature {
			y = row[at]
		}
		switch {
		case m.Level == "":
			return min(max((y-mid)/half, -1), 1)
		case y == code:
			return 1
		}
		return -1
	}
}
