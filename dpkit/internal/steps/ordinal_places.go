package steps

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// places are the numbers that stand for the levels of a column behind dpkit.Pipeline.Ordinal, in the order of levels.
type places struct {
	levels []string
	at     []float64
}

// ordinalPlaces follows the numbers that Ordinal gave to levels through the steps behind it, for the columns that may still
// miss a cell: where a public value fills such a cell, it may be the number of a level. Public maps move the numbers as they
// move a row in which nothing else is there; fitted ones, and those of the caller's own, are taken to leave them.
func ordinalPlaces(before []PricedStep) map[string]places {
	all := map[string]places{}
	for _, s := range before {
		move := mover(s, len(all) > 0)
		for name, p := range all {
			c, ok := s.Out.Column(name)
			made, replaced := s.Step.(Mutation)
			if !ok || c.Kind != frames.KindNumeric || !c.Missing || replaced && made.Name == name {
				delete(all, name)
				continue
			}
			from, _ := s.In.FeatureIndex(name)
			to, _ := s.Out.FeatureIndex(name)
			for k, v := range p.at {
				p.at[k] = move(v, from, to)
			}
		}
		o, ok := s.Step.(Ordinal)
		if !ok {
			continue
		}
		names, _ := domain.Categories(s.In, o.Columns) // they were checked
		for _, name := range names {
			if c, _ := s.In.Column(name); c.Missing {
				p := places{levels: c.Levels, at: make([]float64, len(c.Levels))}
				for k := range p.at {
					p.at[k] = ordinalScale(c) * float64(k)
				}
				all[name] = p
			}
		}
	}
	return all
}

// mover is the map of a cell of one column to one of the column behind the step.
func mover(s PricedStep, wanted bool) func(v float64, from, to int) float64 {
	still := func(v float64, _, _ int) float64 { return v }
	d, ok := s.Step.(stage.Deployer)
	if !wanted || !ok || s.Role != stage.RolePublic || !kind.IsOwn(s.Step) {
		return still
	}
	m, err := d.Deploy(s.Stage)
	if err != nil || slices.ContainsFunc(m, func(op stage.RowOp) bool { return op.Mutate != nil }) { // a function of the caller's own
		return still
	}
	t, width, err := m.Transform(s.In.Width())
	if err != nil {
		return still
	}
	src, dst := num.MissingRow(s.In.Width()), make([]float64, width)
	return func(v float64, from, to int) float64 {
		src[from] = v
		t.Map(dst, src, 1)
		src[from] = math.NaN()
		return dst[to]
	}
}

// level is the level whose number v is, to within what a person can write.
func (p places) level(c frames.Column, v float64) (string, bool) {
	for k, at := range p.at {
		if math.Abs(v-at) <= 1e-6*(c.Hi-c.Lo) {
			return p.levels[k], true
		}
	}
	return "", false
}

// filledLevels names the columns in which a public value for missing cells is the number of a level, and the level: behind
// the step nothing tells the one from the other.
func filledLevels(us []domain.Unit, value func(domain.Unit) float64, in frames.Schema, before []PricedStep) (columns, levels []string) {
	all := ordinalPlaces(before)
	for _, u := range us {
		c, _ := in.Column(u.Name)
		if p, ok := all[u.Name]; ok && !u.Block {
			if level, ok := p.level(c, value(u)); ok {
				columns, levels = append(columns, u.Name), append(levels, level)
			}
		}
	}
	return columns, levels
}

// Follow refuses a number that stands for a level: nobody who writes Fixed{} sees that it says the first one.
func (f FixedImpute) Follow(before []PricedStep, st stage.Stage, _ *stage.Propagation) error {
	us, _, err := f.Columns.units(st.In)
	if err != nil {
		return err
	}
	columns, levels := filledLevels(us, func(domain.Unit) float64 { return f.Value }, st.In, before)
	if len(columns) == 0 {
		return nil
	}
	return fmt.Errorf("value: got %g for column %q, where Ordinal made it the number of the level %q: missing cells would count as that level; take a number between two levels, declare the marker of missing cells as a level of its own in the schema, or put Indicate in front and impute by Midpoint{}: %w",
		f.Value, columns[0], levels[0], kind.ErrParameter)
}

// Follow tells where the midpoint of an ordered column is its middle level, as it is where their number is odd.
func (c MidpointImpute) Follow(before []PricedStep, st stage.Stage, pr *stage.Propagation) error {
	us, _, err := c.Columns.units(st.In)
	if err != nil {
		return nil // the step's own Check says so
	}
	columns, levels := filledLevels(us, func(u domain.Unit) float64 { return u.Lo + (u.Hi-u.Lo)/2 }, st.In, before)
	for i, column := range columns {
		pr.Note += fmt.Sprintf("; in %q it is the level %q, and a missing cell counts as that", column, levels[i])
	}
	return nil
}
