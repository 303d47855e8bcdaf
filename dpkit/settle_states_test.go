package dpkit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// inFixedOrder are the states whose additions round: their parts and the order of merges are fixed ([rows.InProcess]). All others
// add exactly.
var inFixedOrder = []string{"newton sums 1", "outer products 1", "column moments 1", "design grams 1"}

// writtenState is the state of a pass over all rows of a release.
type writtenState struct {
	release string // dataset, chain and mechanism
	raw     []byte
}

// writtenStates are those of passes, by the plan and the place of the pass in it.
type writtenStates map[string]writtenState

// meet reads the states of earlier passes into a pass. That of the same pass is read, and all others are refused but what is the same:
// at the same point of the same release, under another name of it or once more, the state has the same bytes.
func (w writtenStates) meet(t *testing.T, name string, s writtenState, begin func() rows.Partial) {
	t.Helper()
	for other, o := range w {
		err := rows.ReadState(begin(), o.raw)
		switch {
		case name == other && err != nil:
			t.Errorf("%s: %v", name, err)
		case name != other && err == nil && (s.release != o.release || !bytes.Equal(s.raw, o.raw)):
			t.Errorf("the state of %s was read as that of %s", other, name)
		case err != nil && !strings.Contains(err.Error(), "read it into the pass that it was written of"):
			t.Errorf("%s as %s: got %v, want an error with the fix", other, name, err)
		}
	}
}

// shards is a driver that cuts the rows anywhere. Each shard writes its state; they are read and merged in another order.
type shards struct {
	rows.Driver
	t       *testing.T
	cuts    uint64 // seed of where it cuts
	run     string // beside the first ones
	release string
	written writtenStates
	made    *int // passes
	parted  *int // those that were cut
}

func (d shards) Gathered(ctx context.Context) (rows.Driver, error) {
	in, err := d.Driver.Gathered(ctx)
	d.Driver = in
	return d, err
}

// Resident is none: what a pass keeps for the next one stays in its shard.
func (shards) Resident() int { return 0 }

func (d shards) Drive(ctx context.Context, begin func() rows.Partial) (rows.Partial, error) {
	empty := must(rows.WriteState(begin()))
	n := 0
	in := carrying{d.Driver, d.t, &n}
	var all rows.Partial
	var err error
	if slices.ContainsFunc(inFixedOrder, func(name string) bool { return bytes.Contains(empty, []byte(name)) }) {
		all, err = in.Drive(ctx, begin)
	} else {
		*d.parted++
		all, err = d.cut(ctx, begin)
	}
	if *d.made++; err == nil && *d.made <= mostMet {
		name := fmt.Sprintf("%s, pass %d%s", d.t.Name(), *d.made, d.run)
		state := writtenState{d.release, must(rows.WriteState(all))}
		d.written.meet(d.t, name, state, begin)
		if d.run == "" {
			d.written[name] = state
		}
	}
	return all, err
}

// mostMet is how many passes of a release meet those of others: what comes behind them is at points of its own, as they are.
const mostMet = 4

// cut makes the pass in shards, one of which has no rows.
func (d shards) cut(ctx context.Context, begin func() rows.Partial) (rows.Partial, error) {
	rng := rand.New(rand.NewPCG(d.cuts, uint64(*d.made)))
	cuts := []int{rng.IntN(d.Rows() + 1), rng.IntN(d.Rows() + 1), d.Rows(), d.Rows()}
	slices.Sort(cuts)
	parts := make([]rows.Partial, len(cuts))
	for i := range parts {
		parts[i] = begin()
	}
	err := d.InOrder(ctx, func(b *frames.Block) error {
		from := b.First
		for i, to := range cuts {
			if to = min(to, b.First+b.Rows); from < to {
				parts[i].Add(blockPart(b, from-b.First, to-b.First))
				from = to
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := begin()
	for _, i := range rng.Perm(len(parts)) {
		part := begin()
		if err := rows.ReadState(part, must(rows.WriteState(parts[i]))); err != nil {
			return nil, err
		}
		all.Merge(part)
	}
	return all, nil
}

// blockPart are some rows of a block.
func blockPart(b *frames.Block, from, to int) *frames.Block {
	out := &frames.Block{First: b.First + from, Rows: to - from, Cols: b.Cols, X: b.X[from*b.Cols : to*b.Cols]}
	if b.Y != nil {
		out.Y = b.Y[from:to]
	}
	if b.Empty != nil {
		out.Empty = b.Empty[from:to]
	}
	return out
}

// TestShardsGiveTheRelease: a release of shards that were cut anywhere, whose states were written, read and merged in any order, is
// that of one pass, bit for bit; and the state of each pass is refused by every pass of another description: of another release,
// chain, schema or point. Errors hold no numbers of rows.
func TestShardsGiveTheRelease(t *testing.T) {
	t.Parallel()
	written := writtenStates{}
	parted := 0
	eachMechanism(t, func(t *testing.T, c settledCase) {
		dataset, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "TestShardsGiveTheRelease/"), "/")
		release := dataset + asJSON(must(c.plan.chainIdentity()))
		for _, run := range []struct {
			name       string
			seed, cuts uint64
		}{
			{"", 9, 2},
			{"", 9, 1},                 // meets its own states
			{", of other draws", 8, 1}, // meets states at points of other draws
		} {
			made := 0
			in := shards{rows.InProcess{In: c.rows}, t, run.cuts, run.name, release, written, &made, &parted}
			want := c.releasedFrom(t, c.plan.table(c.rows), run.seed)
			if got := c.releasedFrom(t, c.plan.bound(in), run.seed); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			if made == 0 && c.name != "gradient, by iteration" { // which takes rows one by one, in order
				t.Error("no pass was made")
			}
		}
	})
	if len(written) < 100 || parted < 100 {
		t.Errorf("%d passes met each other, %d were cut into shards", len(written), parted)
	}
}

// firstPass is a driver that notes the pass it is given, and makes none.
type firstPass struct {
	rows.Driver
	begin func() rows.Partial
}

func (d *firstPass) Drive(_ context.Context, begin func() rows.Partial) (rows.Partial, error) {
	d.begin = begin
	return begin(), nil
}

// TestStatesAreOfTheirChain: two chains of the same schema and pair state that make other numbers refuse each other's states.
func TestStatesAreOfTheirChain(t *testing.T) {
	s := must(Demo(frozenData(t)["people"], 1, ReplaceOne))
	pass := func(from ...string) func() rows.Partial {
		o := MutateOptions{From: from, Func: "test.slope", Version: "1", Lo: -4, Hi: 4}
		pl := s.Data().Mutate("w", o).Count(frozenTarget).plan()
		in := &firstPass{}
		if _, err := rows.IntegerSums(t.Context(), pl.bound(in), 1, func() func([]int64, []float64, float64) { return nil }); err != nil {
			t.Fatal(err)
		}
		return in.begin
	}
	a, b := pass("age", "pay"), pass("pay", "age")
	raw := must(rows.WriteState(a()))
	if err := rows.ReadState(a(), raw); err != nil {
		t.Error(err)
	}
	if err := rows.ReadState(b(), raw); err == nil || !strings.Contains(err.Error(), "chain: got those of hash ") {
		t.Errorf("got %v, want an error that names the chain", err)
	}
}
