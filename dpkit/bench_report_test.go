package dpkit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
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
			m := &rows.Matrix{Cols: d, X: make([]float64, n*d), Y: make([]float64, n), Domain: benchSchema(d)}
			for i := range m.X {
				m.X[i] = (rng.Float64() - 0.5) / 8
			}
			for i := range m.Y {
				m.Y[i] = float64(rng.IntN(2))
			}
			pl := &glm.CalibratedObjective{Objective: glm.NewObjective(d, 1, n, glm.LogisticLoss{Positive: 1}), Sigma: 5}
			pl.Lambda = 5
			theta := make([]float64, d+1)
			at, err := pl.LossSums(context.Background(), rows.InProcess{In: m}, theta)
			if err != nil {
				b.Fatal(err)
			}
			release := pdp.ObjectivePerturbation{Theta: theta, Sigma: pl.Sigma, Lambda: pl.Lambda, Loss: pdp.Logistic{}}
			for i := range d + 1 {
				for j := range i {
					at.Hessian[i*(d+1)+j] = at.Hessian[j*(d+1)+i]
				}
			}
			a, err := release.AuditOf(at.Gradient, at.Hessian, n)
			if err != nil {
				b.Fatal(err)
			}
			sum := make([]float64, d*d)
			var losses, gram time.Duration
			for b.Loop() {
				from := time.Now()
				if _, err := pl.Losses(context.Background(), m, a); err != nil {
					b.Fatal(err)
				}
				mid := time.Now()
				if err := linalg.SumGram(sum, m.X, n, d, d); err != nil {
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
