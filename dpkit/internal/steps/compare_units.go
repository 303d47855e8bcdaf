package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Question is what a table asks of a column of each group: its Of is one of "count", "people", "sum", "mean", "share", "variance", "standard deviation" and "quantile".
type Question struct{ Of, Column, Level string }

// Asked is a step in the place of another one, behind which rows are of the other kind, with what a table asks there.
type Asked struct {
	Step stage.Preprocessor
	Of   []Question // nil where no question has an answer there
	Note string     // which question stands for which, and which has none
}

// exampleRows is a bound on the rows of a person where the chain names none.
const exampleRows = 10

// OnePerson asks of one row a person, made of rows as they come to a table behind the bound, what the table asks of them. A count of rows, and a sum, are the same where nobody has more rows
// than are kept, but for the group that a person stands in: that of most of their rows. A mean, or a share, is then of people, each of whom
// counts once. The variance and the quantiles of rows are no function of one number a person.
func (b Bound) OnePerson(in frames.Schema, by []string, of []Question) (Asked, error) {
	to, err := b.To.settle()
	if err != nil {
		return Asked{}, err
	}
	var made []PersonStatistic
	add := func(s PersonStatistic) {
		if !slices.Contains(made, s) {
			made = append(made, s)
		}
	}
	for _, name := range by {
		add(same(name, in))
	}
	out := Asked{}
	var told, left []string
	answer := func(q, by Question, of string) {
		out.Of, told = append(out.Of, by), append(told, fmt.Sprintf("%s is %s", q, of))
	}
	for _, q := range of {
		switch q.Of {
		case "count":
			add(CountRows{Max: to.Rows, As: free("rows", in)})
			answer(q, Question{Of: "sum", Column: free("rows", in)}, fmt.Sprintf("the rows of people in the group, at most %d of each", to.Rows))
		case "people":
			answer(q, Question{Of: "count"}, "the people in the group")
		case "sum":
			c, ok := in.Column(q.Column)
			if !ok || c.NoBounds || len(c.Levels) > 0 {
				left = append(left, q.String())
				continue
			}
			k := float64(to.Rows)
			s := SumOf{Column: q.Column, Lo: min(k*c.Lo, 0), Hi: max(k*c.Hi, 0)}
			add(s)
			answer(q, Question{Of: "sum", Column: "sum of " + q.Column}, "that of sums of people in the group")
		case "mean":
			add(MeanOf{Column: q.Column, As: q.Column})
			answer(q, q, "that of means of people, each of whom counts once")
		case "share":
			add(ShareOf{Column: q.Column, Level: q.Level})
			answer(q, Question{Of: "mean", Column: fmt.Sprintf("share of %s=%s", q.Column, q.Level)}, "the mean share of people, each of whom counts once")
		default:
			left = append(left, q.String())
		}
	}
	if len(made) == 0 {
		add(CountRows{Max: to.Rows, As: free("rows", in)})
	}
	out.Step = PerPerson{Of: made}
	if len(by) > 0 {
		told = slices.Insert(told, 0, "a person is in the group of most of their rows")
	}
	out.Note = "one row a person: " + strings.Join(append(told, leftOut(left, "one row a person")...), "; ")
	return out, nil
}

// SameColumns is one row a person with columns of the names that rows have: the level of most of a person's rows, the mean of their numbers, the last of
// their days.
func (b Bound) SameColumns(in frames.Schema) (PerPerson, bool) {
	var made []PersonStatistic
	for _, c := range in.Columns() {
		if c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored {
			continue
		}
		if c.Block != "" {
			return PerPerson{}, false
		}
		made = append(made, same(c.Name, in))
	}
	return PerPerson{Of: made}, len(made) > 0
}

// same makes a column of a person's rows that keeps its name.
func same(name string, in frames.Schema) PersonStatistic {
	switch c, _ := in.Column(name); {
	case len(c.Levels) > 0:
		return MostFrequent{Column: name}
	case c.IsDate():
		return MaxOf{Column: name, As: name}
	}
	return MeanOf{Column: name, As: name}
}

