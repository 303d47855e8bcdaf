package correlation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// exactMoments are those of rows, each of two numbers in [−1, 1].
func exactMoments(rows [][2]float64) (m moments, covariance, correlation float64) {
	m.n = float64(len(rows))
	for _, r := range rows {
		for i, u := range r {
			m.a[i] += u
			m.d[i] += u * u
		}
		m.q += r[0] * r[1]
	}
	p, q := m.a[0]/m.n, m.a[1]/m.n
	covariance = m.q/m.n - p*q
	return m, covariance, covariance / math.Sqrt((m.d[0]/m.n-p*p)*(m.d[1]/m.n-q*q))
}

// TestIntervalsCover: over draws of the noise intervals hold the exact covariance and correlation as often as they say, for columns in the middle
// of their bounds and at their ends, of equal and of very different spread, of every correlation, and where the number of rows is noisy too. A
// false alarm has a probability below 1e-9 by Hoeffding's bound.
func TestIntervalsCover(t *testing.T) {
	const draws = 1200
	miss := math.Sqrt(math.Log(1e12) / (2 * draws)) // Hoeffding, for each of the cases below
	type columns struct {
		name                string
		mean, sd            [2]float64
		rho                 float64
		n                   int
		sigma, count, level float64
	}
	var cases []columns
	for _, rho := range []float64{-0.95, 0, 0.3, 1} {
		for _, noisy := range []float64{0, 1} {
			cases = append(cases,
				columns{"middle", [2]float64{0, 0}, [2]float64{0.4, 0.4}, rho, 2000, 30, noisy, 0.95},
				columns{"off the middle", [2]float64{0.6, -0.7}, [2]float64{0.2, 0.2}, rho, 2000, 6, noisy, 0.95},
				columns{"one is narrow", [2]float64{0.5, 0.5}, [2]float64{0.05, 0.4}, rho, 4000, 1.5, noisy, 0.95},
				columns{"little is known", [2]float64{0.3, 0.3}, [2]float64{0.3, 0.3}, rho, 300, 10, noisy, 0.9})
		}
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %g %v", c.name, c.rho, c.count > 0), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(100*(c.rho+2))))
			rows := make([][2]float64, c.n)
			for i := range rows {
				x := rng.NormFloat64()
				y := c.rho*x + math.Sqrt(1-c.rho*c.rho)*rng.NormFloat64()
				for j, v := range [2]float64{x, y} {
					rows[i][j] = min(max(c.mean[j]+c.sd[j]*v, -1), 1)
				}
			}
			exact, covariance, correlation := exactMoments(rows)
			missed := map[string]int{}
			width := 0.0
			for range draws {
				m := exact
				m.sumSD, m.squareSD, m.countSD = c.sigma, math.Sqrt2*c.sigma, c.count*math.Sqrt2*c.sigma
				m.n += m.countSD * rng.NormFloat64()
				for i := range 2 {
					m.a[i] += m.sumSD * rng.NormFloat64()
					m.d[i] += m.squareSD * rng.NormFloat64()
				}
				m.q += m.sumSD * rng.NormFloat64()
				one := m
				one.same, one.q, one.a[1], one.d[1] = true, m.d[0], m.a[0], m.d[0]
				variance := exact.d[0]/exact.n - math.Pow(exact.a[0]/exact.n, 2)
				for _, w := range []struct {
					name string
					cell Cell
					true float64
				}{{"correlation", m.correlation(c.level), correlation}, {"covariance", m.covariance(c.level), covariance}, {"variance", one.covariance(c.level), variance}} {
					if !(w.cell.Low <= w.cell.Value && w.cell.Value <= w.cell.High) {
						t.Fatalf("%s: got %+v, want the value in its interval", w.name, w.cell)
					}
					if w.true < w.cell.Low-1e-9 || w.true > w.cell.High+1e-9 {
						missed[w.name]++
					}
				}
				cell := m.correlation(c.level)
				width += (cell.High - cell.Low) / draws
			}
			for name, k := range missed {
				if share := float64(k) / draws; share > 1-c.level+miss {
					t.Errorf("%s: missed in %.4f of the draws, want at most %.4f", name, share, 1-c.level)
				}
			}
			t.Logf("exact %.3f, mean width %.3f, missed %v of %d", correlation, width, missed, draws)
		})
	}
}

// TestIntervalsWithoutNoise: of public data they are the numbers.
func TestIntervalsWithoutNoise(t *testing.T) {
	m, covariance, correlation := exactMoments([][2]float64{{-1, 0.5}, {0.25, -0.5}, {0.75, 1}, {1, 1}})
	for _, c := range []struct {
		got  Cell
		want float64
	}{{m.correlation(0.95), correlation}, {m.covariance(0.95), covariance}} {
		if math.Abs(c.got.Value-c.want) > 1e-12 || c.got.Low != c.got.Value || c.got.High != c.got.Value {
			t.Errorf("got %+v, want %v", c.got, c.want)
		}
	}
}

// TestConstantColumns: where the noise leaves open whether a column varies at all, or whether there are rows, nothing is said of its correlation.
func TestConstantColumns(t *testing.T) {
	for name, m := range map[string]moments{
		"constant": {n: 100, a: [2]float64{50, 10}, d: [2]float64{25, 30}, q: 5, sumSD: 4, squareSD: 6},
		"no rows":  {n: -3, countSD: 5, a: [2]float64{1, 2}, d: [2]float64{3, 4}, q: 1, sumSD: 4, squareSD: 6},
	} {
		if c := m.correlation(0.95); c.Low != -1 || c.High != 1 {
			t.Errorf("%s: got %+v, want [-1, 1]", name, c)
		}
	}
}
