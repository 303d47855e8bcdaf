package dpkit

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// partOf are some rows of a frame, as a source of the caller's own.
type partOf struct {
	of       *frames.Frame
	from, to int
}

func (p partOf) Schema() frames.Schema { return p.of.Schema() }

func (p partOf) Rows() int { return p.to - p.from }

func (p partOf) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	return p.of.Scan(ctx, func(b *frames.Block) error {
		from, to := max(p.from-b.First, 0), min(p.to-b.First, b.Rows)
		if from >= to {
			return nil
		}
		part := blockPart(b, from, to)
		if b.Person != nil {
			part.Person = b.Person[from:to]
		}
		part.First -= p.from
		return fn(part)
	})
}

// processes stand for other processes: each makes a job anew, from its bytes, and opens its shard for it.
type processes struct {
	t     testing.TB
	open  []func() frames.Source
	first []int
	order []int // of merges
	jobs  *int
}

func (r processes) Pass(ctx context.Context, job remote.Job) ([]byte, error) {
	*r.jobs++
	states := make([][]byte, len(r.open))
	for i, open := range r.open {
		p, err := remote.Prepare(ctx, job)
		if err != nil {
			return nil, err
		}
		if states[i], err = p.Accumulate(ctx, open(), r.first[i]); err != nil {
			return nil, err
		}
	}
	p, err := remote.Prepare(ctx, job)
	if err != nil || p.Rounds() {
		all, merr := p.Merge(states)
		return all, errors.Join(err, merr)
	}
	var all [][]byte // a tree
	for _, i := range r.order {
		one, err := p.Merge([][]byte{states[i]})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	half := len(all) / 2
	a, aerr := p.Merge(all[half:])
	b, berr := p.Merge(all[:half])
	both, err := p.Merge([][]byte{a, b})
	return both, errors.Join(aerr, berr, err)
}

// sharded cuts a frame into shards that lie elsewhere, and returns the rows in this process beside.
func sharded(t testing.TB, f *frames.Frame, cuts []int, seed uint64) (afar *frames.Sharded, here frames.Source, jobs *int) {
	t.Helper()
	jobs = new(int)
	r := processes{t: t, jobs: jobs, order: rand.New(rand.NewPCG(seed, 9)).Perm(len(cuts) + 1)}
	var told [][]byte
	var all []frames.Source
	from := 0
	for _, to := range append(cuts, f.Rows()) {
		p := partOf{f, from, to}
		checked := must(frames.Check(t.Context(), p))
		raw := must(frames.Opened(t.Context(), checked))
		told, all = append(told, raw), append(all, checked)
		r.open, r.first = append(r.open, func() frames.Source { return must(frames.CheckAs(p, raw)) }), append(r.first, from)
		from = to
	}
	return must(frames.NewSharded(f.Schema(), told, r)), must(frames.Concat(all...)), jobs
}

// TestReleasesOfRowsElsewhere: whatever runs on rows that other processes read has the bits that it has in this process, from shards that are
// cut anywhere and merge in any order; whatever does not is refused before it is charged, with what to do.
func TestReleasesOfRowsElsewhere(t *testing.T) {
	ran, refused := map[string]bool{}, map[string]bool{}
	eachMechanism(t, func(t *testing.T, c settledCase) {
		s, k := c.plan.p.s, must(kindNamed(c.plan.m))
		f := s.src.(*frames.Frame)
		n := f.Rows()
		text := c.plan.String()
		release := func(src frames.Source) (string, error) {
			v, err := must(Parse[any](must(Demo(src, 5, s.neighbours)), text)).Release(t.Context())
			return asJSON(v.Value), err
		}
		afar, here, jobs := sharded(t, f, []int{n / 3, n/3 + 1, n - n/4}, 3)
		got, err := release(afar)
		if errors.Is(err, ErrParameter) && strings.Contains(err.Error(), "fewer files") {
			afar, here, jobs = sharded(t, f, nil, 3) // too few rows to part where numbers round
			got, err = release(afar)
		}
		want, werr := release(here)
		switch {
		case errors.Is(err, frames.ErrElsewhere):
			refused[k] = true
			if *jobs > 0 || !strings.Contains(err.Error(), "open the shards in this process") {
				t.Errorf("%d jobs, then %v", *jobs, err)
			}
		case err != nil || werr != nil: // as everywhere
			if err == nil || werr == nil || err.Error() != werr.Error() {
				t.Errorf("got %v, want %v", err, werr)
			}
		case got != want:
			t.Errorf("got %.300s, want %.300s", got, want)
		case *jobs == 0:
			t.Error("no job")
		default:
			ran[k] = true
		}
	})
	for _, m := range knownMechanisms() {
		if k := m.of.Kind().Name; !ran[k] && !refused[k] && k != "train/local" {
			t.Errorf("%s neither ran nor was refused", k)
		}
	}
	for _, k := range []string{"count", "sum", "means", "histogram", "quantile", "table", "found", "score", "choice", "gram", "gaussmix", "fit/linear"} {
		if !ran[k] {
			t.Errorf("%s did not run", k)
		}
	}
}

// kindNamed is the name of a mechanism's kind.
func kindNamed(m any) (string, error) {
	k, ok := kind.KindFor(m)
	if !ok {
		return "", errors.New("no kind")
	}
	return k.Name, nil
}
