package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Contributing is a bound on what a person contributes.
type Contributing struct {
	Rows         int      // K: rows of a person; 0: Groups·RowsPerGroup
	Groups       int      // G: groups that a person has rows in; 0: as many as Rows
	RowsPerGroup int      // R: rows of a person in one group; 0: Rows
	By           []string // what rows of one group agree in: categories or the class label
	// Dropped is M: a table after the bound may tell how many rows it dropped, counting at most so many of each person; 0: it does not.
	// Grouping.Dropped sets it.
	Dropped int
}

// Bound is dpkit.Pipeline.Bound: of each person some rows are kept.
type Bound struct{ To Contributing }

// mostRows is how many rows of a person may be kept.
const mostRows = 1 << 20

func (Bound) Kind() kind.Kind {
	return kind.Kind{Name: "people/bound", Law: 1, Call: "Bound"}
}

func (b Bound) Check(in frames.Schema) (frames.Schema, error) {
	if _, err := b.To.settle(); err != nil {
		return in, err
	}
	if _, ok := in.Person(); !ok {
		return in, noPerson()
	}
	for i, name := range b.To.By {
		c, ok := in.Column(name)
		switch {
		case !ok || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored:
			return in, domain.UnknownColumn(name, in)
		case slices.Contains(b.To.By[:i], name):
			return in, fmt.Errorf("column %q twice in By: %w", name, kind.ErrParameter)
		case len(c.Levels) == 0 && c.Kind != frames.KindText:
			return in, fmt.Errorf("column %q has numbers, want public levels: put Bin(edges, %[1]q) before, or name a category or a class label, before OneHot: %w", name, stage.ErrColumn)
		}
	}
	var cols []frames.Column
	for _, c := range in.Columns() {
		if c.Kind != frames.KindPerson {
			cols = append(cols, c)
		}
	}
	out, err := frames.NewSchema(cols...)
	if err != nil || b.To.Dropped == 0 {
		return out, err
	}
	return added(out, b.tells(), ": rename it, or do not ask what the bound dropped")
}

// tells is the column of what was dropped, behind the others.
func (b Bound) tells() []frames.Column {
	return []frames.Column{frames.Numeric(stage.RowsDropped, 0, float64(b.To.Dropped))}
}

// settle are K, R and G with what follows from the others: K ≤ G·R, R ≤ K, G ≤ K.
func (c Contributing) settle() (stage.Contributions, error) {
	none := stage.Contributions{}
	for _, p := range []struct {
		name  string
		value int
	}{{"Rows", c.Rows}, {"Groups", c.Groups}, {"RowsPerGroup", c.RowsPerGroup}, {"Dropped", c.Dropped}} {
		if p.value < 0 || p.value > mostRows {
			return none, fmt.Errorf("Contributing: %s: got %d, want 1 to 2^20, or none: %w", p.name, p.value, kind.ErrParameter)
		}
	}
	switch {
	case len(c.By) == 0 && (c.Groups > 0 || c.RowsPerGroup > 0):
		return none, fmt.Errorf("Contributing: Groups, RowsPerGroup: got %d and %d, want the columns in By that the groups are made of, such as By: []string{\"ward\"}: %w", c.Groups, c.RowsPerGroup, kind.ErrParameter)
	case len(c.By) > 0 && c.Groups == 0 && c.RowsPerGroup == 0:
		return none, fmt.Errorf("Contributing: By: got %d columns, want Groups or RowsPerGroup beside them: %w", len(c.By), kind.ErrParameter)
	case c.Rows == 0 && (c.Groups == 0 || c.RowsPerGroup == 0):
		return none, fmt.Errorf("Contributing: Rows: got none, want how many rows of a person are kept, as in Contributing{Rows: 10}, or Groups, RowsPerGroup and By: %w", kind.ErrParameter)
	}
	out := stage.Contributions{Rows: c.Rows, Groups: c.Groups, PerGroup: c.RowsPerGroup, By: slices.Clone(c.By), Dropped: c.Dropped}
	if out.Groups > 0 && out.PerGroup > 0 {
		most := int64(out.Groups) * int64(out.PerGroup)
		if out.Rows > 0 {
			most = min(most, int64(out.Rows))
		}
		if most > mostRows {
			return none, fmt.Errorf("Contributing: Groups times RowsPerGroup: got %d rows, want at most 2^20, or Rows beside them: %w", most, kind.ErrParameter)
		}
		out.Rows = int(most)
	}
	for _, p := range []*int{&out.Groups, &out.PerGroup} {
		if *p = min(*p, out.Rows); *p == 0 {
			*p = out.Rows
		}
	}
	return out, nil
}