// Rows asks of rows what a table behind one row a person asks of people.
func (p PerPerson) Rows(in frames.Schema, of []Question) (Asked, error) {
	made := map[string]PersonStatistic{}
	k, given := exampleRows, false
	for _, s := range p.Of {
		if l, ok := s.(PersonLabel); ok {
			s = l.Of
		}
		if s == nil {
			return Asked{}, fmt.Errorf("got no statistic: %w", stage.ErrColumn)
		}
		c, err := s.declared(in)
		if err != nil {
			return Asked{}, err
		}
		made[c.Name] = s
		if r, ok := s.(CountRows); ok && r.Max <= mostRows {
			k, given = r.Max, true
		}
	}
	out := Asked{Step: Bound{To: Contributing{Rows: k}}}
	var told, left []string
	answer := func(q, by Question, of string) {
		out.Of, told = append(out.Of, by), append(told, fmt.Sprintf("%s is %s", q, of))
	}
	for _, q := range of {
		s := made[q.Column]
		switch {
		case q.Of == "count" || q.Of == "people":
			answer(q, Question{Of: "people"}, "the people who have a row in the group")
			continue
		case q.Of == "sum":
			switch s := s.(type) {
			case CountRows:
				answer(q, Question{Of: "count"}, "the rows in the group")
				continue
			case SumOf:
				answer(q, Question{Of: "sum", Column: s.Column}, "that of rows in the group")
				continue
			}
		case q.Of == "mean":
			switch s := s.(type) {
			case MeanOf:
				answer(q, Question{Of: "mean", Column: s.Column}, "that of rows, each of which counts once")
				continue
			case ShareOf:
				answer(q, Question{Of: "share", Column: s.Column, Level: s.Level}, "the share of rows")
				continue
			}
		case q.Of == "share":
			if s, ok := s.(MostFrequent); ok {
				answer(q, Question{Of: "share", Column: s.Column, Level: q.Level}, "that of rows, each of which counts once")
				continue
			}
		}
		left = append(left, q.String())
	}
	which := "the most that CountRows counts"
	if !given {
		which = "an example: choose it from what is known of such data"
	}
	told = append(told, leftOut(left, "rows")...)
	out.Note = fmt.Sprintf("rows stay rows, %d of a person, %s; %s", k, which, strings.Join(told, "; "))
	return out, nil
}

// Bounded is the bound in the place of the step where what is behind it finds its columns by the same names.
func (p PerPerson) Bounded(in frames.Schema) (Bound, bool) {
	k := exampleRows
	for _, s := range p.Of {
		if l, ok := s.(PersonLabel); ok {
			s = l.Of
		}
		name := ""
		switch s := s.(type) {
		case CountRows:
			return Bound{}, false
		case MeanOf:
			name = s.Column
		case MinOf:
			name = s.Column
		case MaxOf:
			name = s.Column
		case MostFrequent:
			name = s.Column
		case Latest:
			name = s.Column
		default:
			return Bound{}, false
		}
		if c, err := s.declared(in); err != nil || c.Name != name {
			return Bound{}, false
		}
	}
	return Bound{To: Contributing{Rows: k}}, true
}

// leftOut says which questions have no answer.
func leftOut(questions []string, where string) []string {
	if len(questions) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("without %s: %s can tell nothing that corresponds", strings.Join(questions, ", "), where)}
}

// free is a name that no column has.
func free(name string, in frames.Schema) string {
	for {
		if _, taken := in.Column(name); !taken {
			return name
		}
		name += " of a person"
	}
}

// String names the question as a table does.
func (q Question) String() string {
	switch {
	case q.Column == "":
		return q.Of
	case q.Level != "":
		return fmt.Sprintf("%s of %s=%s", q.Of, q.Column, q.Level)
	}
	return fmt.Sprintf("%s of %s", q.Of, q.Column)
}
