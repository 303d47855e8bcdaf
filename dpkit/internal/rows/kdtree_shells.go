package rows

import (
	"context"
	"runtime"
	"sync/atomic"
)

// shellRun is how many leaves a worker takes at a time.
const shellRun = 64

// shells reports of every slot whether some point lies at a squared distance in (inner, outer] from its point. Points are looked at on all
// processors; what a worker finds holds for both points, so that one may be left out which another has found, and the answer is the same.
func (t *kdTree) shells(ctx context.Context, inner, outer float64) ([]atomic.Bool, error) {
	found := make([]atomic.Bool, len(t.id))
	leaves := len(t.id) / kdFan
	var next atomic.Int64
	work := func() {
		p := make([]float64, t.d)
		for ctx.Err() == nil {
			from := int(next.Add(shellRun)) - shellRun
			if from >= leaves {
				return
			}
			for slot := from * kdFan; slot < min(from+shellRun, leaves)*kdFan; slot++ {
				if t.id[slot] < 0 || found[slot].Load() {
					continue
				}
				if other := t.between(t.point(p, int32(slot)), inner, outer); other >= 0 {
					found[slot].Store(true)
					found[other].Store(true)
				}
			}
		}
	}
	var c crew
	for range min(runtime.GOMAXPROCS(0), (leaves+shellRun-1)/shellRun) - 1 {
		c.Go(func() { c.do(work) })
	}
	work()
	c.finish()
	return found, ctx.Err()
}
