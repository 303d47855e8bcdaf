package steps

import (
	"maps"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Reference is a public population as it reaches a place in a chain: what the steps before it leave of the signal, and how widely rows
// spread within their public bounds. It ranks the ways of a step beside the noise, and no guarantee knows of it: where the data are unlike
// it another way may be better (docs/theory/calculus.md#the-reference-population).
//
//   - A number has its mean a quarter of its half-width off the middle of its bounds, and a standard deviation of a quarter. The block of a
//     category, in which one column is at its height, has half of its square about its mean.
//   - A column that may miss a cell misses one in twenty rows.
//   - Of the rows' second moment half lies in the direction of the mean; the eigenvalues of the rest fall as j^(−3/2), and the j-th
//     direction has a share of the signal in proportion; for regressions all are equal. Mechanisms predict their noise on the same
//     (package population): a reduction must not gain by fewer directions on one population and lose nothing on another.
type Reference struct {
	// Lost is the share of what the best model explains that the chain has lost so far.
	Lost float64
	// Bias is by how much numbers are off, as a share of half the range of their columns: the root mean square.
	Bias float64
	// Even: all directions have the same share of the rows' variance and of the signal, as regressions have it.
	Even bool

	spread map[string]float64 // standard deviation of each unit
	where  Whereabouts
}

const (
	referenceOffset  = 1. / 4  // of a number's mean from the middle of its bounds, in half-widths
	referenceSpread  = 1. / 4  // standard deviation of a number, in half-widths
	referenceMissing = 1. / 20 // of the cells of a column that may miss them
)

// A Valued step says what it makes of the population beside following its bounds; r is the population in front of the step, and out has what
// every step does. Settled are st.In, Out, Before, After; mu is the noise parameter of the release, 0 for none.
type Valued interface {
	worth(st stage.Stage, mu float64, r Reference, out *Reference)
}

// NewReference is the population of a table.
func NewReference(in frames.Schema) Reference { return NewReferenceIn(in, nil) }

// spreadOf is the standard deviation of a unit within its bounds.
func spreadOf(u domain.Unit) float64 {
	if u.Block {
		return math.Sqrt(0.5) * u.Hi
	}
	return referenceSpread * halfWidth(u)
}

// halfWidth of a number's bounds; a block's height.
func halfWidth(u domain.Unit) float64 {
	if u.Block {
		return u.Hi
	}
	return (u.Hi - u.Lo) / 2
}

// Behind is the population behind a step. A column keeps its place within its bounds, unless the step says otherwise; a new one has that of
// the population.
func (r Reference) Behind(step stage.Preprocessor, st stage.Stage, mu float64) Reference {
	out := Reference{Lost: r.Lost, Bias: r.Bias, Even: r.Even, spread: map[string]float64{}, where: r.where}
	before, cells := map[string]domain.Unit{}, r.cells(st.In)
	for _, u := range domain.UnitsOf(st.In) {
		before[u.Name] = u
	}
	for _, u := range domain.UnitsOf(st.Out) {
		out.spread[u.Name] = spreadOf(u)
		b, unit := before[u.Name]
		cell, column := cells[u.Name]
		switch {
		case unit && b.Block == u.Block && halfWidth(b) > 0:
			out.spread[u.Name] = r.spread[u.Name] * halfWidth(u) / halfWidth(b)
		case column && !unit: // of a block, and on its own now
			out.spread[u.Name] = cell
		}
	}
	if v, ok := step.(Valued); ok {
		v.worth(st, mu, r, &out)
	}
	r.stay(step, st, &out)
	return out
}

// cells are the standard deviations of single columns: those of a block have equal parts of it.
func (r Reference) cells(in frames.Schema) map[string]float64 {
	out, features := map[string]float64{}, in.Features()
	for _, u := range domain.UnitsOf(in) {
		for j := u.At; j < u.At+u.Len; j++ {
			out[features[j].Name] = r.spread[u.Name] / math.Sqrt(float64(u.Len))
		}
	}
	return out
}

// has reports whether a unit of that name is there.
func (r Reference) has(name string) bool {
	_, ok := r.spread[name]
	return ok
}

// variance is that of a row.
func (r Reference) variance() (sum float64) {
	for _, name := range slices.Sorted(maps.Keys(r.spread)) { // in an order: sums are the same every time
		sum += r.spread[name] * r.spread[name]
	}
	return sum
}

// even spreads that variance over all units.
func (r *Reference) even(variance float64) {
	for name := range r.spread {
		r.spread[name] = math.Sqrt(variance / float64(len(r.spread)))
	}
}

// lose takes a share of what is left.
func (r *Reference) lose(share float64) {
	r.Lost = 1 - (1-r.Lost)*(1-min(max(share, 0), 1))
}

// keepSpread undoes what wider bounds alone would do to the spread of columns.
func (r *Reference) keepSpread(before Reference) {
	for name := range r.spread {
		if sd, ok := before.spread[name]; ok {
			r.spread[name] = sd
		}
	}
}

// shrink multiplies every spread.
func (r *Reference) shrink(by float64) {
	for name := range r.spread {
		r.spread[name] *= by
	}
}

// Error is the predicted excess error of a model behind the chain, of which the mechanism predicts error on rows that are spread evenly
// over their bounds, and most is that of a model that says nothing; 0 where that is unknown. An error of a coefficient counts by the noise
// against the spread of its column, and no column costs more than what it would explain; what the chain lost is lost.
func (r Reference) Error(predicted, most float64, end stage.Stage) float64 {
	units := domain.UnitsOf(end.In)
	var sum float64
	for _, u := range units {
		e := math.Inf(1)
		if sd := r.spread[u.Name]; sd > 0 && halfWidth(u) > 0 {
			// Of what the mechanism expects of a unit whose share of R² is that of all.
			rel := spreadOf(u) / halfWidth(u) * end.Before.R / sd
			e = predicted * rel * rel / float64(len(units))
		}
		if most > 0 {
			e = min(e, most)
		}
		sum += e / float64(len(units))
	}
	if len(units) == 0 {
		sum = predicted
	}
	if !(most > 0) {
		return sum
	}
	return min(most, r.Lost*most+(1-r.Lost)*sum)
}
