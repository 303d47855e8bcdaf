package pdp

import (
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// chiQuantiles keeps quantiles, which are functions of public numbers: every report of as many coefficients asks for the same ones.
var chiQuantiles struct {
	mu   sync.Mutex
	kept map[chiQuery]float64
}

type chiQuery struct {
	k   int
	rho float64
}

// chiQuantile is a number that the norm of a normal vector exceeds with a probability of at most rho, rounded up.
func chiQuantile(k int, rho float64) float64 {
	c := &chiQuantiles
	key := chiQuery{k, rho}
	c.mu.Lock()
	v, ok := c.kept[key]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = computeChiQuantile(k, rho)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= 512 {
		c.kept = map[chiQuery]float64{}
	}
	c.kept[key] = v
	return v
}

func computeChiQuantile(k int, rho float64) float64 {
	want := quad.Log(rho)
	lo, hi := 0.0, math.Sqrt(float64(k))+math.Sqrt(-2*want) // Laurent, Massart 2000
	for range 60 {
		if mid := (lo + hi) / 2; quad.LogChiSquareSF(mid*mid, k) <= want {
			hi = mid
		} else {
			lo = mid
		}
	}
	return quad.Inflate(hi, 0x1p-40)
}
