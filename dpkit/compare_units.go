package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Bounding what a person contributes has two ways, one row a person and some rows of each, behind which a chain answers questions that correspond
// and are not the same. So the other way is listed with its price, says what stands for what, and is not recommended.

// tabled is a release of statistics by groups.
type tabled interface {
	Asked() (by []string, of []TableStatistic)
	Asking(by []string, of []TableStatistic) any
}

// otherUnit is the other way to bound in the place of a step that does, in front of a table of rows of the schema end; none where it bounds nothing, or nothing corresponds.
func (c *comparer) otherUnit(i int, st stage.Stage, end frames.Schema, r route) []way {
	step := r.written.p.steps[i]
	table, isTable := r.end.m.(tabled)
	if !isTable {
		return otherRows(step, st)
	}
	by, of := table.Asked()
	questions := make([]steps.Question, len(of))
	for i, s := range of {
		questions[i] = steps.Question{Of: s.Of, Column: s.Column, Level: s.Level}
	}
	var asked steps.Asked
	var err error
	var all []stage.Preprocessor
	switch s := step.(type) {
	case steps.Bound: // what maps rows behind it maps them in front of one row a person
		asked, err = s.OnePerson(end, by, questions)
		all = onePersonBehind(r.steps, i, asked.Step)
	case steps.PerPerson:
		asked, err = s.Rows(st.In, questions)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	w := way{kind: stage.Public, step: asked.Step, all: all, note: asked.Note, listed: true}
	if len(asked.Of) == 0 {
		w.none = "nothing that this table asks has an answer there: " + asked.Note
		return []way{w}
	}
	var other []TableStatistic
	for _, q := range asked.Of {
		other = append(other, TableStatistic{Of: q.Of, Column: q.Column, Level: q.Level})
	}
	w.end = r.end.with(table.Asking(by, other))
	return []way{w}
}

// onePersonBehind is the chain with one row a person, made behind what maps rows, in place of step i. People are set aside behind that.
func onePersonBehind(written []stage.Preprocessor, i int, one stage.Preprocessor) (all []stage.Preprocessor) {
	var sides []stage.Preprocessor
	for k, s := range written {
		if _, ok := s.(steps.Holdout); ok {
			sides = append(sides, s)
		} else if k != i {
			all = append(all, s)
		}
	}
	return append(append(all, one), sides...)
}

// otherRows is the other way in front of releases that are no tables: the same release of columns of the same names.
func otherRows(step stage.Preprocessor, st stage.Stage) []way {
	switch s := step.(type) {
	case steps.Bound:
		if p, ok := s.SameColumns(st.In); ok {
			return []way{{
				kind: stage.Public, step: p, listed: true,
				note: "one row a person: of levels that of most of a person's rows, of numbers the mean; what is released is of people, each of whom counts once",
			}}
		}
	case steps.PerPerson:
		if b, ok := s.Bounded(st.In); ok {
			return []way{{
				kind: stage.Public, step: b, listed: true,
				note: fmt.Sprintf("rows stay rows, %d of a person, an example: choose it from what is known of such data; what is released is of rows, each of which counts once", b.To.Rows),
			}}
		}
	}
	return nil
}
