package dpkit

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
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
	p, err := remote.Prepare(ctx, job)
	if err != nil {
		return nil, err
	}
	if p.Buckets() > 0 {
		return r.people(ctx, p)
	}
	states := make([][]byte, len(r.open))
	for i, open := range r.open {
		p, err := remote.Prepare(ctx, job)
		if err != nil {
			return nil, err
		}
		if states[i], err = p.Accumulate(ctx, open(), i, r.first[i]); err != nil {
			return nil, err
		}
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

// people makes a pass over more buckets than there are shards, to which blocks come in an order of their own.
func (r processes) people(ctx context.Context, p remote.Pass) ([]byte, error) {
	const buckets = 5
	var dealt [buckets][][]byte
	for _, i := range r.order {
		err := p.Deal(ctx, r.open[i](), buckets, func(k int, block []byte) error {
			dealt[k] = append(dealt[k], block)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var states [][]byte
	for k, blocks := range dealt {
		s, err := p.AccumulateDealt(ctx, k, func(fn func([]byte) error) error {
			for _, b := range blocks {
				if err := fn(b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return p.Merge(states)
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
	t.Parallel()
	ran := map[string]map[afarOutcome]bool{}
	eachMechanism(t, func(t *testing.T, c settledCase) {
		s, k := c.plan.p.s, must(kindNamed(c.plan.m))
		did := func(e afarOutcome) {
			if ran[k] == nil {
				ran[k] = map[afarOutcome]bool{}
			}
			ran[k][e] = true
		}
		f := s.src.(*frames.Frame)
		n := f.Rows()
		text := c.plan.String()
		release := func(src frames.Source) (string, error) {
			v, err := must(Parse[any](must(Demo(src, 5, s.neighbours)), text)).Release(t.Context())
			return asJSON(v.Value), err
		}
		afar, here, jobs := sharded(t, f, []int{n / 3, n/3 + 1, n - n/4}, 3)
		got, err := release(afar)
		want, werr := release(here)
		switch {
		case errors.Is(err, frames.ErrElsewhere):
			did(afarRefuses)
			if *jobs > 0 || !strings.Contains(err.Error(), "open the shards in this process") {
				t.Errorf("%d jobs, then %v", *jobs, err)
			}
		case err != nil || werr != nil: // as everywhere
			if err == nil || werr == nil || err.Error() != werr.Error() {
				t.Errorf("got %v, want %v", err, werr)
			}
		case *jobs == 0:
			t.Error("no job")
		case got == want:
			did(afarSame)
		default:
			t.Errorf("got %.300s, want %.300s", got, want)
		}
	})
	for _, m := range knownMechanisms() {
		k := m.of.Kind().Name
		want, listed := kindsElsewhere[k]
		switch {
		case !listed:
			t.Errorf("%s: say in kindsElsewhere whether it runs on rows that lie elsewhere", k)
		case want != afarUntold && !ran[k][want]:
			t.Errorf("%s: got %v, want %v", k, ran[k], want)
		case ran[k][afarRefuses] && want != afarRefuses && !slices.Contains(refusedToo, k):
			t.Errorf("%s: some releases are refused", k)
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

// afarOutcome is what a kind of release does where rows lie elsewhere.
type afarOutcome string

const (
	afarSame    afarOutcome = "the bits of one process"
	afarRefuses afarOutcome = "refused before a charge"
	afarUntold  afarOutcome = "no plan of a chain ends in it"
)

// kindsElsewhere are all kinds.
var kindsElsewhere = map[string]afarOutcome{
	"count": afarSame, "sum": afarSame, "means": afarSame, "histogram": afarSame, "quantile": afarSame, "table": afarSame, "found": afarSame,
	"score": afarSame, "choice": afarSame, "gram": afarSame, "gaussmix": afarSame, "fit/linear": afarSame, "fit/logistic-mixing": afarSame,
	"table/top": afarSame, "cumulative": afarSame, "correlation": afarSame,
	// Passes at points that draws lead to.
	"mean/unbounded": afarSame, "moments/second": afarSame, "moments/covariance": afarSame, "fit/unbounded": afarSame,
	"fit/logistic-objective": afarSame, "fit/huber": afarSame, "fit/hinge": afarSame, "fit/poisson": afarSame, "fit/multinomial": afarSame,
	// Hundreds of passes.
	"fit/gradient": afarRefuses, "fit/logistic": afarRefuses, "fit/logistic-report": afarRefuses,
	"train/local": afarUntold,
}

// refusedToo are kinds some of whose releases are refused.
var refusedToo = []string{"count"} // behind steps that are
