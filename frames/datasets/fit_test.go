package datasets_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/frames"
)

// accuracy fits a non-private logistic regression on a quarter of the rows, by
// iteratively reweighted least squares with ridge 0.01 on the one-hot encoding, and returns the
// share of right predictions on the rest.
func accuracy(t *testing.T, f *frames.Frame) float64 {
	t.Helper()
	train, test, err := frames.Split(f, 0.25, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := oneHot(t, train)
	w := fit(t, x, y)
	x, y = oneHot(t, test)
	right := 0
	for i := range x {
		if (dot(w, x[i]) > 0) == (y[i] == 1) {
			right++
		}
	}
	return float64(right) / float64(len(x))
}

// oneHot is a constant, the numbers in units of their bounds, and one column per level or missing cell.
func oneHot(t *testing.T, f *frames.Frame) (x [][]float64, y []float64) {
	t.Helper()
	cols := f.Schema().Features()
	err := f.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			row := []float64{1}
			for j, v := range b.Row(i) {
				c := cols[j]
				if c.Kind == frames.KindNumeric {
					row = append(row, (v-c.Lo)/(c.Hi-c.Lo))
					continue
				}
				code := len(c.Levels) // missing
				if !math.IsNaN(v) {
					code = int(v)
				}
				one := make([]float64, len(c.Levels)+1)
				one[code] = 1
				row = append(row, one...)
			}
			x = append(x, row)
			y = append(y, b.Y[i])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x, y
}

func fit(t *testing.T, x [][]float64, y []float64) []float64 {
	t.Helper()
	const ridge = 0.01
	d := len(x[0])
	w := make([]float64, d)
	var used []int
	for range 6 {
		g, h := make([]float64, d), make([]float64, d*d)
		for j := range d {
			g[j], h[j*d+j] = -ridge*w[j], ridge
		}
		for i, row := range x {
			used = used[:0]
			for j, v := range row {
				if v != 0 {
					used = append(used, j)
				}
			}
			p := 1 / (1 + math.Exp(-dot(w, row)))
			for n, j := range used {
				g[j] += (y[i] - p) * row[j]
				for _, k := range used[n:] { // the upper triangle is enough
					h[j*d+k] += p * (1 - p) * row[j] * row[k]
				}
			}
		}
		var c mat.Cholesky
		var step mat.VecDense
		if !c.Factorize(mat.NewSymDense(d, h)) {
			t.Fatal("Hessian is not positive definite")
		}
		if err := c.SolveVecTo(&step, mat.NewVecDense(d, g)); err != nil {
			t.Fatal(err)
		}
		for j := range w {
			w[j] += step.AtVec(j)
		}
	}
	return w
}

func dot(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// tally counts cells: missing ones by column name, and those of want "column=level".
func tally(t *testing.T, f *frames.Frame) (missing, levels map[string]int, missingRows int, positive float64) {
	t.Helper()
	missing, levels = map[string]int{}, map[string]int{}
	cols := f.Schema().Features()
	err := f.Scan(context.Background(), func(b *frames.Block) error {
		for i := range b.Rows {
			any := false
			for j, v := range b.Row(i) {
				switch {
				case math.IsNaN(v):
					missing[cols[j].Name]++
					any = true
				case cols[j].Kind == frames.KindCategory:
					levels[cols[j].Name+"="+cols[j].Levels[int(v)]]++
				case v > 0 && cols[j].Lo == 0:
					levels[cols[j].Name+">0"]++
				}
			}
			if any {
				missingRows++
			}
			positive += b.Y[i]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return missing, levels, missingRows, positive / float64(f.Rows())
}
