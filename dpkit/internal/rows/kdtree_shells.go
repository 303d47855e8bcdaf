package rows

import (
	"context"
	"sync/atomic"
)

// shellRun is how many leaves a worker takes at a time.
const shellRun = 64

// shells reports of every slot whether some point lies at a squared distance in (inner, outer] from its point. Points are looked at on all
// processors; what a worker finds holds for both points, so that one may be left out which another has found, and the answer is the same.
func (t *kdTree) shells(ctx context.Context, inner, outer float64) ([]atomic.Bool, error) {
	found := make([]atomic.Bool, len(t.id))
	err := t.eachRun(ctx, func() func(from, to int32) {
		p := make([]float64, t.d)
		return func(from, to int32) {
			for slot := from; slot < to; slot++ {
				if t.id[slot] < 0 || found[slot].Load() {
					continue
				}
				if other := t.between(t.point(p, slot), inner, outer); other >= 0 {
					found[slot].Store(true)
					found[other].Store(true)
				}
			}
		}
	})
	return found, err
}

// eachRun hands out the slots of all leaves, some leaves at a time, to as many workers as there are processors, each with a function of its own.
func (t *kdTree) eachRun(ctx context.Context, worker func() func(from, to int32)) error {
	leaves := len(t.id) / kdFan
	together((leaves+shellRun-1)/shellRun, func() func(run int) {
		do := worker()
		return func(run int) {
			if ctx.Err() == nil {
				do(int32(run*shellRun*kdFan), int32(min((run+1)*shellRun, leaves)*kdFan))
			}
		}
	})
	return ctx.Err()
}
