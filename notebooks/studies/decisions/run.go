package decisions

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Parts of the study that are no sets, as names of [Settings].Sets.
const (
	PartMargins = "margins"
	PartOthers  = "others"
	PartSplits  = "splits"
)

// Run measures. It needs the files below DPNB_DATA: without the variable the error wraps [fs.ErrNotExist]. Each finished case is told to
// progress, which may be nil.
func Run(ctx context.Context, s Settings, progress func(string)) (Results, error) {
	if os.Getenv("DPNB_DATA") == "" {
		return Results{}, fmt.Errorf("decisions study: DPNB_DATA is not set, want the folder of the real data sets: %w", fs.ErrNotExist)
	}
	out := Results{Settings: s}
	for _, name := range s.Sets {
		if name != PartMargins && name != PartOthers && name != PartSplits && !slices.ContainsFunc(sources, func(src source) bool { return src.name == name }) {
			return out, fmt.Errorf("decisions study: no set %q", name)
		}
	}
	for _, src := range sources {
		if len(s.Sets) > 0 && !slices.Contains(s.Sets, src.name) {
			continue
		}
		set, err := src.run(ctx, s, progress)
		if err != nil {
			return out, fmt.Errorf("decisions study: %s: %w", src.name, err)
		}
		out.Sets = append(out.Sets, set)
	}
	part := func(name string) bool { return len(s.Sets) == 0 || slices.Contains(s.Sets, name) }
	var err error
	if part(PartMargins) {
		if out.Coverage, err = s.covered(ctx); err != nil {
			return out, fmt.Errorf("decisions study: margins: %w", err)
		}
	}
	if part(PartOthers) {
		if out.Against, err = s.againstOthers(ctx, progress); err != nil {
			return out, fmt.Errorf("decisions study: %w", err)
		}
	}
	if part(PartSplits) {
		if out.Splits, err = s.overSplits(ctx); err != nil {
			return out, fmt.Errorf("decisions study: %w", err)
		}
	}
	return out, nil
}

// parted reads a set and parts it: four fifths of the rows are for training.
func (src source) parted() (train, test *frames.Frame, err error) {
	f, _, err := src.load()
	if err != nil {
		return nil, nil, err
	}
	return frames.Split(f, 0.8, 1)
}

func (src source) run(ctx context.Context, s Settings, progress func(string)) (Set, error) {
	set := Set{Name: src.name, File: src.file, Task: src.task, Chain: strings.Join(src.steps, ".")}
	var err error
	if src.file != "" {
		if set.SHA256, err = lab.Digest(src.file); err != nil {
			return set, err
		}
	}
	train, test, err := src.parted()
	if err != nil {
		return set, err
	}
	set.Train, set.Test = train.Rows(), test.Rows()
	scores, err := newScorer(ctx, src.task, frames.Public(test))
	if err != nil {
		return set, err
	}
	set.Idle = lab.Round(scores.idle())
	if set.Exact, err = src.exactScore(ctx, scores, train); err != nil {
		return set, err
	}
	demo, err := dpkit.Demo(train, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return set, err
	}
	for _, epsilon := range s.Epsilons {
		c := Case{Epsilon: epsilon}
		if c.Ways, c.Recommended, err = src.waysOf(demo, s, epsilon); err != nil {
			return set, err
		}
		if err := scores.all(ctx, demo, c.Ways, s.releases(set.Train)); err != nil {
			return set, err
		}
		set.Cases = append(set.Cases, c)
		if progress != nil {
			progress(fmt.Sprintf("%s, ε = %g: %d ways", src.name, epsilon, len(c.Ways)))
		}
	}
	return set, nil
}

// releases are those of each way of a set with so many training rows.
func (s Settings) releases(rows int) int {
	if rows < 1000 {
		return max(s.Few, s.Releases)
	}
	return s.Releases
}

// all scores ways, two at a time.
func (s scorer) all(ctx context.Context, on *dpkit.Session, ways []Way, releases int) error {
	errs := make([]error, len(ways))
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range ways {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if errs[i] = s.score(ctx, on, &ways[i], releases); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", ways[i].Plan, errs[i])
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// exactScore is that of the fit without noise.
func (src source) exactScore(ctx context.Context, scores scorer, train *frames.Frame) (float64, error) {
	public, err := dpkit.OnPublic(frames.Public(train))
	if err != nil {
		return 0, err
	}
	text := strings.Join(src.exact, ".") + "."
	if src.task == Numbers {
		return exactBy(ctx, public, text+"FitLinear(AdaSSP{})", scores.numbers)
	}
	return exactBy(ctx, public, text+"FitLogistic(ByObjective{})", scores.classes)
}

func exactBy[V any](ctx context.Context, public *dpkit.Session, text string, score func(context.Context, V) (float64, error)) (float64, error) {
	plan, err := dpkit.Parse[V](public, text)
	if err != nil {
		return 0, err
	}
	r, err := plan.Release(ctx)
	if err != nil {
		return 0, err
	}
	v, err := score(ctx, r.Value)
	return lab.Round(v), err
}
