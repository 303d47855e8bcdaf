package gradient

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/progress"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// RowSquares are ‖x̃‖² of each row, which the steps of a run keep for one another where rows stay in memory, as they do memory itself.
type RowSquares struct {
	Of    []float64 // by place; nil: computed when they are needed
	Known bool      // a step has written them
	spare *spareCells
}

// Descent is a run of projected noisy gradient descent with everything that it needs, in absolute units. All of it is public.
type Descent struct {
	loss    Loss
	margins int        // vectors of coefficients: one, or one a class
	label   labelScale // of a numeric label
	D       int        // features, without the constant one
	C       float64    // the constant feature, the last coordinate of a vector; 0 where there is none
	Rx      float64    // bound on ‖x̃‖
	W, Wj   float64    // W, W_J
	Tainted []bool     // coordinates in J
	Clip    float64
	Lip     float64 // Lipschitz constant of a clipped gradient in its row
	Eta     float64
	Most    float64 // the largest step; 0: steps do not grow
	rule    StepRule
	M       float64 // momentum
	average Averaging
	// Sampling is how a step draws its rows; the zero value takes all of them.
	Sampling accountant.Sampling
	packed   *linalg.PackedShape `dp:"-"` // of rows that had better be packed, as far as is public; nil: others
	sums.GaussianSum
}

// newDescent is a descent for rows of the features of a schema, of norm at most r, and a constant one.
func newDescent(loss Loss, margins int, in frames.Schema, r, constant float64) *Descent {
	d := len(in.Features())
	pl := &Descent{loss: loss, margins: margins, D: d, C: constant, packed: rows.PackedShape(in)}
	width := d
	if pl.C > 0 {
		width++
	}
	pl.Coordinates = margins * width
	pl.Tainted = make([]bool, pl.Coordinates)
	pl.Rx = stage.UpSum(math.Hypot(r, pl.C), d)
	return pl
}

// bind settles what follows from the bounds on rows, coefficients and gradients.
func (pl *Descent) bind() {
	pl.Lip = pl.loss.Lipschitz(lossDomain{c: pl.C, rx: pl.Rx, w: pl.W, wj: pl.Wj, clip: pl.Clip})
	pl.Query = pair.Query{C: pl.Clip, Lipschitz: pl.Lip}
	pl.Any = pl.loss.Lipschitz(lossDomain{c: pl.C, rx: pl.Rx, w: pl.W, wj: pl.W, clip: pl.Clip})
	steep := math.Sqrt(float64(pl.margins)) * max(1, pl.loss.Steepest(pl.Rx*pl.W))
	pl.Fp = 0x1p-50 * (float64(pl.D+1)*(pl.Rx*pl.W+1) + 16) * pl.Rx * steep
}

// taint marks the displaced coordinates and returns their share of the columns and blocks.
func (pl *Descent) taint(st stage.Stage) float64 {
	us, width := domain.UnitsOf(st.In), len(pl.Tainted)/pl.margins
	hit := 0
	for _, u := range us {
		tainted := false
		for _, name := range domain.ColumnNames([]domain.Unit{u}, st.In) {
			tainted = tainted || st.Taint[name]
		}
		if tainted {
			hit++
			for j := u.At; j < u.At+u.Len; j++ {
				for k := range pl.margins {
					pl.Tainted[k*width+j] = true
				}
			}
		}
	}
	return float64(hit) / float64(len(us))
}

// width is the number of coordinates of one vector.
func (pl *Descent) width() int { return pl.Coordinates / pl.margins }

// batch is the expected number of rows of a step, the public divisor of its sum.
func (pl *Descent) batch(n int) float64 {
	switch pl.Sampling.Kind {
	case accountant.Poisson:
		return pl.Sampling.Rate * float64(n)
	case accountant.WithoutReplacement:
		return float64(pl.Sampling.Batch)
	}
	return float64(n)
}

// Descend runs the noisy steps. All that it returns or keeps between steps is a function of the
// noisy sums.
func (pl *Descent) Descend(ctx context.Context, in rows.Driver, rng *noise.Source) ([]float64, error) {
	n := in.Rows()
	batch := pl.batch(n)
	w, last := make([]float64, pl.Coordinates), make([]float64, pl.Coordinates)
	mean := make([]float64, pl.Coordinates)
	sums := make([]int64, pl.Coordinates)
	var drawn rows.RowSet
	if pl.Sampling.Kind != 0 {
		drawn = rows.NewRowSet(n)
		defer clear(drawn)
	}
	var squares RowSquares
	if drawn == nil {
		squares.spare = &spareCells{}
	}
	if drawn == nil && in.Resident() > 0 {
		squares.Of = make([]float64, in.Resident())
	}
	var grown *growth
	noisy := make([]float64, pl.Coordinates)
	if pl.Most > 0 {
		grown = newGrowth(pl)
	}
	averaged := 0
	report := progress.Of(ctx)
	defer report(pl.Draws, pl.Draws)
	for t := range pl.Draws {
		report(t, pl.Draws)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if drawn != nil {
			drawn.Draw(rng, pl.Sampling, n)
		}
		if err := pl.GradientSum(ctx, sums, in, w, drawn, squares); err != nil {
			return nil, err
		}
		squares.Known = true
		noise.AddGaussian(rng, sums, pl.GridSD)
		for j, v := range sums {
			noisy[j] = pl.Grid.Value(v)
		}
		eta := pl.rule.At(pl.Eta, t)
		if grown != nil {
			eta = grown.next(noisy)
		}
		for j := range w {
			ahead := pl.M * (w[j] - last[j])
			last[j] = w[j]
			w[j] += ahead - eta/batch*noisy[j]
		}
		pl.Project(w)
		if pl.average.Takes(t, pl.Draws) {
			averaged++
			for j := range w {
				mean[j] += (w[j] - mean[j]) / float64(averaged)
			}
		}
	}
	return mean, nil
}

// read gathers the rows where the driver can, for all steps of a run.
func (pl *Descent) read(ctx context.Context, in rows.Driver) (mechanism.Draws[[]float64], error) {
	rows, err := in.Gathered(ctx)
	return func(ctx context.Context, rng *noise.Source) ([]float64, error) { return pl.Descend(ctx, rows, rng) }, err
}

// Project keeps ‖w_J‖ ≤ W_J, then ‖w‖ ≤ W. The second scaling cannot undo the first. Coefficients
// that a huge step took out of the range of float64 begin again at 0: they are public, and a
// gradient is bounded at finite ones only.
func (pl *Descent) Project(w []float64) {
	var inJ []float64
	for j, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			clear(w)
			return
		}
		if pl.Tainted[j] {
			inJ = append(inJ, v)
		}
	}
	if nj := num.Norm2(inJ); nj > pl.Wj {
		for j := range w {
			if pl.Tainted[j] {
				w[j] *= pl.Wj / nj
			}
		}
	}
	if nw := num.Norm2(w); nw > pl.W {
		for j := range w {
			w[j] *= pl.W / nw
		}
	}
}
