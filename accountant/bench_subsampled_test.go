package accountant

import (
	"fmt"
	"testing"
)

// distinctSteps are n steps with distinct rates and noises, as of a schedule.
func distinctSteps(n int, rel Neighbours) Event {
	events := make([]Event, n)
	for i := range events {
		x := float64(i) / float64(n)
		events[i] = SubsampledGaussian{C: 1, Sigma: 0.8 + 1.5*x, Sampling: PoissonSampling(0.001 + 0.009*x), Neighbours: rel}
	}
	return Compose(events...)
}

// BenchmarkDistinctSteps prices 1e4 distinct steps, from the events to ε.
func BenchmarkDistinctSteps(b *testing.B) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		e := distinctSteps(10_000, rel)
		b.Run(rel.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := EpsilonOf(e, rel, 1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCalibrateSGD(b *testing.B) {
	budget := Budget{Epsilon: 3, Delta: 1e-5}
	plans := map[string]SGDPlan{
		"add-remove":            {C: 1, Sampling: PoissonSampling(256. / 60000), Steps: 14063, Neighbours: AddRemove},
		"replace-one":           {C: 1, Sampling: PoissonSampling(256. / 60000), Steps: 14063, Neighbours: ReplaceOne},
		"without replacement":   {C: 1, Sampling: BatchSampling(256, 60000), Steps: 14063, Neighbours: ReplaceOne},
		"add-remove displaced":  {C: 1, Sampling: PoissonSampling(256. / 60000), Steps: 14063, Neighbours: AddRemove, Shift: DisplacedRows{Rows: 59999, Each: 0.001, Total: 2}},
		"replace-one displaced": {C: 1, Sampling: PoissonSampling(256. / 60000), Steps: 14063, Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 59999, Each: 0.001, Total: 2}},
	}
	for name, p := range plans {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := CalibrateSGD(budget, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStep prices one step at one order.
func BenchmarkStep(b *testing.B) {
	for _, e := range []SubsampledGaussian{
		{C: 1, Sigma: 1, Sampling: PoissonSampling(0.01), Neighbours: AddRemove},
		{C: 1, Sigma: 1, Sampling: PoissonSampling(0.01), Neighbours: ReplaceOne},
		{C: 1, Sigma: 1, Sampling: BatchSampling(100, 10000), Neighbours: ReplaceOne},
		{C: 1, Sigma: 1, Sampling: PoissonSampling(0.01), Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 9999, Each: 0.004, Total: 8}},
	} {
		curve, err := e.RDP(e.Neighbours)
		if err != nil {
			b.Fatal(err)
		}
		for _, alpha := range []float64{2.5, 12, 60.5} {
			b.Run(fmt.Sprintf("%v/order %g", e, alpha), func(b *testing.B) {
				for b.Loop() {
					curve(alpha)
				}
			})
		}
	}
}
