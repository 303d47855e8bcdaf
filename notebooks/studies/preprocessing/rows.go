package preprocessing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/frames"
)

// rows are labelled rows in the unit ball.
type rows struct {
	x [][]float64
	y []float64
}

// population draws rows as the paper describes its own: two classes of one normal cluster each around opposite sides of corners of a
// cube in rank dimensions (Guyon 2003, the recipe of make_classification), 1 % of the labels turned, mapped at random to all
// columns, with 1 % of the energy as noise in every direction, so that the rank is approximate. They are divided by a norm that
// one row in a hundred of another draw exceeds (public: it is of the population), and those that are longer are shortened.
type population struct {
	rank, columns int
	classes       [2]struct {
		centre []float64
		mix    *mat.Dense
	}
	embed  *mat.Dense
	noise  float64
	radius float64
}

func newPopulation(rng *rand.Rand, rank, columns int) population {
	p := population{rank: rank, columns: columns, radius: 1}
	uniform := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		for i := range r {
			for j := range c {
				m.Set(i, j, 2*rng.Float64()-1)
			}
		}
		return m
	}
	for k := range p.classes {
		c := &p.classes[k]
		c.mix = uniform(rank, rank)
		for range rank {
			c.centre = append(c.centre, float64(2*rng.IntN(2)-1))
		}
	}
	p.embed = uniform(rank, columns)
	sample := p.draw(rng, 500)
	energy, norms := 0.0, make([]float64, len(sample.x))
	for i, x := range sample.x {
		norms[i] = norm(x)
		energy += norms[i] * norms[i] / float64(len(sample.x))
	}
	p.noise = math.Sqrt(0.01 * energy / float64(columns))
	slices.Sort(norms)
	p.radius = norms[len(norms)*99/100]
	return p
}

func (p population) draw(rng *rand.Rand, n int) rows {
	out := rows{make([][]float64, n), make([]float64, n)}
	g, z := make([]float64, p.rank), make([]float64, p.rank)
	for i := range n {
		k := i % 2
		c := p.classes[k]
		for j := range g {
			g[j] = rng.NormFloat64()
		}
		copy(z, c.centre)
		for a, v := range g {
			for j, m := range c.mix.RawRowView(a) {
				z[j] += v * m
			}
		}
		x := make([]float64, p.columns)
		for j := range x {
			x[j] = p.noise * rng.NormFloat64()
		}
		for a, v := range z {
			for j, m := range p.embed.RawRowView(a) {
				x[j] += v * m
			}
		}
		for j := range x {
			x[j] /= p.radius
		}
		if rng.Float64() < 0.01 {
			k = 1 - k
		}
		out.x[i], out.y[i] = x, float64(k)
	}
	return out
}

// clip shortens rows to a radius.
func (r rows) clip(radius float64) rows {
	out := rows{make([][]float64, len(r.x)), r.y}
	for i, x := range r.x {
		out.x[i] = slices.Clone(x)
		if s := radius / norm(x); s < 1 {
			for j := range x {
				out.x[i][j] *= s
			}
		}
	}
	return out
}

// components are the leading eigenvalues of XᵀX/n, the largest first, and the directions of the first k as columns, by way of XXᵀ/n, which
// has the same eigenvalues and fewer numbers where columns are many.
func (r rows) components(k int) (values []float64, directions *mat.Dense, err error) {
	n := len(r.x)
	x := r.matrix()
	second := mat.NewSymDense(n, nil)
	second.SymOuterK(1/float64(n), x)
	var e mat.EigenSym
	if !e.Factorize(second, true) {
		return nil, nil, fmt.Errorf("preprocessing study: the eigenvalues did not converge")
	}
	values = e.Values(nil)
	slices.Reverse(values)
	var all mat.Dense
	e.VectorsTo(&all)
	directions = new(mat.Dense)
	directions.Mul(x.T(), all.Slice(0, n, n-k, n))
	for j := range k { // ‖Xᵀu‖² = nλ
		scale := 1 / math.Sqrt(float64(n)*values[k-1-j])
		for i := range len(r.x[0]) {
			directions.Set(i, j, directions.At(i, j)*scale)
		}
	}
	return values, directions, nil
}

// project maps rows onto the span of directions: x ↦ VVᵀx.
func (r rows) project(v *mat.Dense) rows {
	return r.times(v).times(v.T())
}

// times are rows times a matrix: their coordinates along its columns.
func (r rows) times(m mat.Matrix) rows {
	var y mat.Dense
	y.Mul(r.matrix(), m)
	out := rows{make([][]float64, len(r.x)), r.y}
	for i := range out.x {
		out.x[i] = slices.Clone(y.RawRowView(i))
	}
	return out
}

func (r rows) matrix() *mat.Dense { return mat.NewDense(len(r.x), len(r.x[0]), slices.Concat(r.x...)) }

// frame is a table of the rows, with public bounds 1.
func (r rows) frame() (*frames.Frame, error) {
	var columns []frames.Column
	for j := range r.x[0] {
		columns = append(columns, frames.Numeric(fmt.Sprint("x", j+1), -1, 1))
	}
	schema, err := frames.NewSchema(append(columns, frames.Label("y", "0", "1"))...)
	if err != nil {
		return nil, err
	}
	return frames.FromBlock(schema, &frames.Block{Rows: len(r.x), Cols: len(columns), X: slices.Concat(r.x...), Y: r.y})
}

func norm(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return math.Sqrt(s)
}
