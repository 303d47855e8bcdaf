package main

import (
	"context"
	"runtime"
	"sync"
)

// bandwidthCases are what the machine gives: its memory, as a floor of cases that read a table once (means, descent) or write it anew, and its
// arithmetic, whose gain is the most that a case can have (processors that share a core, or slow down together, have less than their number).
func bandwidthCases() []benchCase {
	nothing := func(string, int) error { return nil }
	return []benchCase{
		{"plain read", 1, nothing, plain(func(_, from []float64) float64 {
			var sums [8]float64
			for ; len(from) >= len(sums); from = from[len(sums):] {
				for k := range sums {
					sums[k] += from[k]
				}
			}
			return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]
		}), nil},
		{"plain arithmetic", 1, nothing, plain(func(_, from []float64) float64 {
			// Eight sums in registers: as many additions at a time as a core can begin while the first of them goes on.
			var a, b, c, d, e, f, g, h float64
			for range 2 * len(from) {
				a, b, c, d, e, f, g, h = a+1, b+2, c+3, d+4, e+5, f+6, g+7, h+8
			}
			return a + b + c + d + e + f + g + h
		}), nil},
		{"plain copy", 1, nothing, plain(func(to, from []float64) float64 { copy(to, from); return 0 }), nil},
	}
}

// plain does something to a table of the numbers' size, a part by each processor.
func plain(part func(to, from []float64) float64) func(context.Context, string, int) (func(context.Context) error, error) {
	return func(_ context.Context, _ string, rows int) (func(context.Context) error, error) {
		from, to := make([]float64, rows*width), make([]float64, rows*width)
		for i := range from {
			from[i], to[i] = 1, 1 // memory that was never written is not there
		}
		procs := runtime.GOMAXPROCS(0)
		sums := make([]float64, procs)
		return func(context.Context) error {
			var all sync.WaitGroup
			for p := range procs {
				all.Go(func() {
					a, b := p*len(from)/procs, (p+1)*len(from)/procs
					sums[p] = part(to[a:b], from[a:b])
				})
			}
			all.Wait()
			return nil
		}, nil
	}
}
