package glm

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// TestPackedLogisticSums: the sums of packed rows have the bits of those of the rows, with the Hessian and without, with norms that are kept and not, and
// of both ways in one sum.
func TestPackedLogisticSums(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	for _, d := range []int{1, 2, 5, 8, 31, 113} {
		for trial := range 12 {
			radius := []float64{1, 1e-3}[trial%2]
			f := NewObjective(d, radius, 3000, LogisticLoss{1})
			w := hostileWeights(r, d+1)
			all, blocks := packable(r, d, radius, trial)
			f.packed = linalg.NewPackedShape(blocks) // on any processor
			curved := trial%3 == 0
			kept := make([]float64, all.Rows)
			written := func(squares rowSquares, dense func(run int) bool) []byte {
				s := newLogisticSums(&f, w, curved, squares)
				for from, run := 0, 0; from < all.Rows; from, run = from+256, run+1 {
					to := min(from+256, all.Rows)
					b := &frames.Block{First: from, Rows: to - from, Cols: d, X: all.X[from*d : to*d], Y: all.Y[from:to]}
					if all.Empty != nil {
						b.Empty = all.Empty[from:to]
					}
					if dense(run) {
						s.Add(b)
						continue
					}
					packed, err := linalg.NewPackedShape(blocks).Pack(b.X, b.Rows, d, nil, &linalg.PackedWork{})
					if err != nil {
						t.Fatal(err)
					}
					if b.X = nil; !s.AddPacked(b, packed) {
						t.Fatal("packed rows are not taken")
					}
				}
				raw, err := rows.WriteState(s)
				if err != nil {
					t.Fatal(err)
				}
				return raw
			}
			never, always, often := func(int) bool { return false }, func(int) bool { return true }, func(run int) bool { return run%3 > 0 }
			want := written(rowSquares{}, always)
			for name, got := range map[string][]byte{
				"packed": written(rowSquares{}, never), "both": written(rowSquares{}, often), "norms written": written(rowSquares{of: kept}, often),
			} {
				if !bytes.Equal(got, want) {
					t.Fatalf("%d columns, trial %d, %s: other bits", d, trial, name)
				}
			}
			if !bytes.Equal(written(rowSquares{kept, true}, never), want) || !bytes.Equal(written(rowSquares{kept, true}, always), want) {
				t.Fatalf("%d columns, trial %d: other bits where norms are known", d, trial)
			}
		}
	}
}

// TestLogisticSums: gradients and Hessians are those of [newtonSums], to twice what each may be off by, of rows beyond the ball, rows that are not finite
// and empty ones, at coefficients as large as they may be, and of a class among others.
func TestLogisticSums(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, d := range []int{1, 3, 8, 31, 113} {
		for trial := range 12 {
			radius := []float64{1, 1e-3, 1e5}[trial%3]
			positive := float64(trial % 2)
			b, _ := packable(r, d, radius, trial)
			f := NewObjective(d, radius, b.Rows, LogisticLoss{positive})
			f.Lambda = 10 * radius * radius
			f.Bound(50 * radius)
			w, size := make([]float64, d+1), []float64{0, 1e-9, 1, f.MaxNorm * radius}[trial%4]/radius
			for j := range w {
				w[j] = r.NormFloat64()
			}
			norm := num.Norm2(w)
			for j := range w {
				w[j] *= size / norm
			}
			want, got := NewNewtonSums(&f, w), newLogisticSums(&f, w, true, rowSquares{})
			want.Add(b)
			half := b.Rows / 2
			other := newLogisticSums(&f, w, true, rowSquares{})
			for from, s := range map[int]*logisticSums{0: got, half: other} {
				part := &frames.Block{First: from, Rows: half, Cols: d, X: b.X[from*d : (from+half)*d], Y: b.Y[from : from+half]}
				if b.Empty != nil {
					part.Empty = b.Empty[from : from+half]
				}
				s.Add(part)
			}
			got.Merge(other)
			if got.err != nil {
				t.Fatal(got.err)
			}
			var apart float64
			for j := range w {
				apart = math.Hypot(apart, got.grad.Sum(j)-want.grad.Sum(j))
			}
			if !(apart <= 2*f.Tolerance) {
				t.Errorf("d = %d, trial %d: gradients are %g apart, want at most %g", d, trial, apart, 2*f.Tolerance)
			}
			h, err := got.hessian.Total(d + 1)
			if err != nil {
				t.Fatal(err)
			}
			h0, err := want.hessian.Total(d + 1)
			if err != nil {
				t.Fatal(err)
			}
			apart = 0
			for i := range h {
				apart = math.Hypot(apart, h[i]-h0[i])
			}
			if most := float64(b.Rows) * f.C2 * f.C2 * 1e-10; !(apart <= most) {
				t.Errorf("d = %d, trial %d: Hessians are %g apart, want at most %g", d, trial, apart, most)
			}
		}
	}
}

// TestLogisticSumsTravel: a processor without kernels for packed rows takes the sums of one that has them, and the other way round.
func TestLogisticSumsTravel(t *testing.T) {
	f := NewObjective(2, 1, 10, LogisticLoss{1})
	with := f
	with.packed = linalg.NewPackedShape([]string{"a", "a"})
	for name, c := range map[string][2]*Objective{"from one with kernels": {&with, &f}, "to one with kernels": {&f, &with}} {
		w := []float64{1, 2, 3}
		raw, err := rows.WriteState(NewLogisticSums(c[0], w, true))
		if err == nil {
			err = rows.ReadState(NewLogisticSums(c[1], w, true), raw)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
