package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// rowSquares are ‖x̃‖² of each row, which the steps of a run keep for one another where rows stay in memory.
type rowSquares struct {
	of    []float64 // by place; nil: computed when they are needed
	known bool      // a step has written them
}

// descent is a run of projected noisy gradient descent with everything that it needs, in absolute units. All of it is public.
type descent struct {
	loss    Loss
	margins int        // vectors of coefficients: one, or one a class
	label   labelScale // of a numeric label
	d       int        // features, without the constant one
	c       float64    // the constant feature, the last coordinate of a vector; 0 where there is none
	rx      float64    // bound on ‖x̃‖
	w, wj   float64    // W, W_J
	tainted []bool     // coordinates in J
	clip    float64
	lip     float64 // Lipschitz constant of a clipped gradient in its row
	eta     float64
	rule    StepRule
	m       float64 // momentum
	average Averaging
	// sampling is how a step draws its rows; the zero value takes all of them.
	sampling accountant.Sampling
	gaussianSum
}

// newDescent is a descent for rows of d features, of norm at most r, and a constant one.
func newDescent(loss Loss, margins, d int, r, constant float64) *descent {
	pl := &descent{loss: loss, margins: margins, d: d, c: constant}
	width := d
	if pl.c > 0 {
		width++
	}
	pl.coordinates = margins * width
	pl.tainted = make([]bool, pl.coordinates)
	pl.rx = upSum(math.Hypot(r, pl.c), d)
	return pl
}

// bind settles what follows from the bounds on rows, coefficients and gradients.
func (pl *descent) bind() {
	pl.lip = pl.loss.lipschitz(lossDomain{c: pl.c, rx: pl.rx, w: pl.w, wj: pl.wj, clip: pl.clip})
	pl.query = pair.Query{C: pl.clip, Lipschitz: pl.lip}
	steep := math.Sqrt(float64(pl.margins)) * max(1, pl.loss.steepest(pl.rx*pl.w))
	pl.fp = 0x1p-50 * (float64(pl.d+1)*(pl.rx*pl.w+1) + 16) * pl.rx * steep
}

// taint marks the displaced coordinates and returns their share of the columns and blocks.
func (pl *descent) taint(st Stage) float64 {
	us, width := unitsOf(st.In), len(pl.tainted)/pl.margins
	hit := 0
	for _, u := range us {
		tainted := false
		for _, name := range columnNames([]unit{u}, st.In) {
			tainted = tainted || st.Taint[name]
		}
		if tainted {
			hit++
			for j := u.at; j < u.at+u.len; j++ {
				for k := range pl.margins {
					pl.tainted[k*width+j] = true
				}
			}
		}
	}
	return float64(hit) / float64(len(us))
}

// width is the number of coordinates of one vector.
func (pl *descent) width() int { return pl.coordinates / pl.margins }

// batch is the expected number of rows of a step, the public divisor of its sum.
func (pl *descent) batch(n int) float64 {
	switch pl.sampling.Kind {
	case accountant.Poisson:
		return pl.sampling.Rate * float64(n)
	case accountant.WithoutReplacement:
		return float64(pl.sampling.Batch)
	}
	return float64(n)
}

// descend runs the noisy steps. All that it returns or keeps between steps is a function of the
// noisy sums.
func (pl *descent) descend(ctx context.Context, in driver, rng *noise.Source) ([]float64, error) {
	n := in.rows()
	batch := pl.batch(n)
	w, last := make([]float64, pl.coordinates), make([]float64, pl.coordinates)
	mean := make([]float64, pl.coordinates)
	sums := make([]int64, pl.coordinates)
	var drawn rowSet
	if pl.sampling.Kind != 0 {
		drawn = newRowSet(n)
		defer clear(drawn)
	}
	var squares rowSquares
	if drawn == nil && in.resident() > 0 {
		squares.of = make([]float64, in.resident())
	}
	averaged := 0
	report := progressOf(ctx)
	defer report(pl.draws, pl.draws)
	for t := range pl.draws {
		report(t, pl.draws)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if drawn != nil {
			drawn.draw(rng, pl.sampling, n)
		}
		if err := pl.gradientSum(ctx, sums, in, w, drawn, squares); err != nil {
			return nil, err
		}
		squares.known = true
		noise.AddGaussian(rng, sums, pl.gridSD)
		eta := pl.rule.at(pl.eta, t)
		for j := range w {
			ahead := pl.m * (w[j] - last[j])
			last[j] = w[j]
			w[j] += ahead - eta/batch*pl.grid.Value(sums[j])
		}
		pl.project(w)
		if pl.average.takes(t, pl.draws) {
			averaged++
			for j := range w {
				mean[j] += (w[j] - mean[j]) / float64(averaged)
			}
		}
	}
	return mean, nil
}

// read gathers the rows where the driver can, for all steps of a run.
func (pl *descent) read(ctx context.Context, in driver) (draws[[]float64], error) {
	rows, err := in.gathered(ctx)
	return func(ctx context.Context, rng *noise.Source) ([]float64, error) { return pl.descend(ctx, rows, rng) }, err
}

// project keeps ‖w_J‖ ≤ W_J, then ‖w‖ ≤ W. The second scaling cannot undo the first. Coefficients
// that a huge step took out of the range of float64 begin again at 0: they are public, and a
// gradient is bounded at finite ones only.
func (pl *descent) project(w []float64) {
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
