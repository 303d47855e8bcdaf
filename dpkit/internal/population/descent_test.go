package population

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// drawn are rows of a population with labels, and its best model.
type drawn struct{ x, y, best []float64 }

// draw draws them; the constant feature is last.
func (r Rows) draw(rng *rand.Rand, n int, m Margins) (s drawn) {
	var values []float64
	for _, d := range r.directions(m) {
		for range int(d.count) {
			values, s.best = append(values, d.value), append(s.best, math.Sqrt(d.norm2/d.count))
		}
	}
	last := len(values) - 1
	s.best[last] = m.Shift / r.Constant
	for range n {
		z := 0.0
		for j, v := range values {
			c := r.Constant
			if j != last {
				c = math.Sqrt(v) * rng.NormFloat64()
			}
			s.x = append(s.x, c)
			z += c * s.best[j]
		}
		label := -1.0
		if rng.Float64() < sigmoid(z) {
			label = 1
		}
		s.y = append(s.y, label)
	}
	return s
}

func (s drawn) margin(i int, w []float64) (z float64) {
	for j, v := range w {
		z += v * s.x[i*len(w)+j]
	}
	return z
}

// gradient adds the mean gradient of the logistic loss.
func (s drawn) gradient(g, w []float64) {
	for i, y := range s.y {
		k := -y * sigmoid(-y*s.margin(i, w)) / float64(len(s.y))
		for j := range w {
			g[j] += k * s.x[i*len(w)+j]
		}
	}
}

// score is the mean loss and the share of rows that are told right.
func (s drawn) score(w []float64) (loss, right float64) {
	n := float64(len(s.y))
	for i, y := range s.y {
		z := y * s.margin(i, w)
		loss += math.Log1p(math.Exp(-z)) / n
		if z > 0 {
			right += 1 / n
		}
	}
	return loss, right
}

// run is a descent on the rows.
func (d Descent) run(s drawn, rng *rand.Rand) []float64 {
	k := len(s.best)
	w, last, mean, g := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	for t := range d.Steps {
		clear(g)
		s.gradient(g, w)
		norm := 0.0
		for j := range w {
			ahead := d.Momentum * (w[j] - last[j])
			last[j] = w[j]
			w[j] += ahead - d.Size(t)*(g[j]+d.Noise*rng.NormFloat64())
			norm += w[j] * w[j]
		}
		if by := d.Ball / math.Sqrt(norm); by < 1 {
			for j := range w {
				w[j] *= by
			}
		}
		if t >= d.From {
			for j := range w {
				mean[j] += (w[j] - mean[j]) / float64(t-d.From+1)
			}
		}
	}
	return mean
}

// TestDescentFollowsRecursion: noisy descents on rows of a population have its predicted excess loss and accuracy. Their means are off by
// 6 standard errors at most, by the k/n that fitting the rows that one is judged on is worth (half of it, and its chance), and by a tenth
// for what the recursion leaves out: the ball acts on the mean square, and σ is Φ. Seeds are fixed: there are no false alarms.
func TestDescentFollowsRecursion(t *testing.T) {
	const n, runs = 4000, 8
	for k, c := range []struct {
		shape Shape
		noise float64
		ball  float64
		mean  Margins
	}{
		{Shape{Fill: 0.1, Decay: 1, Tilt: 1}, 0.02, 24, Margins{-0.7, 1.5}},
		{Shape{Fill: 0.1, Decay: 1, Tilt: 1}, 0.1, 24, Margins{-0.7, 1.5}},
		{Shape{Fill: 0.5, Decay: 0}, 0.04, 6, Margins{0, 2}},
		{Shape{Fill: 0.1, Decay: 1.5, Tilt: 1}, 0.01, 100, Margins{-1.2, 2}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			single.Goroutine(t)
			rng := rand.New(rand.NewPCG(uint64(k), 2))
			r := c.shape.Rows(8, 1, 0.5)
			s := r.draw(rng, n, c.mean)
			d := Descent{Steps: 60, Size: func(int) float64 { return 6.4 }, Momentum: 0.75, Noise: c.noise, Ball: c.ball, From: 30, Copies: 1}
			f := d.Run(r, c.mean, Logistic)
			compare(t, s, c.mean, f, runs, func() []float64 { return d.run(s, rng) })
		})
	}
}

// compare compares the mean scores of models with what is predicted.
func compare(t *testing.T, s drawn, m Margins, f Fitted, runs int, model func() []float64) {
	t.Helper()
	bestLoss, bestRight := s.score(s.best)
	var sum, squares [2]float64
	for range runs {
		loss, right := s.score(model())
		for i, v := range []float64{loss - bestLoss, bestRight - right} {
			sum[i] += v / float64(runs)
			squares[i] += v * v / float64(runs)
		}
	}
	best := m.best()
	for i, want := range []float64{m.LogLoss(f) - m.LogLoss(best), m.Accuracy(best) - m.Accuracy(f)} {
		se := math.Sqrt(max(squares[i]-sum[i]*sum[i], 0) / float64(runs-1))
		slack := 6*se + 2*float64(len(s.best))/float64(len(s.y)) + 0.1*want
		name := []string{"excess loss", "accuracy lost"}[i]
		t.Logf("%s %.5f ± %.5f, predicted %.5f", name, sum[i], se, want)
		if !(math.Abs(sum[i]-want) <= slack) {
			t.Errorf("%s: got %.5f, predicted %.5f ± %.5f", name, sum[i], want, slack)
		}
	}
}

