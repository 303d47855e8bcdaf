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

	Q float64 `json:"q,omitempty"` // of Quantile, in (0, 1)
	// Lo and Hi are the bounds to which a person's total in a group is clamped, of Total and MeanTotal.
	Lo float64 `json:"lo,omitempty"`
	Hi float64 `json:"hi,omitempty"`
	// Margin is how far off its noise may be, with probability Confidence: see Grouping.Within. 0: nothing is asked.
	Margin     float64 `json:"margin,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
}

// What a statistic may be of.
const (
	Count = "count" // how many rows the group has
	// People is how many people have a row in the group.
	People = "people"
	Sum    = "sum"   // of a numeric column
	Mean   = "mean"  // of a numeric column
	Share  = "share" // of the group's rows at a level of a category or of a class label

	// Total is the sum over people of what each has of a numeric column in the group, clamped to [Lo, Hi] when it was added up, and MeanTotal
	// the mean of that.
	Total     = "total"
	MeanTotal = "mean total"

	// Dropped is what the bound before the table dropped: of the whole table, not of its groups. See [Table.Dropped].
	Dropped = "dropped"

	Variance = "variance" // of a numeric column: the mean squared distance from the group's mean, in squares of its units
	// Deviation is the standard deviation of a numeric column, the root of Variance, in its units.
	Deviation = "standard deviation"
	Quantile  = "quantile" // of a numeric column: the value that a share Q of the group's rows is below
)

// String names the statistic, as in "mean of stay".
func (s TableStatistic) String() string {
	switch s.Of {
	case Count, People, Dropped:
		return s.Of
	case Share:
		return fmt.Sprintf("share of %s=%s", s.Column, s.Level)
	case Total, MeanTotal:
		return fmt.Sprintf("%s of %s in [%g, %g]", s.Of, s.Column, s.Lo, s.Hi)
	case Quantile:
		if s.Q == 0.5 {
			return "median of " + s.Column
		}
		return fmt.Sprintf("quantile %g of %s", s.Q, s.Column)
	}
	return fmt.Sprintf("%s of %s", s.Of, s.Column)
}

// TableMeasure is a value of a row, of which a table has the sum by group: a numeric column, its square, or whether a category is at a level.
// Several statistics may be made of one.
type TableMeasure struct {
	Column string  `json:"column"`
	Level  string  `json:"level,omitempty"`
	Lo     float64 `json:"lo"` // public bounds of the value
	Hi     float64 `json:"hi"`
	// Square is c where the sums are of u² − c, not of u; 0 where they are of u.
	Square float64 `json:"square,omitempty"`
	// PerPerson says that the value is that of a person in the group, the column's sum over their rows there.
	PerPerson bool `json:"per_person,omitempty"`
}

// perPerson says that the statistic counts everybody once in each of their groups, however many rows they have there.
func (s TableStatistic) perPerson() bool { return s.Of == People || s.Of == Total || s.Of == MeanTotal }

// isOf says that a statistic is made of the measure, or of its square.
func (m TableMeasure) isOf(s TableStatistic, square bool) bool {
	if m.Column != s.Column || m.Level != s.Level || (m.Square > 0) != square {
		return false
	}
	total := s.Of == Total || s.Of == MeanTotal
	return m.PerPerson == total && (!total || m.Lo == s.Lo && m.Hi == s.Hi)
}

// mid and half are the middle of the bounds, and half their distance: u = (x − mid)/half is in [−1, 1].
func (m TableMeasure) mid() float64 { return m.Lo + (m.Hi-m.Lo)/2 }

func (m TableMeasure) half() float64 { return (m.Hi - m.Lo) / 2 }

// measuresOf are what a statistic is made of beside the count. Errors wrap [kind.ErrParameter] and [stage.ErrColumn].
func (s TableStatistic) measuresOf(in frames.Schema) ([]TableMeasure, error) {
	if s.Of == "" && s.Margin != 0 {
		return nil, fmt.Errorf("within: got a margin before any statistic, want it behind the one that it is of: %w", kind.ErrParameter)
	}
	if s.Of != Quantile && s.Q != 0 {
		return nil, fmt.Errorf("%v: got q = %g, want none: %w", s, s.Q, kind.ErrParameter)
	}
	if s.Of == Dropped {
		return nil, fmt.Errorf("dropped: got it of groups that are found, or of a series, want it of a Table: ask for it in a table of its own, Together with this one: %w", kind.ErrParameter)
	}
	if totals := s.Of == Total || s.Of == MeanTotal; !totals && (s.Lo != 0 || s.Hi != 0) {
		return nil, fmt.Errorf("%v: got [%g, %g], want no bounds: those of the column hold: %w", s, s.Lo, s.Hi, kind.ErrParameter)
	} else if totals && (!(s.Lo < s.Hi) || !(max(-s.Lo, s.Hi) <= frames.MaxBound) || !(s.Hi-s.Lo >= frames.MinWidth)) {
		return nil, fmt.Errorf("%v: want finite bounds of what one person has in a group, the lower first: %w", s, kind.ErrParameter)
	}
	if s.Of == Count || s.Of == People {
		if s.Column != "" || s.Level != "" {
			return nil, fmt.Errorf("%s: got column %q and level %q, want none: %w", s.Of, s.Column, s.Level, kind.ErrParameter)
		}
		return nil, nil
	}
	c, there := in.Column(s.Column)
	if !there || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored {
		return nil, fmt.Errorf("%v: %w", s, domain.UnknownColumn(s.Column, in))
	}
	if s.Of == Deviation && s.Margin != 0 {
		return nil, fmt.Errorf("%v: within: its noise is larger where it is small: ask a margin of the variance: %w", s, kind.ErrParameter)
	}
	switch s.Of {
	case Total, MeanTotal:
		if c.Kind == frames.KindText || len(c.Levels) > 0 {
			return nil, fmt.Errorf("%v: column %q has levels or texts, want numbers; count People of a group by it: %w", s, s.Column, stage.ErrColumn)
		}
		if s.Level != "" {
			return nil, fmt.Errorf("%v: got level %q, want none: %w", s, s.Level, kind.ErrParameter)
		}
		return []TableMeasure{{Column: s.Column, Lo: s.Lo, Hi: s.Hi, PerPerson: true}}, s.whole(c)
	case Sum, Mean, Variance, Deviation, Quantile:
		switch {
		case len(c.Levels) > 0:
			return nil, fmt.Errorf("%v: column %q has levels, want numbers; take the share of a level: %w", s, s.Column, stage.ErrColumn)
		case c.Kind == frames.KindText:
			return nil, fmt.Errorf("%v: column %q has texts, want numbers: %w", s, s.Column, stage.ErrColumn)
		case c.NoBounds:
			return nil, fmt.Errorf("%v: column %q has no bounds, and nothing bounds what a row adds: put ClipColumns(lo, hi, %[2]q) before: %w", s, s.Column, stage.ErrColumn)
		case s.Level != "":
			return nil, fmt.Errorf("%v: got level %q, want none: %w", s, s.Level, kind.ErrParameter)
		}
		if err := s.whole(c); err != nil {
			return nil, err
		}
		m := TableMeasure{Column: s.Column, Lo: c.Lo, Hi: c.Hi}
		switch s.Of {
		case Quantile:
			return nil, nil // has candidates
		case Sum, Mean:
			return []TableMeasure{m}, nil
		}
		square := m
		square.Square = squareCentre
		return []TableMeasure{m, square}, nil
	case Share:
		if len(c.Levels) == 0 {
			return nil, fmt.Errorf("%v: column %q has numbers, want a category or a class label, before OneHot: %w", s, s.Column, stage.ErrColumn)
		}
		if !slices.Contains(c.Levels, s.Level) {
			return nil, fmt.Errorf("%v: no such level among the %d of column %q: %w", s, len(c.Levels), s.Column, kind.ErrParameter)
		}
		return []TableMeasure{{Column: s.Column, Level: s.Level, Lo: 0, Hi: 1}}, s.whole(c)
	}
	return nil, fmt.Errorf("statistic: got %q, want %s, %s, %s, %s, %s, %s, %s, %s, %s or %s: %w", s.Of, Count, People, Sum, Mean, Share, Variance, Deviation, Quantile, Total, MeanTotal, kind.ErrParameter)
}

// whole refuses a column that may miss, with a way out that is there for its kind.
func (s TableStatistic) whole(c frames.Column) error {
	switch {
	case !c.Missing:
		return nil
	case len(c.Levels) > 0:
		return fmt.Errorf("%v: column %q may miss, and a row without it is no part of a share: count its groups in place of it, by By(%[2]q).Count(), where rows without a level are a group: %w", s, s.Column, stage.ErrColumn)
	case c.NoBounds: // it has no middle
		return fmt.Errorf("%v: column %q may miss, and a row without it is no part of it: impute it before, for instance by Impute(Fixed{Value: 0}, %[2]q): %w", s, s.Column, stage.ErrColumn)
	}
	return fmt.Errorf("%v: column %q may miss, and a row without it is no part of it: impute it before, for instance by Impute(Midpoint{}, %[2]q): %w", s, s.Column, stage.ErrColumn)
}

// number reads the column itself.
func (m TableMeasure) number(in frames.Schema) func(row []float64, y float64) float64 {
	at, feature := in.FeatureIndex(m.Column)
	return func(row []float64, y float64) float64 {
		if feature {
			return row[at]
		}
		return y
	}
}

// unit is a number of the measure as u.
func (m TableMeasure) unit(x float64) float64 { return min(max((x-m.mid())/m.half(), -1), 1) }

// reader returns the value of a row in [−1, 1], or its square less the centre.
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
		case m.Square > 0:
			u := min(max((y-mid)/half, -1), 1)
			return float64(u*u) - m.Square // no fused operation: the same bits on every machine
		case m.Level == "":
			return min(max((y-mid)/half, -1), 1)
		case y == code:
			return 1
		}
		return -1
	}
}
