package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// A cloud is a mixture of Gaussians in the plane with unit noise.
type cloud struct {
	p []float64
	c [][2]float64
}

func (m cloud) density(x, y float64) float64 {
	sum := 0.0
	for i, p := range m.p {
		dx, dy := x-m.c[i][0], y-m.c[i][1]
		sum += p * math.Exp(-(dx*dx+dy*dy)/2)
	}
	return sum
}

// divergence is D_α(m‖o) by the trapezoid rule, on the line where no centre is off it.
func (m cloud) divergence(o cloud, alpha float64) float64 {
	const h, reach = 0.35, 8
	var lo, hi [2]float64
	for _, c := range append(append([][2]float64{}, m.c...), o.c...) {
		for k := range 2 {
			lo[k], hi[k] = min(lo[k], c[k]), max(hi[k], c[k])
		}
	}
	// P^α Q^{1−α} can have its mass beyond the centres, up to α times their spread.
	for k := range 2 {
		spread := (alpha - 1) * (hi[k] - lo[k])
		lo[k], hi[k] = lo[k]-spread-reach, hi[k]+spread+reach
	}
	flat := true
	for _, c := range append(append([][2]float64{}, m.c...), o.c...) {
		flat = flat && c[1] == 0
	}
	pow := newPower(alpha)
	sum := 0.0
	add := func(x, y, w float64) {
		if q := o.density(x, y); q > 1e-300 {
			sum += w * q * pow.excess(m.density(x, y)/q-1)
		}
	}
	for x := lo[0]; x <= hi[0]; x += h {
		if flat {
			add(x, 0, h/math.Sqrt(2*math.Pi))
			continue
		}
		for y := lo[1]; y <= hi[1]; y += h {
			add(x, y, h*h/(2*math.Pi))
		}
	}
	return math.Log1p(sum) / (alpha - 1)
}

// mixtures are the laws of a step on two tables, by enumeration of the batches. A row that is absent has the gradient 0.
func mixtures(s Sampling, a, b [][2]float64) (p, q cloud) {
	n := len(a)
	for set := range 1 << n {
		weight, size := 1.0, 0
		var x, y [2]float64
		for i := range n {
			if set>>i&1 == 0 {
				weight *= 1 - s.Rate
				continue
			}
			size++
			weight *= s.Rate
			for k := range 2 {
				x[k] += a[i][k]
				y[k] += b[i][k]
			}
		}
		if s.Kind == WithoutReplacement {
			if size != s.Batch {
				continue
			}
			weight = 1
		}
		p.p, p.c = append(p.p, weight), append(p.c, x)
		q.p, q.c = append(q.p, weight), append(q.c, y)
	}
	total := 0.0
	for _, w := range p.p {
		total += w
	}
	for i := range p.p {
		p.p[i] /= total
		q.p[i] /= total
	}
	return p, q
}

// TestStepSound searches for gradients at which a step loses more than its price: tables of a few rows, on the line
// and in the plane, with gradients at random and at the extremes, enumerated exactly.
func TestStepSound(t *testing.T) {
	for _, c := range []struct {
		name  string
		e     SubsampledGaussian
		tight float64 // lower limit of the worst observed/bound
	}{
		{"add/remove", SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(0.2), Neighbours: AddRemove}, 0.999999},
		{"add/remove displaced", SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(0.2), Neighbours: AddRemove, Shift: DisplacedRows{Rows: 2, Each: 0.3, Total: 0.5}}, 0.8},
		{"replace-one", SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(0.2), Neighbours: ReplaceOne}, 0.999999},
		{"replace-one displaced", SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(0.2), Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 2, Each: 0.3, Total: 0.5}}, 0.8},
		{"replace-one displaced, much noise", SubsampledGaussian{C: 1, Sigma: 4, Sampling: PoissonSampling(0.2), Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 3, Each: 0.4, Total: 0.8}}, 0.8},
		{"without replacement", SubsampledGaussian{C: 1, Sigma: 2, Sampling: BatchSampling(1, 4), Neighbours: ReplaceOne}, 0.5},
		{"without replacement displaced", SubsampledGaussian{C: 1, Sigma: 2, Sampling: BatchSampling(1, 4), Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 2, Each: 0.3, Total: 0.5}}, 0.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			single.Goroutine(t)
			rng := rand.New(rand.NewPCG(61, 62))
			worst := 0.0
			for _, alpha := range []float64{1.2, 2, 3.5, 8} {
				bound := mustCurve(t, c.e, c.e.Neighbours)(alpha)
				for trial := range 120 {
					plane := trial%8 == 7
					a, b := searchTables(rng, c.e, plane, trial)
					p, q := mixtures(c.e.Sampling, a, b)
					worst = max(worst, p.divergence(q, alpha)/bound, q.divergence(p, alpha)/bound)
				}
			}
			if !(worst <= 1+1e-9 && worst >= c.tight) {
				t.Errorf("worst observed/bound %.12g, want %g to 1", worst, c.tight)
			}
			t.Logf("worst observed/bound %.6g", worst)
		})
	}
}

// searchTables draws two tables of gradients, in units of the noise, that the event's constants allow.
func searchTables(rng *rand.Rand, e SubsampledGaussian, plane bool, trial int) (a, b [][2]float64) {
	vector := func(length float64) [2]float64 {
		if plane {
			phi := 2 * math.Pi * rng.Float64()
			return [2]float64{length * math.Cos(phi), length * math.Sin(phi)}
		}
		return [2]float64{length * float64(1-2*rng.IntN(2)), 0}
	}
	scale := func() float64 {
		if trial%2 == 0 {
			return 1
		}
		return rng.Float64()
	}
	rows := 4
	if e.Sampling.Kind == Poisson {
		rows = 1 + e.Shift.Rows + rng.IntN(2)
	}
	clip := func(v [2]float64) [2]float64 {
		if n := math.Hypot(v[0], v[1]); n > e.C {
			v[0], v[1] = v[0]*e.C/n, v[1]*e.C/n
		}
		return v
	}
	left := e.Shift.Total
	for i := range rows {
		x := vector(e.C * scale())
		y := x
		switch {
		case i == 0 && e.Neighbours == AddRemove:
			y = [2]float64{}
		case i == 0 && trial%4 == 0:
			y = [2]float64{-x[0], -x[1]}
		case i == 0:
			y = vector(e.C * scale())
		default:
			if trial%3 == 0 {
				x = [2]float64{}
				y = x
			}
			if i <= e.Shift.Rows {
				step := min(e.Shift.Each, left) * scale()
				left -= step
				d := vector(step)
				if trial%4 == 0 { // away from the free row's gradient
					n := math.Hypot(a[0][0], a[0][1])
					d = [2]float64{-step * a[0][0] / n, -step * a[0][1] / n}
				}
				y = clip([2]float64{x[0] + d[0], x[1] + d[1]})
			}
		}
		a, b = append(a, x), append(b, y)
	}
	for i := range a {
		for k := range 2 {
			a[i][k] /= e.Sigma
			b[i][k] /= e.Sigma
		}
	}
	return a, b
}
