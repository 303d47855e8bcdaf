package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// design is the training data as the solver reads it.
type design struct {
	*matrix
}

// designOf gathers a source of d features and a two-class label in memory.
func designOf(ctx context.Context, in frames.Source, d int) (design, error) {
	m, ok := in.(*matrix)
	if !ok {
		var err error
		m, err = materialise(ctx, in, in.Schema(), func(dst, src []float64) { copy(dst, src) })
		if err != nil {
			return design{}, err
		}
	}
	if m.cols != d || len(m.y) == 0 {
		return design{}, fmt.Errorf("got %d columns and %d labels, want %d columns and a label for each row", m.cols, len(m.y), d)
	}
	return design{m}, nil
}

// descend runs the noisy steps. All that it returns or keeps between steps is a function of the
// noisy sums.
func (pl *logisticPlan) descend(ctx context.Context, x frames.Source, rng *noise.Source) ([]float64, error) {
	n := x.Rows()
	w, last := make([]float64, pl.coordinates), make([]float64, pl.coordinates)
	mean := make([]float64, pl.coordinates)
	sums := make([]int64, pl.coordinates)
	averaged := 0
	report := progressOf(ctx)
	defer report(pl.draws, pl.draws)
	for t := range pl.draws {
		report(t, pl.draws)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := pl.gradientSum(ctx, sums, x, w); err != nil {
			return nil, err
		}
		noise.AddGaussian(rng, sums, pl.gridSD)
		for j := range w {
			ahead := pl.m * (w[j] - last[j])
			last[j] = w[j]
			w[j] += ahead - pl.eta/float64(n)*pl.grid.Value(sums[j])
		}
		pl.project(w)
		if t >= pl.draws/2 {
			averaged++
			for j := range w {
				mean[j] += (w[j] - mean[j]) / float64(averaged)
			}
		}
	}
	return mean, nil
}

// project keeps ‖w_J‖ ≤ W_J, then ‖w‖ ≤ W. The second scaling cannot undo the first. Coefficients
// that a huge step took out of the range of float64 begin again at 0: they are public, and a
// gradient is bounded at finite ones only.
func (pl *logisticPlan) project(w []float64) {
	var inJ []float64
	for j, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			clear(w)
			return
		}
		if pl.tainted[j] {
			inJ = append(inJ, v)
		}
	}
	if nj := norm2(inJ); nj > pl.wj {
		for j := range w {
			if pl.tainted[j] {
				w[j] *= pl.wj / nj
			}
		}
	}
	if nw := norm2(w); nw > pl.w {
		for j := range w {
			w[j] *= pl.w / nw
		}
	}
}

// gradientSum writes the fixed-point sum of clipped gradients. Integer sums are exact, so that the
// result does not depend on how the rows are split between workers.
func (pl *logisticPlan) gradientSum(ctx context.Context, sums []int64, in frames.Source, w []float64) error {
	x, ok := in.(design)
	if !ok {
		g, err := accumulate(ctx, in, func() *gradients { return &gradients{pl, w, make([]int64, len(sums)), nil} })
		copy(sums, g.sums)
		return errors.Join(err, g.err)
	}
	n := x.Rows()
	workers := max(1, min(runtime.GOMAXPROCS(0), n/4096))
	parts, errs := make([][]int64, workers), make([]error, workers)
	var wg sync.WaitGroup
	for k := range workers {
		parts[k] = make([]int64, len(sums))
		wg.Go(func() { errs[k] = pl.partialSum(parts[k], x, w, k*n/workers, (k+1)*n/workers) })
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

// partialSum adds the clipped gradients of rows from..to, each rounded to the grid. A row that is not finite has no
// gradient; no step of this package makes one.
func (pl *logisticPlan) partialSum(sums []int64, x design, w []float64, from, to int) error {
	size := min(linalg.BlockRows(pl.d), max(to-from, 0))
	factors, squares := make([]float64, size), make([]float64, size)
	bias := 0.0
	if pl.c > 0 {
		bias = w[pl.d] * pl.c
	}
	for ; from < to; from += size {
		n := min(size, to-from)
		f, sq, cells := factors[:n], squares[:n], x.x[from*x.cols:(from+n)*x.cols]
		if err := linalg.Margins(f, sq, cells, n, pl.d, x.cols, w[:pl.d]); err != nil {
			return err
		}
		for i := range f {
			f[i] += bias
			sq[i] += pl.c * pl.c
		}
		if err := linalg.LogisticFactors(f, f, sq, x.y[from:from+n], pl.clip, 1/pl.grid.Step()); err != nil {
			return err
		}
		for i := range f {
			if x.isEmpty(from + i) {
				f[i] = 0
			}
			if pl.c > 0 {
				sums[pl.d] += int64(math.RoundToEven(f[i] * pl.c))
			}
		}
		if err := linalg.AddRounded(sums[:pl.d], cells, n, pl.d, x.cols, f); err != nil {
			return err
		}
	}
	return nil
}

func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// norm2 is the Euclidean norm; missing cells count as 0. Numbers whose squares leave the range of
// float64 are scaled first: a norm that underflows to 0 would pass for one within any bound.
func norm2(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x * x
	}
	if s > 0x1p-900 && s < 0x1p1000 {
		return math.Sqrt(s)
	}
	if math.IsNaN(s) {
		s = 0
		for _, x := range v {
			if !math.IsNaN(x) {
				s += x * x
			}
		}
		if s > 0x1p-900 && s < 0x1p1000 {
			return math.Sqrt(s)
		}
	}
	var largest float64
	for _, x := range v {
		if !math.IsNaN(x) {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	_, e := math.Frexp(largest)
	s = 0
	for _, x := range v {
		if !math.IsNaN(x) {
			x = math.Ldexp(x, -e)
			s += x * x
		}
	}
	return math.Ldexp(math.Sqrt(s), e)
}
