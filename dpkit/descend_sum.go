package dpkit

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// gradientSum writes the fixed-point sum of all rows' clipped gradients.
func (pl *descent) gradientSum(ctx context.Context, sums []int64, in frames.Source, w []float64) error {
	return pl.drawnSum(ctx, sums, in, w, nil)
}

// drawnSum writes the fixed-point sum of the clipped gradients of the rows that were drawn; nil: all. Integer sums are exact,
// so that the result does not depend on how the rows are split between workers.
func (pl *descent) drawnSum(ctx context.Context, sums []int64, in frames.Source, w []float64, drawn rowSet) error {
	x, ok := in.(design)
	if !ok {
		g, err := drive(ctx, inProcess{in}, func() *gradients { return &gradients{pl, w, drawn, make([]int64, len(sums)), nil} })
		copy(sums, g.sums)
		return errors.Join(err, g.err)
	}
	n := x.Rows()
	workers := max(1, min(runtime.GOMAXPROCS(0), n/4096))
	parts, errs := make([][]int64, workers), make([]error, workers)
	var wg sync.WaitGroup
	for k := range workers {
		parts[k] = make([]int64, len(sums))
		wg.Go(func() { errs[k] = pl.partOf(parts[k], x, w, k*n/workers, (k+1)*n/workers, 0, drawn) })
	}
	wg.Wait()
	clear(sums)
	for _, part := range parts {
		for j, v := range part {
			sums[j] += v
		}
	}
	return errors.Join(errs...)
}

// partOf adds the gradients of the rows from..to of x that were drawn, where row 0 of x is row first of the table. They are
// gathered first: a row's gradient does not depend on the rows around it.
func (pl *descent) partOf(sums []int64, x design, w []float64, from, to, first int, drawn rowSet) error {
	if drawn == nil {
		return pl.partialSum(sums, x, w, from, to)
	}
	size := min(linalg.BlockRows(pl.d), max(to-from, 1))
	held := design{matrix: &matrix{cols: x.cols, x: make([]float64, 0, size*x.cols), y: make([]float64, 0, size)}}
	flush := func() error {
		err := pl.partialSum(sums, held, w, 0, len(held.y))
		held.x, held.y = held.x[:0], held.y[:0]
		return err
	}
	for i := from; i < to; i++ {
		if !drawn.has(first+i) || x.isEmpty(i) {
			continue
		}
		held.x, held.y = append(held.x, x.row(i)...), append(held.y, x.y[i])
		if len(held.y) == size {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// partialSum adds the clipped gradients of rows from..to, each rounded to the grid. A row that is not finite has no
// gradient; no step of this package makes one.
func (pl *descent) partialSum(sums []int64, x design, w []float64, from, to int) error {
	size := min(linalg.BlockRows(pl.d), max(to-from, 0))
	width := pl.width()
	all, squares := make([]float64, size*pl.margins), make([]float64, size)
	factors := make([][]float64, pl.margins)
	var scaled []float64
	for ; from < to; from += size {
		n := min(size, to-from)
		sq, cells := squares[:n], x.x[from*x.cols:(from+n)*x.cols]
		if x.squares != nil {
			sq = x.squares[from : from+n]
		}
		for k := range factors {
			f, v := all[k*size:k*size+n], w[k*width:(k+1)*width]
			var write []float64 // once
			if k == 0 && !x.known {
				write = sq
			}
			if err := linalg.Margins(f, write, cells, n, pl.d, x.cols, v[:pl.d]); err != nil {
				return err
			}
			if pl.c > 0 {
				bias := v[pl.d] * pl.c
				for i := range f {
					f[i] += bias
				}
			}
			factors[k] = f
		}
		if !x.known {
			for i := range sq {
				sq[i] += pl.c * pl.c
			}
		}
		y := x.y[from : from+n]
		if pl.label.half > 0 {
			scaled = pl.label.scale(scaled[:0], y)
			y = scaled
		}
		if err := pl.loss.factors(factors, sq, y, pl.clip, 1/pl.grid.Step()); err != nil {
			return err
		}
		for k, f := range factors {
			part := sums[k*width : (k+1)*width]
			for i := range f {
				if x.isEmpty(from + i) {
					f[i] = 0
				}
				if pl.c > 0 {
					part[pl.d] += int64(math.RoundToEven(f[i] * pl.c))
				}
			}
			if err := linalg.AddRounded(part[:pl.d], cells, n, pl.d, x.cols, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// labelScale is the map of a numeric label in [mid − half, mid + half] to [−1, 1]; half is 0 for classes.
type labelScale struct{ mid, half float64 }

func labelScaleOf(label frames.Column) labelScale {
	if len(label.Levels) > 0 {
		return labelScale{}
	}
	half := (label.Hi - label.Lo) / 2
	return labelScale{label.Lo + half, half}
}

// scale appends the scaled labels. Rounding does not leave the range.
func (s labelScale) scale(to, y []float64) []float64 {
	for _, v := range y {
		to = append(to, clamp((v-s.mid)/s.half, -1, 1))
	}
	return to
}
