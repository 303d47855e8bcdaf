package main

import (
	"context"
	"runtime"
	"sync"
)

// bandwidthCases are what the machine's memory gives, as a floor of cases that read a table once (means, descent) or write it anew.
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
