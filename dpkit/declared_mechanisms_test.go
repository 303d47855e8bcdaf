package dpkit

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/correlation"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// gapped has a column with gaps, groups, and classes.
func gapped() frames.Schema {
	return mustSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.Category("g", "a", "b"), frames.Label("y", "no", "yes"))
}

// filledByOne are tables in which all rows but the first miss x: what they are filled with depends on the first alone.
func filledByOne(n int) (sides [2][][]float64) {
	for side, x := range []float64{1, 0} {
		sides[side] = append([][]float64{{x, 0, 1}}, times(n-1, math.NaN(), 0, 1)...)
	}
	return sides
}

// filled is a chain whose rows are displaced in x.
func filled(p Pipeline) Pipeline { return p.Impute(Mean{Pad: 1}, "x") }

// onGaps is a session on the gapped schema.
func onGaps(t *testing.T) Pipeline {
	return must(Demo(frameOf(t, gapped(), filledByOne(40)[0]), 1, ReplaceOne)).Data()
}

// mechanismConditions are those that mechanisms declare.
func mechanismConditions() map[string][]conditionCase {
	target := Target{Epsilon: 1, Delta: 1e-6}
	displaced := func(says string, end func(Pipeline) *plan, told func(any) float64) conditionCase {
		return conditionCase{
			refused: func(t *testing.T) error { return errOf(end(filled(onGaps(t))).quote()) }, says: says,
			attack: func(t *testing.T) (float64, float64, float64) {
				return forced{
					rel: ReplaceOne, schema: gapped(), sides: filledByOne(300), end: func(p Pipeline) *plan { return end(filled(p)) }, hide: clean, told: told,
				}.shown(t)
			},
		}
	}
	return map[string][]conditionCase{
		"table/quantile-displaced": {displaced("could change its rank", func(p Pipeline) *plan {
			return p.By("g").Quantile(0.5, "x").Table(target).plan()
		}, tells(func(t Table) float64 { return t.Quantiles[0].Values[0] }))},
		"found/sum-displaced": {displaced("differs in common rows", func(p Pipeline) *plan {
			return p.By("g").People().Sum("x").Found(target).plan()
		}, tells(func(t Table) float64 { return t.Sums[0][0] }))},
		"score/displaced": {displaced("could change what is predicted", func(p Pipeline) *plan {
			return p.Score(target, tiltedModel(p, 0, 10, -5)).plan()
		}, tells(func(s Score) float64 { return s.Sums[0] }))},
		"score/model-of-another-unit": {
			{attack: modelOfAnother(accountant.PerRow, ReplaceOne)}, {attack: modelOfAnother(accountant.PerPerson, AddRemove)},
		},
		"correlation/rows-of-a-person": {{attack: momentsOfAPerson}},
		"sums/rows-of-a-person": {{attack: func(t *testing.T) (shown, charged, without float64) {
			s := mustSchema(frames.Category("town", "a", "b"))
			end := func(p Pipeline) *plan { return p.Bound(Contributing{Rows: 3}).Histogram("town", target).plan() }
			there, q := exactly(t, end(personal(t, s, AddRemove, [][]float64{{0}, {0}, {0}}, [][]float64{{1}, {1}}).Data()))
			gone, _ := exactly(t, end(personal(t, s, AddRemove, nil, [][]float64{{1}, {1}}).Data()))
			a, b := there.(*Estimates).Values, gone.(*Estimates).Values
			return math.Hypot(a[0]-b[0], a[1]-b[1]), q.price.Cost.Sensitivity, q.price.Cost.Sensitivity / 3
		}}},
	}
}

// personal is a demonstration on rows of people, in the order of people: who has none keeps a place.
func personal(t *testing.T, s frames.Schema, rel accountant.Neighbours, people ...[][]float64) *Session {
	t.Helper()
	d := len(s.Features())
	m := &rows.Matrix{Domain: withPerson(s), Cols: d}
	for who, bag := range people {
		for _, row := range slices.Concat(bag) {
			m.X, m.Y, m.Empty = append(m.X, row[:d]...), append(m.Y, row[d:]...), append(m.Empty, false)
			m.Person = append(m.Person, personID(who))
		}
		if len(bag) == 0 {
			m.X, m.Y, m.Empty = append(m.X, make([]float64, d)...), append(m.Y, make([]float64, len(s.Columns())-d)...), append(m.Empty, true)
			m.Person = append(m.Person, personID(who))
		}
	}
	b := &frames.Block{Rows: m.Rows(), Cols: d, X: m.X, Y: m.Y, Person: m.Person}
	out := must(Demo(must(frames.FromBlock(m.Domain, b)), 1, rel))
	out.src = m
	return out
}

func personID(who int) (id frames.PersonID) {
	id[0], id[1] = byte(who+1), byte((who+1)>>8) // 0 is nobody
	return id
}

// momentsOfAPerson moves the moments of three rows at a corner, which are there on one side only.
func momentsOfAPerson(t *testing.T) (shown, charged, without float64) {
	s := mustSchema(frames.Numeric("x", -1, 1), frames.Numeric("z", -1, 1))
	others := [][]float64{{0.5, 0}, {-0.5, 0.25}}
	var cells [2][]int64
	for side, bag := range [][][]float64{slices.Repeat([][]float64{{1, 1}}, 3), nil} {
		pl := personal(t, s, AddRemove, bag, others, others).Data().Bound(Contributing{Rows: 3}).Correlation(Target{Epsilon: 1, Delta: 1e-6}).plan()
		q := must(pl.quote())
		of := must(correlation.Release{Target: Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(q.end))
		a := must(q.apply(t.Context(), pl.p.s.src, nil))
		cells[side] = must(of.Cells(t.Context(), pl.table(a.rows)))
		shown, charged, without = of.Grid.Step(), of.S, of.S/3
	}
	return latticeDistance(cells[0], cells[1], NoiseGaussian) * shown, charged, without
}

// modelOfAnother is a model whose release was private for another unit or relation, and is scored as if it were of this one: a person
// moves it further than the noise of its release was made for. What the model predicts is a sum of rows.
func modelOfAnother(unit accountant.Unit, rel accountant.Neighbours) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		target := Target{Epsilon: 1, Delta: 1e-6}
		s := mustSchema(frames.Numeric("x", -1, 1), frames.NumericLabel("y", -1, 1))
		rows := 3
		if unit == accountant.PerPerson {
			rows = 1
		}
		var sums [2]float64
		var of accountant.Guarantee
		for side, x := range []float64{1, -1} {
			p := must(Demo(frameOf(t, s, append(times(rows, x, 0), times(4, 0, 0)...)), 1, rel)).Data()
			v, q := exactly(t, p.Sum(target).plan())
			e, c := v.(*Estimates), q.price.Cost
			of = q.price.Guarantee
			drawn := must(p.Sum(target).Release(t.Context())).Value
			sums[side], without = e.Values[0]/drawn.Sigma[0], c.Sensitivity/c.Sigma
		}
		person := personal(t, s, ReplaceOne, times(3, 0, 1), times(2, 0, 0), times(2, 0, 1)).Data().Bound(Contributing{Rows: 3})
		m := constantModel(person, 0)
		m.Reader.Schema = s
		m.Lo, m.Hi = -1, 1
		of.Unit, m.Guarantee = unit, &of
		charged = without
		if must(person.Score(target, m).plan().quote()).price.Guarantee.Scope.Kind == accountant.Conditional {
			charged = math.Inf(1) // the guarantee is of models that do not depend on the rows
		}
		return math.Abs(sums[0] - sums[1]), charged, without
	}
}
