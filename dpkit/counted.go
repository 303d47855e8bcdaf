package dpkit

import (
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// counted says in words what is counted at the end of the chain, of the columns that the mechanism reads, from public facts. Of a model, which
// brings the steps of its chain, it says which rows it was fitted to; "" where those are all rows, as they are.
func (pl *plan) counted(q quote) string {
	_, model := pl.of.Zero().(models.Deployed)
	var words []string
	for _, c := range q.changes() {
		if c.Rows != "" {
			words = append(words, c.Rows)
		}
		if c.Values != "" && !(model && !pl.blind) && pl.looksAt(q, c.Columns) {
			words = append(words, c.Values)
		}
	}
	return strings.Join(words, "; ")
}

// leftOut says what the chain leaves out or moves without a trace, which no prediction has; "" where nothing is. A model is not asked how far
// its values were moved: the steps of its chain are its own.
func (pl *plan) leftOut(q quote) string {
	_, model := pl.of.Zero().(models.Deployed)
	var words []string
	for _, c := range q.changes() {
		if c.Lost != "" && (c.Values == "" || !(model && !pl.blind) && pl.looksAt(q, c.Columns)) {
			words = append(words, c.Lost)
		}
	}
	return strings.Join(words, "; ")
}

// changes are what the steps change of what is counted, in order.
func (q quote) changes() []stage.Counted {
	out := make([]stage.Counted, len(q.stages))
	collapsed := false
	for i, s := range q.stages {
		if _, people := s.Step.(steps.PerPerson); people {
			collapsed = true
		}
		if h, ok := s.Step.(steps.Holdout); ok && collapsed {
			out[i] = h.CountedOf(s.Stage, "people")
		} else if c, ok := s.Step.(stage.Counter); ok {
			out[i] = c.Counted(s.Stage)
		} else if !kind.IsOwn(s.Step) {
			out[i].Values = "rows as " + kind.Describe(s.Step) + " leaves them"
		}
	}
	return out
}

// looksAt reports whether the mechanism reads one of the columns, or something that may be made of one: what is still there under its name
// is read under that.
func (pl *plan) looksAt(q quote, columns []string) bool {
	r, ok := pl.m.(mechanism.ColumnReader)
	if !ok || len(columns) == 0 {
		return true
	}
	read := r.ColumnsRead(q.end.In)
	return slices.ContainsFunc(columns, func(name string) bool {
		_, there := q.end.In.Column(name)
		return !there || slices.Contains(read, name)
	})
}