// Propagate (docs/theory/tables.md#bounded-contributions): which rows of a person are kept is a function of the bag of those rows, so that
// the tables of neighbours agree in the places of all other people, and differ in the K places of one: K rows are free, each of which may be
// empty. Places are public, how many of them have rows is not.
func (b Bound) Propagate(st stage.Stage) (stage.Propagation, error) {
	// Rows are of people: chain/bounds-nobody refuses others.
	if st.Before.F != 1 || st.Before.Displaced() {
		//dp:advises people/step-on-their-rows refuses such steps first; the price of the step alone holds too
		return stage.Propagation{}, fmt.Errorf("rows of others may differ where one person's do: put it before the steps that are fitted to the data: %w", stage.ErrOrder)
	}
	to, err := b.To.settle()
	if err != nil {
		return stage.Propagation{}, err
	}
	if st.Before.N > math.MaxInt32/to.Rows {
		return stage.Propagation{}, fmt.Errorf("Contributing: %d rows of each of %d people: want at most 2^31 − 1 places: keep fewer rows of a person: %w", to.Rows, st.Before.N, kind.ErrParameter)
	}
	radius := st.Before.R
	if to.Dropped > 0 {
		radius = radiusWith(st, b.tells())
	}
	after, err := pair.Start(st.Before.N*to.Rows, radius, st.Before.Neighbours)
	if err == nil {
		after, err = after.Group(to.Rows - 1)
	}
	constants := []stage.Constant{
		{Symbol: "n", Value: float64(after.N), Origin: stage.FromSchema, Meaning: "places of rows, K of each person: how many have rows is private"},
		{Symbol: "K", Value: float64(to.Rows), Origin: stage.FromParameter, Meaning: "rows of a person: so many are free"},
	}
	if len(to.By) > 0 {
		constants = append(constants,
			stage.Constant{Symbol: "G", Value: float64(to.Groups), Origin: stage.FromParameter, Meaning: "groups that a person has rows in"},
			stage.Constant{Symbol: "R", Value: float64(to.PerGroup), Origin: stage.FromParameter, Meaning: "rows of a person in one group"})
	}
	if to.Dropped > 0 {
		constants = append(constants, stage.Constant{Symbol: "M", Value: float64(to.Dropped), Origin: stage.FromParameter, Meaning: "dropped rows of a person that are told of, at most"})
	}
	return stage.Propagation{
		Pair: after, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic,
		Constants: constants, Empties: true, InPlace: true, Bounds: to,
		Note:      "which rows of a person stay is decided by that person's rows alone: free, and all that stay are free behind it",
		Reference: "tables of people §1, bounded contributions",
	}, err
}

// Fit has nothing to learn: the rows are kept by a hash under the session's key.
func (Bound) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

// Bounds is what is kept of each person.
func (b Bound) Bounds(st stage.Stage) (rows.KeptRows, error) {
	to, err := b.To.settle()
	keep := rows.KeptRows{Rows: to.Rows, PerGroup: to.PerGroup, Groups: to.Groups, Tell: to.Dropped}
	for _, name := range to.By {
		at, ok := st.In.FeatureIndex(name)
		if !ok {
			at = st.In.Width()
		}
		keep.By = append(keep.By, at)
	}
	return keep, err
}

// Deploy is the identity: rows to predict are of whom they are. What was dropped is a fact of the rows that were bounded alone.
func (b Bound) Deploy(stage.Stage) (stage.RowMap, error) {
	if b.To.Dropped > 0 {
		return nil, fmt.Errorf("Contributing: Dropped: got %d, want 0 before a model: rows to predict have no such column: %w", b.To.Dropped, kind.ErrParameter)
	}
	return stage.RowMap{}, nil
}

// Origin (see [domain.ByColumn]): rows that stay are as they were.
func (Bound) Origin(unit string) []string { return []string{unit} }

// ColumnsRead are those of the groups: they decide which rows stay, as do the columns that are read
// later.
func (b Bound) ColumnsRead(frames.Schema) []string { return b.To.By }

// ReadsUnbounded says that no bound of a column enters.
func (Bound) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Bound) LeavesTexts() {}
