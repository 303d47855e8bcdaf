package accountant

import (
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/internal/memo"
)

// logisticBends keeps, for calibrations of the logistic loss that leave Λ open, between which bends C²/Λ the Gaussian pair stops
// dominating: by C/σ and μ alone, so that other bounds on the rows' norms at the same budget are searched near there only. What is
// found is priced again; see [composable.certify].
var logisticBends bends

type bends struct {
	mu   sync.Mutex
	kept map[[2]float64]*[2]float64 // C/σ and μ of a row, rounded → the largest bend that was seen to hold, the least that was seen to fail
}

// dominatedBy is l.dominatedBy(mu) for a loss that is dominated at all smaller bends where it is dominated at one.
func (b *bends) dominatedBy(mu float64, l objectiveLoss) bool {
	// C/σ is off by roundings where C is another, and the bend at which it turns by little more; near it the answer is sought anew, as
	// it may turn more than once where the profiles all but touch, and must not depend on what was asked before.
	const digits, apart = 0x1p40, 0x1p-12
	round := func(x float64) float64 {
		f, e := math.Frexp(x)
		return math.Ldexp(math.Round(f*digits)/digits, e)
	}
	key := [2]float64{round(l.s), round(mu)}
	b.mu.Lock()
	if len(b.kept) > memo.Size {
		b.kept = nil
	}
	if b.kept == nil {
		b.kept = map[[2]float64]*[2]float64{}
	}
	at := b.kept[key]
	if at == nil {
		at = &[2]float64{0, math.Inf(1)}
		b.kept[key] = at
	}
	holds, fails := at[0], at[1]
	b.mu.Unlock()
	switch {
	case l.bend <= holds*(1-apart):
		return true
	case l.bend >= fails*(1+apart):
		return false
	}
	ok := l.dominatedBy(mu)
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		at[0] = max(at[0], l.bend)
	} else {
		at[1] = min(at[1], l.bend)
	}
	return ok
}
