package decisions

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/frames"
)

// lowRank are 12 000 rows of 40 columns in [−1, 1] that are near 4 directions: a class decides the side in the first of
// them. One cell in ten is missing, and a third of the rows are copies of another.
func lowRank() (*frames.Frame, string, error) {
	const n, d, rank, copies = 12000, 40, 4, 4000
	random := rand.New(rand.NewPCG(19, 1)) // nothing here is private
	directions := make([][]float64, rank)
	for k := range directions {
		directions[k] = make([]float64, d)
		for j := range d {
			directions[k][j] = random.NormFloat64() / math.Sqrt(rank)
		}
	}
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprintf("x%d", j+1), -1, 1).MayMiss())
	}
	b := &frames.Block{Rows: n, Cols: d}
	for i := range n {
		if i >= n-copies {
			from := random.IntN(n - copies)
			b.X, b.Y = append(b.X, b.Row(from)...), append(b.Y, b.Y[from])
			continue
		}
		z, y := make([]float64, rank), float64(random.IntN(2))
		for k := range z {
			z[k] = random.NormFloat64() / math.Sqrt(float64(k+1))
		}
		z[0] += 1.2 * (2*y - 1)
		for j := range d {
			v := 0.02 * random.NormFloat64()
			for k := range z {
				v += 0.3 * z[k] * directions[k][j]
			}
			if v = min(max(v, -1), 1); random.Float64() < 0.1 {
				v = math.NaN()
			}
			b.X = append(b.X, v)
		}
		b.Y = append(b.Y, y)
	}
	return framed(append(cols, frames.Label("y", "0", "1")), b)
}

// heavyTails are 5 000 rows of 5 columns by Student's law of three degrees of freedom, bounded at ±50 where a half are
// within ±1, and a label that is a linear function of the columns' part within ±3, in [−20, 20].
func heavyTails() (*frames.Frame, string, error) {
	const n, d = 5000, 5
	random := rand.New(rand.NewPCG(19, 2))
	var cols []frames.Column
	weights := make([]float64, d)
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprintf("x%d", j+1), -50, 50))
		weights[j] = random.NormFloat64()
	}
	b := &frames.Block{Rows: n, Cols: d}
	for range n {
		y := random.NormFloat64()
		for j := range d {
			chi := 0.0
			for range 3 {
				g := random.NormFloat64()
				chi += g * g / 3
			}
			v := min(max(random.NormFloat64()/math.Sqrt(chi), -50), 50)
			y += weights[j] * min(max(v, -3), 3)
			b.X = append(b.X, v)
		}
		b.Y = append(b.Y, min(max(y, -20), 20))
	}
	return framed(append(cols, frames.NumericLabel("y", -20, 20)), b)
}

func framed(columns []frames.Column, b *frames.Block) (*frames.Frame, string, error) {
	schema, err := frames.NewSchema(columns...)
	if err != nil {
		return nil, "", err
	}
	f, err := frames.FromBlock(schema, b)
	return f, "simulated", err
}

// normalRows are 5 000 rows of 3 columns without bounds, of normal laws with deviation 1, and the means of the rows.
func normalRows() (*frames.Frame, []float64, error) {
	const n = 5000
	random := rand.New(rand.NewPCG(19, 3))
	centre := []float64{-20, 3, 400}
	var cols []frames.Column
	for j := range centre {
		cols = append(cols, frames.Unbounded(fmt.Sprintf("x%d", j+1)))
	}
	b, means := &frames.Block{Rows: n, Cols: len(centre)}, make([]float64, len(centre))
	for range n {
		for j, c := range centre {
			v := c + random.NormFloat64()
			b.X = append(b.X, v)
			means[j] += v / n
		}
	}
	f, _, err := framed(cols, b)
	return f, means, err
}
