package dpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// toldVersion is that of what workers are told of a release.
const toldVersion = 2

// toldRelease is what workers are told of a release: public facts.
type toldRelease struct {
	Version    int                   `json:"version"`
	Plan       string                `json:"plan"`
	Schema     frames.Schema         `json:"schema"`
	Rows       int                   `json:"rows"`
	Protected  int                   `json:"protected"` // rows, or people
	Neighbours accountant.Neighbours `json:"neighbours"`
	Demo       bool                  `json:"demo,omitempty"`
	// Columns are those that the plan reads, or any plan of the same joint release: see [quote.unread].
	Columns []string `json:"columns"`
	// Place is what people are placed by, where the plan makes rows of those of people: made of the ledger's key, which it does not tell.
	Place []byte `json:"place,omitempty"`
}

// afar are rows that lie elsewhere as the steps and the mechanism of one release see them: each pass is a job for the source's reader.
type afar struct {
	*frames.Sharded
	reader remote.Reader
	job    remote.Job
	passes int
}

// readable is the session's source as a release reads it.
func (pl *plan) readable(src frames.Source, columns []string) (frames.Source, error) {
	s, ok := src.(*frames.Sharded)
	if !ok {
		return src, nil
	}
	reader, ok := s.Reader().(remote.Reader)
	if !ok {
		return nil, fmt.Errorf("got rows without a reader, want those that package beam opened: %w", ErrParameter)
	}
	return pl.afar(s, reader, columns)
}

func (pl *plan) afar(s *frames.Sharded, reader remote.Reader, columns []string) (*afar, error) {
	var place rows.PlaceKey
	if slices.ContainsFunc(pl.p.steps, ofWholePeople) {
		var err error
		if place, err = pl.p.s.place(); err != nil {
			return nil, err
		}
	}
	release, err := json.Marshal(toldRelease{
		toldVersion, pl.anonymous().String(), s.Schema(), s.Rows(), pl.p.s.rows, pl.p.s.neighbours, pl.p.s.mode == modeDemo, columns, place,
	})
	return &afar{Sharded: s, reader: reader, job: remote.Job{Release: release}}, err
}

// ofWholePeople says whether a step makes rows of all rows of a person.
func ofWholePeople(step stage.Preprocessor) bool {
	switch step.(type) {
	case rows.Collapser, rows.Bounder:
		return true
	}
	return false
}

// anonymous is the plan as far as it decides about passes.
func (pl *plan) anonymous() *plan {
	c := pl.clone()
	c.name, c.blind, c.weight, c.odd = "", false, 0, false
	return c
}

// Pass makes a pass over all shards.
func (a *afar) Pass(ctx context.Context, _ frames.Source, begin func() rows.Partial) (rows.Partial, error) {
	all := begin()
	if point, ok := rows.PointOf(ctx); ok {
		return a.passAt(ctx, point, all)
	}
	if a.passes++; a.passes > mostPassesAfar {
		return nil, fmt.Errorf("it makes more than %d passes: %w", mostPassesAfar, frames.ErrElsewhere)
	}
	raw, err := a.reader.Pass(ctx, a.job)
	if err != nil {
		return nil, err
	}
	if err := rows.ReadState(all, raw); err != nil {
		return nil, err
	}
	a.job.Before = append(a.job.Before, raw)
	return all, nil
}

// passAt makes a pass that draws make: how many there are may hang on the rows, so that nothing counts them.
func (a *afar) passAt(ctx context.Context, point []float64, all rows.Partial) (rows.Partial, error) {
	job := a.job
	job.Before = append(slices.Clip(job.Before), writeAnswers([][]float64{point}))
	raw, err := a.reader.Pass(ctx, job)
	if err != nil {
		return nil, err
	}
	return all, rows.ReadState(all, raw)
}

// mostPassesAfar is how many passes a release may make over rows that lie elsewhere, each of which starts a job.
const mostPassesAfar = 32

// answered notes what private queries of a step answered, for the passes behind them.
func (a *afar) answered(answers [][]float64) {
	a.job.Before = append(a.job.Before, writeAnswers(answers))
}

// rehearsal makes passes over no rows, as workers do.
type rehearsal struct{}

func (rehearsal) Pass(ctx context.Context, job remote.Job) ([]byte, error) {
	p, err := prepareAfar(ctx, job)
	if err != nil {
		return nil, err
	}
	return p.Merge(nil)
}

// rehearsed says whether nothing is released of what comes out, so that tests pass.
func rehearsed(in frames.Source) bool {
	a, ok := rows.LieElsewhere(in).(*afar)
	if !ok {
		return false
	}
	_, ok = a.reader.(rehearsal)
	return ok
}

// noteAnswers tells workers what queries of a step answered.
func noteAnswers(in frames.Source, answers [][]float64) {
	if a, ok := rows.LieElsewhere(in).(*afar); ok {
		a.answered(answers)
	}
}
