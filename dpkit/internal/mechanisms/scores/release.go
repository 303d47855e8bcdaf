package scores

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Bins is how many bins of equal width [0, 1] has, of which rows are counted by their scores.
const Bins = 20

// Release is the score of a released model on the rows of a chain.
type Release struct {
	query.Target `dp:"inline"`
	Model        models.Candidate
}

func (Release) Kind() kind.Kind { return kind.Kind{Name: "score", Law: 1, Call: "Score"} }

// IdentityText leaves out where the model came from, as what it predicts does not depend on it.
func (r Release) IdentityText() string {
	return kind.TextOf(Release{Target: r.Target, Model: r.Model.Bare()})
}

// Asks says that no query of its own may refuse the release.
func (Release) Asks() bool { return false }

// ReadsUnbounded says that no bound of a column enters but the label's, which is asked for: a model brings the steps that clip its columns.
func (Release) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone: a model brings the steps that give them levels.
func (Release) LeavesTexts() {}

// Scope is [Release.ScopeIn] where every row is somebody.
func (r Release) Scope() accountant.Scope {
	return r.ScopeIn(accountant.PerRow, accountant.ReplaceOne, false)
}

// ScopeIn names a model that no private release made, or one that protects others than the session does: if it depends on the rows,
// neighbouring tables have other models to score.
func (r Release) ScopeIn(unit accountant.Unit, rel accountant.Neighbours, demonstration bool) accountant.Scope {
	switch g, ok := r.Model.Released(demonstration); {
	case !ok:
		return accountant.Scope{Kind: accountant.Conditional, On: []string{"the model that is scored, which no private release made, does not depend on these rows"}}
	//dp:charges score/model-of-another-unit it may depend on a person by more than was charged
	case g != nil && (g.Unit != unit || g.Neighbours != rel):
		return accountant.Scope{Kind: accountant.Conditional, On: []string{fmt.Sprintf("the model that is scored, whose release was private per %s, %s, does not depend on these rows", g.Unit, g.Neighbours)}}
	}
	return accountant.Scope{Kind: accountant.Unconditional}
}

// ColumnsRead are those that the predictions depend on, and the label.
func (r Release) ColumnsRead(in frames.Schema) []string {
	j, err := r.Model.Judge(in)
	if err != nil {
		return nil // it has no price either
	}
	return append(slices.Clone(j.Reads()), j.Label().Name)
}

// calibrated is a score with its noise. Its cells are the sums of the measures, then the number of rows where it is private, then the
// counts of bins of the first class and of the second.
type calibrated struct {
	sums.GaussianSum
	judge    *models.Judge
	measures []string
	counted  bool // the number of rows is private
	binned   bool
}

func (c *calibrated) size() int {
	n := len(c.measures)
	if c.counted {
		n++
	}
	if c.binned {
		n += 2 * Bins
	}
	return n
}

// describe says what is summed, from public facts.
func (r Release) describe(st stage.Stage) (*calibrated, error) {
	j, err := r.Model.Judge(st.In)
	if err != nil {
		return nil, err
	}
	c := &calibrated{judge: j, measures: []string{Squared, Absolute}, counted: st.Empty}
	if classes := len(j.Label().Levels); classes > 0 {
		c.measures, c.binned = []string{Accuracy}, classes == 2
		if j.Probable() {
			c.measures = append(c.measures, LogLoss)
		}
	}
	return c, nil
}

// calibrate settles the noise of all cells together.
func (r Release) calibrate(st stage.Stage) (*calibrated, error) {
	c, err := r.describe(st)
	if err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Noise == query.NoiseLaplace {
		return nil, fmt.Errorf("noise: got %q, want NoiseGaussian: a row has several cells of a score, for which Laplace noise is dear: %w", string(r.Noise), kind.ErrParameter)
	}
	for _, name := range append(slices.Clone(c.judge.Reads()), c.judge.Label().Name) {
		//dp:refuses score/displaced each common row that differs could change what is predicted
		if st.Taint[name] {
			return nil, fmt.Errorf("column %q differs in common rows, and each of them could change what is predicted: score rows as they were before the step that displaces it; a model brings the steps of its own chain: %w", name, stage.ErrOrder)
		}
	}
	c.Query, c.Coordinates, c.Draws = pair.Query{C: c.oneRow(st.Before.Neighbours)}, c.size(), 1
	if err := c.State(st.Before); err != nil {
		return nil, err
	}
	return c, c.GaussianSum.Calibrate(r.Budget(), st)
}

// oneRow bounds what one free row does to a score (docs/theory/tables.md#scores-of-models), in the units of
// [pair.Query]: a row that is there on one side only adds a vector of norm C; of two that differ the score moves by 2C at most.
func (c *calibrated) oneRow(rel accountant.Neighbours) float64 {
	m, bin, row := float64(len(c.measures)), 0.0, 0.0
	if c.binned {
		bin = 1
	}
	if c.counted {
		row = 1
	}
	if rel == accountant.AddRemove {
		if k := len(c.judge.Label().Levels); k > 0 && m == 2 { // a class that is predicted has the largest probability, 1/k at least
			m = max(1, 1+math.Pow(min(1, math.Log(float64(k))/-math.Log(models.LeastChance)), 2))
		}
		return stage.Up(math.Sqrt(m + bin + row))
	}
	return stage.Up(math.Sqrt(max(m+2*bin, m+bin+row))) / 2
}

