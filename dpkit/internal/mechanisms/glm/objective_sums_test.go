package glm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

var hostileNumbers = []float64{0, math.Copysign(0, -1), 1, -1, 1e-8, -3e-160, 5e-324, -5e-324, 0.3, 1e-20}

// hostileWeights are so many coefficients, some of them extreme.
func hostileWeights(r *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for j := range w {
		if w[j] = 30 * r.NormFloat64(); r.IntN(3) == 0 {
			w[j] = hostileNumbers[r.IntN(len(hostileNumbers))]
		}
	}
	return w
}

// packable are rows of cells that are 0 or the row's size, and of numbers in the other columns: beyond the ball of that radius too, empty ones from the
// fifth trial on, and in the last one some that are not finite.
func packable(r *rand.Rand, d int, radius float64, trial int) (b *frames.Block, blocks []string) {
	sized := make([]bool, d)
	blocks = make([]string, d)
	for j := range sized {
		if sized[j] = r.IntN(12) > 0; sized[j] {
			blocks[j] = fmt.Sprint(j / []int{1, 4, 50}[trial%3]) // rows with several cells of a block are odd
		}
	}
	b = &frames.Block{Rows: 1300, Cols: d} // a flush, and a part
	for i := range b.Rows {
		size := radius * []float64{1, 0.25, 1e-9, -2, 3e-310}[r.IntN(5)]
		for j := range d {
			v := 0.0
			switch {
			case !sized[j]:
				v = radius * hostileNumbers[r.IntN(len(hostileNumbers))]
			case r.IntN(8) == 0 || i%97 == 5:
				v = size
			}
			if trial == 11 && !sized[j] && i%501 == 77 {
				v = []float64{math.NaN(), math.Inf(1)}[i%2]
			}
			b.X = append(b.X, v)
		}
		b.Y, b.Empty = append(b.Y, float64(r.IntN(2))), append(b.Empty, i%5 == 3)
	}
	if trial < 4 {
		b.Empty = nil
	}
	return b, blocks
}

// TestPackedNewtonSums: the sums of packed rows have the bits of those of the rows, of all widths and sizes, with numbers and zeros of both signs beside
// the blocks, rows beyond the ball, rows that are not finite and rows that were removed; and of both ways in one sum.
func TestPackedNewtonSums(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, d := range []int{1, 2, 3, 4, 5, 7, 8, 31, 64, 113} {
		for trial := range 12 {
			radius := []float64{1, 1e-3}[trial%2] // rows beyond the ball are drawn in
			f := NewObjective(d, radius, 3000, LogisticLoss{1})
			w := hostileWeights(r, d+1)
			b, blocks := packable(r, d, radius, trial)
			packed, err := linalg.NewPackedShape(blocks).Pack(b.X, b.Rows, d, nil, &linalg.PackedWork{})
			if err != nil {
				t.Fatal(err)
			}
			written := func(add ...func(s *newtonSums)) []byte {
				s := NewNewtonSums(&f, w)
				for _, add := range add {
					add(s)
				}
				raw, err := rows.WriteState(s)
				if err != nil {
					t.Fatal(err)
				}
				return raw
			}
			dense := func(s *newtonSums) { s.Add(b) }
			sparse := func(s *newtonSums) {
				if !s.AddPacked(b, packed) {
					t.Fatal("packed rows are not taken")
				}
			}
			if !bytes.Equal(written(sparse), written(dense)) {
				t.Fatalf("%d columns, trial %d: other bits", d, trial)
			}
			if want := written(dense, dense); !bytes.Equal(written(sparse, dense), want) || !bytes.Equal(written(dense, sparse), want) {
				t.Fatalf("%d columns, trial %d: other bits of both ways in one sum", d, trial)
			}
		}
	}
	if NewNewtonSums(&Objective{D: 1}, []float64{math.Inf(1), 0}).AddPacked(nil, nil) {
		t.Error("coefficients that are not finite take rows without their zeros")
	}
}
