package dpkit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// BenchmarkLosses is the audit of the losses of 1e6 rows from their sums on, beside the Gram matrix of the same rows in the same
// run: gram/op is what the audit takes in units of that.
func BenchmarkLosses(b *testing.B) {
	for _, d := range []int{20, 50} {
		b.Run(fmt.Sprintf("1e6x%d", d), func(b *testing.B) {
			const n = 1_000_000
			rng := rand.New(rand.NewPCG(1, 2))
			m := &matrix{cols: d, x: make([]float64, n*d), y: make([]float64, n), schema: benchSchema(d)}
			for i := range m.x {
				m.x[i] = (rng.Float64() - 0.5) / 8
			}
			for i := range m.y {
				m.y[i] = float64(rng.IntN(2))
			}
			pl := &objectivePlan{objective: newObjective(d, 1, n, logisticLoss{positive: 1}), sigma: 5}
			pl.lambda = 5
			theta := make([]float64, d+1)
			at, err := pl.lossSums(context.Background(), inProcess{m}, theta)
			if err != nil {
				b.Fatal(err)
			}
			release := pdp.ObjectivePerturbation{Theta: theta, Sigma: pl.sigma, Lambda: pl.lambda, Loss: pdp.Logistic{}}
			for i := range d + 1 {
				for j := range i {
					at.hessian[i*(d+1)+j] = at.hessian[j*(d+1)+i]
				}
			}
			a, err := release.AuditOf(at.gradient, at.hessian, n)
			if err != nil {
				b.Fatal(err)
			}
			sum := make([]float64, d*d)
			var losses, gram time.Duration
			for b.Loop() {
				from := time.Now()
				if _, err := pl.losses(context.Background(), m, a); err != nil {
					b.Fatal(err)
				}
				mid := time.Now()
				if err := linalg.SumGram(sum, m.x, n, d, d); err != nil {
					b.Fatal(err)
				}
				losses, gram = losses+mid.Sub(from), gram+time.Since(mid)
			}
			b.ReportMetric(float64(losses)/float64(gram), "gram/op")
			b.ReportMetric(losses.Seconds()/float64(b.N)/n*1e9, "ns/row")
		})
	}
}

func benchSchema(d int) frames.Schema {
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -1, 1))
	}
	return must(frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...))
}