// Settle calibrates the noise.
func (r Release) Settle(st stage.Stage) (mechanism.Settled[Score], error) {
	c, err := r.calibrate(st)
	if err != nil {
		return mechanism.Settled[Score]{}, err
	}
	b, err := c.Price(r.Budget(), st, cost.Release{
		Name: kind.Describe(r),
		Constants: []stage.Constant{
			{Symbol: "Δ", Value: c.Free, Origin: stage.FromConstruction, Meaning: "distance of the scores of neighbouring datasets: all measures and bins together"},
			{Symbol: "σ", Value: c.Sigma, Origin: stage.FromParameter, Meaning: "noise on each sum and each count"},
		},
		Reference: "tables of people §4, scores of models; Gaussian mechanism",
	})
	s := mechanism.ReadOnce(b, c.read, func(cells []int64, rng *noise.Source) (Score, error) {
		noisy := slices.Clone(cells)
		noise.AddGaussian(rng, noisy, c.GridSD)
		values := make([]float64, len(noisy))
		for i, v := range noisy {
			values[i] = c.Grid.Value(v)
		}
		return r.score(c, st, values, c.Sigma), nil
	})
	names := make([]string, len(c.measures))
	sd, most := make([]float64, len(c.measures)), make([]float64, len(c.measures))
	for i, m := range c.measures {
		names[i], sd[i], most[i] = m, c.Sigma/float64(st.Before.N)*c.unit(m), c.unit(m)/2
	}
	if !c.counted { // of a private number of rows the noise is relative to it
		s.Predicted = mechanism.Deviations(mechanism.Gaussian, names, sd...)
		s.Predicted.Most = most
	}
	return s, err
}

// unit is what a measure of 1 is.
func (c *calibrated) unit(measure string) float64 {
	return unitOf(measure, c.judge.Label().Hi-c.judge.Label().Lo)
}

// read are the exact cells in steps of the grid.
func (c *calibrated) read(ctx context.Context, in rows.Driver) ([]int64, error) {
	inv := 1 / c.Grid.Step()
	cells, err := rows.IntegerSums(ctx, in, c.size(), func() func([]int64, []float64, float64) {
		outcome := c.judge.Outcomes()
		return func(cells []int64, row []float64, y float64) {
			o := outcome(row, y)
			for i, m := range c.measures {
				cells[i] += int64(math.RoundToEven(of(o, m) * inv))
			}
			for _, at := range c.counts(o, y) {
				cells[at]++
			}
		}
	})
	for at := len(c.measures); at < len(cells); at++ {
		cells[at] = int64(math.RoundToEven(float64(cells[at]) * inv)) // exact: the grid is finer than 1, or a power of two
	}
	return cells, err
}

// counts are the cells that count a row.
func (c *calibrated) counts(o models.Outcome, y float64) (at []int) {
	next := len(c.measures)
	if c.counted {
		at = append(at, next)
		next++
	}
	if c.binned {
		if y == 1 {
			next += Bins
		}
		at = append(at, next+min(int(o.Rank*Bins), Bins-1))
	}
	return at
}

// score makes the value of cells.
func (r Release) score(c *calibrated, st stage.Stage, cells []float64, sigma float64) Score {
	label := c.judge.Label()
	s := Score{
		Model: r.Model.Short(), Label: label.Name, Classes: slices.Clone(label.Levels), Rows: st.Before.N, Probable: c.judge.Probable(),
		Measures: slices.Clone(c.measures), Sums: slices.Clone(cells[:len(c.measures)]), Sigma: sigma,
	}
	if len(label.Levels) == 0 {
		s.Range = label.Hi - label.Lo
	}
	rest := cells[len(c.measures):]
	if c.counted {
		s.Present, rest = &rest[0], rest[1:]
	}
	if c.binned {
		s.Bins = [][]float64{slices.Clone(rest[:Bins]), slices.Clone(rest[Bins:])}
	}
	return s
}

// Exact computes the score without noise.
func (r Release) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Score, error) {
	c, err := r.describe(st)
	if err != nil {
		return Score{}, err
	}
	all := make([]rows.Neumaier, c.size())
	outcome := c.judge.Outcomes()
	err = in.InOrder(ctx, num.PresentRows(func(row []float64, y float64) {
		o := outcome(row, y)
		for i, m := range c.measures {
			all[i].Add(of(o, m))
		}
		for _, at := range c.counts(o, y) {
			all[at].Add(1)
		}
	}))
	cells := make([]float64, len(all))
	for i := range all {
		cells[i] = all[i].Sum()
	}
	return r.score(c, st, cells, 0), err
}
