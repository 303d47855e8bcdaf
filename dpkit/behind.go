package dpkit

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// stageBehind is the stage behind a step that was priced at st.
func stageBehind(step stage.Preprocessor, st stage.Stage, pr stage.Propagation) stage.Stage {
	return stage.Stage{
		In: st.Out, Out: st.Out, Before: pr.Pair, After: pr.Pair, Taint: pr.Taint,
		Empty: st.Empty || pr.Empties, Unordered: st.Unordered || pr.Empties && !pr.InPlace,
		People: st.People && !pr.Collapses && pr.Bounds.Rows == 0, Contributions: contributionsBehind(step, st, pr),
	}
}

// contributionsBehind bound the rows of a person behind a step. How many are in a group stands behind public maps of one row at a time, and
// those that released values make, that
// leave the columns of the groups in the schema, as they were: none of those writes to a category or a class label. Behind all others only
// the number of rows is counted on.
func contributionsBehind(step stage.Preprocessor, st stage.Stage, pr stage.Propagation) stage.Contributions {
	if pr.Bounds.Rows > 0 {
		return pr.Bounds
	}
	c := st.Contributions
	if c.Dropped > 0 && !tellsStill(step, st, pr) {
		c.Dropped = 0
	}
	stays := func(name string) bool {
		a, _ := st.In.Column(name) // Bound saw it there, and the step that takes it away ends its groups
		b, still := st.Out.Column(name)
		// The levels tell kinds apart: of all columns that name groups only texts have none.
		//dp:charges bound/groups-that-stay a step that merges groups puts more rows of a person into one
		return still && a.Missing == b.Missing && slices.Equal(a.Levels, b.Levels)
	}
	for _, name := range c.By {
		// A step that frees rows, or takes them out of their places, is fitted to them: its role says so.
		//dp:charges bound/groups-after-a-step a step may move rows among groups
		if !stays(name) || pr.Role != stage.RolePublic && pr.Role != stage.RolePrivate {
			return stage.Contributions{Rows: c.Rows, Groups: c.Rows, PerGroup: c.Rows, Dropped: c.Dropped}
		}
	}
	return c
}

// tellsStill reports whether the first row of each person tells what was dropped after a step too: the
// row is there, and its cell is as it was. A step that is not known to leave the cell ends it: the
// numbers would be false, and a step over whole rows would change other columns by it.
func tellsStill(step stage.Preprocessor, st stage.Stage, pr stage.Propagation) bool {
	if local, _ := looksAt(step); !local || !steps.Leaves(step, stage.RowsDropped) {
		return false
	}
	a, there := st.In.Column(stage.RowsDropped)
	b, still := st.Out.Column(stage.RowsDropped)
	return there && still && reflect.DeepEqual(a, b) && pr.Role == stage.RolePublic && !pr.Empties && pr.Pair.F == st.Before.F
}

// taintBehind returns the taint behind a step that reports t, where before went in: a column stays
// tainted for as long as it is there. It fails where the report cannot be complete, because
// mechanisms count on the columns that it leaves out.
func taintBehind(t, before stage.Taint, out frames.Schema, p pair.State) (stage.Taint, error) {
	if !p.Displaced() {
		return nil, nil
	}
	next := stage.Taint{}
	for name, on := range t {
		// No label is a feature, so that no label is ever tainted: models and tables of classes count on it.
		//dp:refuses taint/of-no-column what differs in common rows would be lost under another name
		if _, ok := out.FeatureIndex(name); !ok {
			return nil, fmt.Errorf("its taint names column %q, which is no feature after the step; a tainted column may not be renamed or encoded: %w", name, ErrOrder)
		}
		if on {
			next[name] = true
		}
	}
	//dp:refuses taint/of-nothing mechanisms count on the columns that are left out
	if len(next) == 0 {
		return nil, fmt.Errorf("the step displaces rows and its taint names no column, want every column that may differ in a common row: %w", ErrOrder)
	}
	for name, on := range before {
		if _, ok := out.FeatureIndex(name); ok && on {
			next[name] = true
		}
	}
	return next, nil
}
