package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// inOrder are kinds of steps that are fitted to rows in their order, or to all values at once, and what to take for them.
var inOrder = map[string]string{
	"impute/median":  "Impute(TrimmedMean{…}) or Impute(Mean{…})",
	"impute/ridge":   "Impute(TrimmedMean{…}) or Impute(Mean{…})",
	"quantize/means": "Quantize",
	"encode/rank":    "Scale, Standardize or MaxAbs",
	"bin/quantile":   "Bin with edges of your own",
}

// refuseAfar reports, before anything is paid, a plan that needs more of rows that lie elsewhere than a few passes, and one that workers would
// make other passes of. It makes the release with passes over no rows, each by a worker in this process, and draws from noise that is not
// private: no row is read.
func (pl *plan) refuseAfar(ctx context.Context, q quote) error {
	s, ok := pl.p.s.src.(*frames.Sharded)
	if !ok {
		return nil
	}
	people := false
	for i, st := range q.stages {
		if k, ok := kind.KindFor(st.Step); ok && inOrder[k.Name] != "" {
			return fmt.Errorf("dpkit: step %d %s: it takes rows in order, or all values at once, which passes over shards do not: take %s, or open the shards in this process: %w", i+1, kind.Describe(st.Step), inOrder[k.Name], frames.ErrElsewhere)
		}
		if _, joins := st.Step.(rows.Joiner); joins {
			return fmt.Errorf("dpkit: step %d %s: it needs the rows that people have in a second table, which no shard knows: open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
		if _, side := st.Step.(rows.Sided); side && people {
			return fmt.Errorf("dpkit: step %d %s: it parts people by their places among all, which no shard knows: leave it out, or open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
		people = people || ofWholePeople(st.Step)
		if q.keeps(st) && !ofWholePeople(st.Step) {
			return fmt.Errorf("dpkit: step %d %s: it needs the rows around a row, which may be of other shards: leave it out, or open the shards in this process: %w", i+1, kind.Describe(st.Step), frames.ErrElsewhere)
		}
	}
	q = q.read(pl.p.s.schema, pl.m)
	src, err := pl.afar(s, rehearsal{}, q.columns)
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
	if !a.q.made.Once && a.q.made.Again == nil {
		return fmt.Errorf("dpkit: release: %s passes over the rows while it draws, up to hundreds of times, and rows that lie elsewhere are reached by few passes: take FitLinear(AdaSSP{…}) or LinearMixing{…} for a regression, FitLogistic(ByObjective{…}) or ByMixing{…} for classes, or open the shards in this process: %w", kind.Describe(pl.m), frames.ErrElsewhere)
	}
	draw, err := a.q.made.Read(ctx, pl.table(a.rows))
	if err == nil && !a.q.made.Once { // passes of draws are those of workers too
		_, err = draw(ctx, noise.NewDemo(0))
	}
	if err != nil {
		return fmt.Errorf("dpkit: release: of rows that lie elsewhere: %w", err)
	}
	return nil
}
