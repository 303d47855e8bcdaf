package dpkit

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// manyShards is a driver of rows in hundreds of shards, whose states are written, read and merged in an order of its own.
type manyShards struct {
	rows.Driver
	t      *testing.T
	shards []*frames.Block
	merge  func(of []rows.Partial, two func(a, b rows.Partial) rows.Partial) rows.Partial
	passes *int
}

// mostParted is how many passes of a release are parted: later ones are alike.
const mostParted = 2

func (d manyShards) Drive(ctx context.Context, begin func() rows.Partial) (rows.Partial, error) {
	if *d.passes++; *d.passes > mostParted {
		return d.Driver.Drive(ctx, begin)
	}
	carry := func(s rows.Partial) rows.Partial {
		back := begin()
		if err := rows.ReadState(back, must(rows.WriteState(s))); err != nil {
			d.t.Fatal(err)
		}
		return back
	}
	each := 1 + len(must(rows.WriteState(begin())))>>15 // fewer shards, where states are large
	var of []rows.Partial
	for i, b := range d.shards {
		if i%each == 0 {
			of = append(of, begin())
		}
		of[len(of)-1].Add(b)
	}
	return d.merge(of, func(a, b rows.Partial) rows.Partial {
		a.Merge(b)
		return carry(a)
	}), nil
}

func (d manyShards) Gathered(context.Context) (rows.Driver, error) { return d, nil }

// Resident is none: what a pass keeps for the next one does not travel.
func (manyShards) Resident() int { return 0 }

// TestManyShards: releases of equal seeds have the same bits from one pass and from hundreds of shards, merged one behind the other as runners
// do, from either end, or in any order. Each kind of mechanism has a release in one of the orders.
func TestManyShards(t *testing.T) {
	const shards = 210
	type two = func(a, b rows.Partial) rows.Partial
	orders := []func(of []rows.Partial, two two) rows.Partial{
		func(of []rows.Partial, two two) rows.Partial {
			all := of[0]
			for _, s := range of[1:] {
				all = two(all, s)
			}
			return all
		},
		func(of []rows.Partial, two two) rows.Partial {
			all := of[0]
			for _, s := range of[1:] {
				all = two(s, all)
			}
			return all
		},
		func(of []rows.Partial, two two) rows.Partial {
			r := rand.New(rand.NewPCG(uint64(len(of)), 6))
			for len(of) > 1 {
				r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
				of = append(of[2:], two(of[0], of[1]))
			}
			return of[0]
		},
	}
	tried := map[string]bool{}
	eachMechanism(t, func(t *testing.T, c settledCase) {
		k := must(kindNamed(c.plan.m))
		if tried[k] {
			return
		}
		tried[k] = true
		m := must(rows.Materialise(t.Context(), c.rows, c.rows.Schema(), rows.SameRow))
		var blocks []*frames.Block
		for k := range shards {
			blocks = append(blocks, m.Block(k*m.Rows()/shards, (k+1)*m.Rows()/shards))
		}
		want := c.releasedFrom(t, rows.InProcess{In: c.rows}, 9)
		order := len(tried) % len(orders)
		if got := c.releasedFrom(t, manyShards{rows.InProcess{In: c.rows}, t, blocks, orders[order], new(int)}, 9); got != want {
			t.Errorf("order %d: got %.300s, want %.300s", order, got, want)
		}
	})
}