// TestObjectiveFollowsFixedPoint: so do minimisers of perturbed objectives.
func TestObjectiveFollowsFixedPoint(t *testing.T) {
	single.Goroutine(t)
	const n = 2000
	m := Margins{-0.7, 1.5}
	for k, o := range []Objective{{Rows: n, Ridge: 40, Noise: 15}, {Rows: n, Ridge: 5, Noise: 30}} {
		rng := rand.New(rand.NewPCG(uint64(k), 3))
		r := Shape{Fill: 0.3, Decay: 1, Tilt: 1}.Rows(6, 1, 0.5)
		s := r.draw(rng, n, m)
		compare(t, s, m, o.Run(r, m, Logistic), 8, func() []float64 {
			w, g, b := make([]float64, len(s.best)), make([]float64, len(s.best)), make([]float64, len(s.best))
			for j := range b {
				b[j] = o.Noise * rng.NormFloat64()
			}
			last := make([]float64, len(w))
			for range 150 {
				clear(g)
				s.gradient(g, w)
				for j := range w {
					ahead := 0.8 * (w[j] - last[j])
					last[j] = w[j]
					w[j] += ahead - 3*(g[j]+(o.Ridge*w[j]+b[j])/n)
				}
			}
			return w
		})
	}
}

// TestMoreNoiseIsWorse: on every member of the panel with a signal. Where there is next to none the ridge that comes with noise leads models
// to the majority, which is better than what little noise leaves.
func TestMoreNoiseIsWorse(t *testing.T) {
	for _, member := range Panel {
		if member.Deviation < 2 {
			continue
		}
		r, m := member.Rows(40, 1, 0.5), Margins{-0.5, member.Deviation}
		for name, of := range map[string]func(noise float64) Fitted{
			"descent": func(v float64) Fitted {
				return Descent{Steps: 80, Size: func(int) float64 { return 6.4 }, Momentum: 0.8, Noise: v / 1e3, Ball: 24, From: 40, Copies: 1}.Run(r, m, Logistic)
			},
			"objective": func(v float64) Fitted { return Objective{Rows: 1e4, Ridge: 10, Noise: v}.Run(r, m, Logistic) },
			"sketch": func(v float64) Fitted {
				return Sketch{Rows: 1e4, Added: 10 * v, Freedom: 300, Height: 0.5, Scale: 2}.Run(r, m)
			},
		} {
			last := -1.0
			for _, noise := range []float64{0.1, 1, 10, 100} {
				c := m.Classes(of(noise))
				if lost := c.Exact - c.Accuracy; !(lost >= last-2e-3) {
					t.Errorf("%v, %s: noise %g takes %.5f of the accuracy, less noise %.5f", member, name, noise, lost, last)
				} else {
					last = lost
				}
			}
		}
	}
}

// TestAgree: of two vectors the largest are at the same place by chance where they are independent, and as often as in 10⁵ draws where they are
// not.
func TestAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, k := range []int{2, 10} {
		if got := Agree(k, 0); math.Abs(got-1/float64(k)) > 1e-3 {
			t.Errorf("%d independent: %v", k, got)
		}
		const draws, rho = 100000, 0.8
		same := 0
		for range draws {
			var a, b [2]float64 // the largest, and its place
			a[0], b[0] = math.Inf(-1), math.Inf(-1)
			for j := range k {
				u := rng.NormFloat64()
				v := rho*u + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				if u > a[0] {
					a = [2]float64{u, float64(j)}
				}
				if v > b[0] {
					b = [2]float64{v, float64(j)}
				}
			}
			if a[1] == b[1] {
				same++
			}
		}
		if got, want := Agree(k, rho), float64(same)/draws; math.Abs(got-want) > 7*math.Sqrt(want*(1-want)/draws)+2e-3 {
			t.Errorf("%d: got %v, drawn %v", k, got, want)
		}
	}
}

// TestSurrogateOfLogistic: the logistic loss is its own surrogate, at scale 1 and the mean curvature.
func TestSurrogateOfLogistic(t *testing.T) {
	m := Margins{-1, 2}
	s := m.SurrogateOf(func(z float64) float64 { return -sigmoid(-z) }, func(z float64) float64 { return sigmoid(z) * sigmoid(-z) })
	if _, h := responseOf(-1, 4); math.Abs(s.Scale-1) > 1e-6 || math.Abs(s.Curvature-h) > 0.02 {
		t.Errorf("got %+v, want scale 1 and about %v", s, h)
	}
}

func BenchmarkDescent(b *testing.B) {
	r, m := Classified(784, 0, 1, 0.5)
	d := Descent{Steps: 400, Size: func(int) float64 { return 6 }, Momentum: 0.8, Noise: 0.001, Ball: 24, From: 200, Copies: 1}
	for range b.N {
		d.Run(r, m, Logistic)
	}
}
