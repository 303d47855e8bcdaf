package population

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sample are rows of the population with labels, and their best model.
func (r Rows) sample(rng *rand.Rand, n int, m Margins) (x [][]float64, y, best []float64) {
	var values []float64
	for _, d := range r.directions(m) {
		for range int(d.count) {
			values = append(values, d.value)
			best = append(best, math.Sqrt(d.norm2/d.count))
		}
	}
	last := len(values) - 1
	best[last] = m.Shift / r.Constant
	for range n {
		row := make([]float64, len(values))
		z := 0.0
		for j, v := range values {
			row[j] = math.Sqrt(v) * rng.NormFloat64()
			if j == last {
				row[j] = r.Constant
			}
			z += row[j] * best[j]
		}
		x = append(x, row)
		label := -1.0
		if rng.Float64() < sigmoid(z) {
			label = 1
		}
		y = append(y, label)
	}
	return x, y, best
}

// TestDescentFollowsRecursion: real descents on rows of the population have the predicted accuracy and loss.
func TestDescentFollowsRecursion(t *testing.T) {
	for _, c := range []struct {
		d     int
		shape Shape
		noise float64
		ball  float64
	}{
		{8, Shape{Fill: 0.1, Decay: 1, Tilt: 1}, 0.002, 24},
		{8, Shape{Fill: 0.1, Decay: 1, Tilt: 1}, 0.02, 24},
		{60, Shape{Fill: 0.3, Decay: 0}, 0.005, 24},
		{60, Shape{Fill: 0.1, Decay: 1, Tilt: 1}, 0.005, 100},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			m := Margins{Shift: -0.7, Deviation: 1.5}
			r := c.shape.Rows(c.d, 1, 0.5)
			const n = 6000
			x, y, best := r.sample(rng, n, m)
			beta := 1.25 / 4
			d := Descent{Steps: 120, Size: func(int) float64 { return 2 / beta }, Momentum: 0.75, Noise: c.noise, Ball: c.ball, From: 60}
			f := d.Run(r, m, Logistic)
			const runs = 6
			var loss, acc, lossBest, accBest float64
			score := func(w []float64) (l, a float64) {
				for i, row := range x {
					z := 0.0
					for j, v := range row {
						z += v * w[j]
					}
					l += math.Log1p(math.Exp(-y[i]*z)) / n
					if y[i]*z > 0 {
						a += 1. / n
					}
				}
				return
			}
			lossBest, accBest = score(best)
			for range runs {
				w, last, mean := make([]float64, len(best)), make([]float64, len(best)), make([]float64, len(best))
				g := make([]float64, len(best))
				for s := range d.Steps {
					clear(g)
					for i, row := range x {
						z := 0.0
						for j, v := range row {
							z += v * w[j]
						}
						k := -y[i] * sigmoid(-y[i]*z) / n
						for j, v := range row {
							g[j] += k * v
						}
					}
					norm := 0.0
					for j := range w {
						ahead := d.Momentum * (w[j] - last[j])
						last[j] = w[j]
						w[j] += ahead - d.Size(s)*(g[j]+d.Noise*rng.NormFloat64())
						norm += w[j] * w[j]
					}
					if norm > d.Ball*d.Ball {
						for j := range w {
							w[j] *= d.Ball / math.Sqrt(norm)
						}
					}
					if s >= d.From {
						for j := range w {
							mean[j] += (w[j] - mean[j]) / float64(s-d.From+1)
						}
					}
				}
				l, a := score(mean)
				loss += l / runs
				acc += a / runs
			}
			t.Logf("excess %.4f predicted %.4f; drop %.4f predicted %.4f (best %.4f vs %.4f, loss %.4f %.4f)", loss-lossBest, m.LogLoss(f)-m.LogLoss(m.best()), accBest-acc, m.Accuracy(m.best())-m.Accuracy(f), accBest, m.Accuracy(m.best()), lossBest, m.LogLoss(m.best()))
		})
	}
}

func BenchmarkDescent(b *testing.B) {
	m := Margins{Shift: -0.7, Deviation: 1.5}
	r := Shape{Fill: 0.1, Decay: 1, Tilt: 1}.Rows(784, 1, 0.5)
	d := Descent{Steps: 400, Size: func(int) float64 { return 6 }, Momentum: 0.8, Noise: 0.001, Ball: 24, From: 200}
	for range b.N {
		d.Run(r, m, Logistic)
	}
}
