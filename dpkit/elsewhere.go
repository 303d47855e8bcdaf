package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// toldVersion is that of what workers are told of a release.
const toldVersion = 1

// toldRelease is what workers are told of a release: public facts.
type toldRelease struct {
	Version    int                   `json:"version"`
	Plan       string                `json:"plan"`
	Schema     frames.Schema         `json:"schema"`
	Rows       int                   `json:"rows"`
	Protected  int                   `json:"protected"` // rows, or people
	Neighbours accountant.Neighbours `json:"neighbours"`
	Demo       bool                  `json:"demo,omitempty"`
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
func (pl *plan) readable(src frames.Source) (frames.Source, error) {
	s, ok := src.(*frames.Sharded)
	if !ok {
		return src, nil
	}
	reader, ok := s.Reader().(remote.Reader)
	if !ok {
		return nil, fmt.Errorf("got rows without a reader, want those that package beam opened: %w", ErrParameter)
	}
	return pl.afar(s, reader)
}

func (pl *plan) afar(s *frames.Sharded, reader remote.Reader) (*afar, error) {
	var place rows.PlaceKey
	if slices.ContainsFunc(pl.p.steps, ofWholePeople) {
		var err error
		if place, err = pl.p.s.place(); err != nil {
			return nil, err
		}
	}
	release, err := json.Marshal(toldRelease{
		toldVersion, pl.anonymous().String(), s.Schema(), s.Rows(), pl.p.s.rows, pl.p.s.neighbours, pl.p.s.mode == modeDemo, place,
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

// Pass makes a pass over all shards. States that add up rounded numbers merge in the order of the shards.
func (a *afar) Pass(ctx context.Context, in frames.Source, begin func() rows.Partial) (rows.Partial, error) {
	all := begin()
	if rows.Rounds(all) && rows.MadeOfPeople(in) {
		return nil, fmt.Errorf("it adds up rounded numbers of people, of whom it is private how many are in a shard: open the shards in this process: %w", frames.ErrElsewhere)
	}
	if rows.Rounds(all) && !rows.WithinRounding(a.Shards(), in.Schema().Width()) {
		return nil, fmt.Errorf("got %d shards of %d rows, which add up rounded numbers in more parts than the price of the step counts: put them into fewer files: %w", len(a.Shards()), a.Rows(), ErrParameter)
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

// mostPassesAfar is how many passes a release may make over rows that lie elsewhere, each of which starts a job.
const mostPassesAfar = 32

// answered notes what private queries of a step answered, for the passes behind them.
func (a *afar) answered(answers [][]float64) {
	a.job.Before = append(a.job.Before, writeAnswers(answers))
}

// refuseAfar reports, before anything is paid, a plan that needs more of rows that lie elsewhere than a few passes, and one that workers would
// make other passes of. It makes the release with passes over no rows, each by a worker in this process, and draws from noise that is not
// private: no row is read.
func (pl *plan) refuseAfar(ctx context.Context, q quote) error {
	s, ok := pl.p.s.src.(*frames.Sharded)
	if !ok {
		return nil
	}
	apart := false
	if r, ok := s.Reader().(interface{ ByPerson() bool }); ok {
		apart = r.ByPerson()
	}
	people := false
	for i, st := range q.stages {
		if _, joins := st.Step.(rows.Joiner); joins {
			return fmt.Errorf("dpkit: step %d %s: it needs the rows that people have in a second table, which no shard knows: open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
		if ofWholePeople(st.Step) && !apart {
			return fmt.Errorf("dpkit: step %d %s: it needs all rows of a person, who may have some in several shards: put those of each person into one shard and say so by Options.ByPerson of package beam, or open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
		if _, side := st.Step.(rows.Sided); side && people {
			return fmt.Errorf("dpkit: step %d %s: it parts people by their places among all, which no shard knows: leave it out, or open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
		people = people || ofWholePeople(st.Step)
		if q.keeps(st) && !ofWholePeople(st.Step) {
			return fmt.Errorf("dpkit: step %d %s: it needs the rows around a row, which may be of other shards: leave it out, or open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
	}
	src, err := pl.afar(s, rehearsal{})
	if err != nil {
		return fmt.Errorf("dpkit: release: %w", err)
	}
	a, err := q.apply(ctx, src, noise.NewDemo(0))
	if err != nil {
		return fmt.Errorf("dpkit: release: of rows that lie elsewhere: %w", err)
	}
	if len(a.bounds) > 0 {
		if a.q, err = a.q.resettled(); err != nil {
			return err
		}
	}
	if a.q.made.Once {
		_, err = a.q.made.Read(ctx, pl.table(a.rows))
	}
	if errors.Is(err, frames.ErrElsewhere) || !a.q.made.Once {
		err = frames.ErrElsewhere
		return fmt.Errorf("dpkit: release: %s passes over the rows while it draws, up to hundreds of times, and rows that lie elsewhere are reached by few passes, all before the first draw: take FitLinear(AdaSSP{…}) or LinearMixing{…} for a regression, FitLogistic(ByMixing{…}) for classes, Means or Gram of bounded columns for moments, or open the shards in this process: %w", kind.Describe(pl.m), err)
	}
	if err != nil {
		return fmt.Errorf("dpkit: release: of rows that lie elsewhere: %w", err)
	}
	return nil
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
