package correlation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// mostColumns is how many columns a release may have: of more the sums take megabytes for each processor while rows are read.
const mostColumns = 1024

// Release is the first and second moments of all features, in one draw of Gaussian noise.
type Release struct {
	query.Target `dp:"inline"`
}

func (Release) Kind() kind.Kind { return kind.Kind{Name: "correlation", Law: 1, Call: "Correlation"} }

func (Release) ColumnsRead(in frames.Schema) []string { return domain.FeatureNames(in) }

// calibrated is a release with its noise. A row u in [−1, 1]^d adds the packed triangle of zzᵀ for z = w(1, u), w² = 1/(d + 1), so that
// ‖z‖ ≤ 1: w² where the number of rows is private, √2·w²·u_j for each column, and w²·u_j² and √2·w²·u_j·u_k for all j < k.
type calibrated struct {
	sums.GaussianSum
	mid, half []float64
	square    float64 // w²
	counted   bool    // the number of rows is private, and the first of the cells
}

// describe is what is summed, from public facts. Errors wrap [stage.ErrColumn] or [stage.ErrOrder].
func describe(st stage.Stage) (*calibrated, error) {
	if err := domain.EncodedFeatures(st.In, ", or release a table of it"); err != nil {
		return nil, err
	}
	c := &calibrated{counted: st.Empty}
	for _, f := range st.In.Features() {
		c.mid, c.half = append(c.mid, f.Lo+(f.Hi-f.Lo)/2), append(c.half, (f.Hi-f.Lo)/2)
	}
	if d := len(c.mid); d < 2 || d > mostColumns {
		return nil, fmt.Errorf("got %d columns, want between 2 and %d: name them, or ask for a Variance of one: %w", d, mostColumns, stage.ErrColumn)
	}
	c.square = (1 - 0x1p-40) / float64(len(c.mid)+1) // so that ‖z‖ is at most 1 in floating point
	return c, nil
}

func (c *calibrated) columns() int { return len(c.mid) }

// size is the number of cells.
func (c *calibrated) size() int {
	d := c.columns()
	n := d + d*(d+1)/2
	if c.counted {
		n++
	}
	return n
}

// oneRow bounds what a row adds, in the units of [pair.Query]: of two that differ the triangle moves by √2 at most, since
// ‖zzᵀ − z'z'ᵀ‖² = ‖z‖⁴ + ‖z'‖⁴ − 2⟨z, z'⟩²; one that is there on one side only adds ‖z‖² = 1 at most, without the cell of a public number of
// rows √(1 − w⁴) (docs/theory/tables.md#correlations).
func (c *calibrated) oneRow(rel accountant.Neighbours) float64 {
	switch {
	case rel == accountant.ReplaceOne:
		return stage.Up(math.Sqrt2) / 2
	case c.counted:
		return 1
	}
	return stage.Up(math.Sqrt(1 - c.square*c.square))
}

// Calibrate settles the noise on all moments together. Errors wrap [stage.ErrColumn], [stage.ErrOrder] or [kind.ErrParameter], or are those of the target or of the
// noise's grid.
func (r Release) Calibrate(st stage.Stage) (*calibrated, error) {
	c, err := describe(st)
	if err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Noise == query.NoiseLaplace {
		return nil, fmt.Errorf("noise: got %q, want NoiseGaussian: a row has cells in all moments, for which Laplace noise is dear: %w", string(r.Noise), kind.ErrParameter)
	}
	rel, k := st.Before.Neighbours, st.Contributions.Rows
	q := pair.Query{C: c.oneRow(rel)}
	if k > 1 && rel == accountant.AddRemove && st.Before.F >= k { // all rows of the person are there on one side
		//dp:charges correlation/rows-of-a-person all rows of a person move the moments, not one
		//dp:lift float64(k) * q.C => q.C
		c.Together = sums.Together{Rows: k, Moves: float64(k) * q.C}
	}
	// ‖zzᵀ − z'z'ᵀ‖ ≤ 2‖z − z'‖, and a displacement passes with the largest scale of a displaced column.
	scale := func(j int) float64 { return stage.Up(2 * math.Sqrt(c.square) / c.half[j]) }
	for j, f := range st.In.Features() {
		c.Any = max(c.Any, scale(j))
		if st.Taint[f.Name] {
			q.Lipschitz = max(q.Lipschitz, scale(j))
		}
	}
	q.Frobenius = stage.Up(math.Sqrt(float64(st.Before.N)) * c.Any) // (‖Z‖ + ‖Z'‖)‖Z − Z'‖, of n rows of norm 1
	c.Query, c.Coordinates, c.Draws, c.Fp = q, c.size(), 1, 0x1p-48*float64(1+c.columns())
	if err := c.State(st.Before); err != nil {
		return nil, err
	}
	return c, c.GaussianSum.Calibrate(r.Budget(), st)
}

// Settle calibrates the noise of all cells together.
func (r Release) Settle(st stage.Stage) (mechanism.Settled[CorrelationMatrix], error) {
	c, err := r.Calibrate(st)
	if err != nil {
		return mechanism.Settled[CorrelationMatrix]{}, err
	}
	b, err := c.Price(r.Budget(), st, cost.Release{
		Name: kind.Describe(r),
		Constants: []stage.Constant{
			{Symbol: "w", Value: math.Sqrt(c.square), Origin: stage.FromConstruction, Meaning: "scale of a row (1, u), u in [−1, 1] in each column, so that its norm is at most 1"},
			{Symbol: "σ", Value: c.Sigma, Origin: stage.FromParameter, Meaning: "noise on the packed triangle of Σ zzᵀ, of rows z = w(1, u)"},
		},
		Reference: "tables of people §3, correlations; one draw; Gaussian mechanism with symmetric noise",
	})
	s := mechanism.ReadOnce(b, c.Cells, func(cells []int64, rng *noise.Source) (CorrelationMatrix, error) {
		noisy := slices.Clone(cells)
		noise.AddGaussian(rng, noisy, c.GridSD)
		return c.matrix(st, func(at int) float64 { return c.Grid.Value(noisy[at]) }, c.Sigma), nil
	})
	if !c.counted {
		s.Predicted = c.predicted(st)
	}
	return s, err
}

// predicted is the noise on a mean product, which no row has a say in. That on a correlation is so much over the product of both standard
// deviations, in half ranges, which nobody knows before the release.
func (c *calibrated) predicted(st stage.Stage) mechanism.Prediction {
	sd := c.Sigma / (math.Sqrt2 * c.square) / float64(st.Before.N)
	return mechanism.Prediction{
		Of: "noise on the mean product of two columns, each in half ranges from the middle of its bounds; a correlation is off by that over the " +
			"product of both standard deviations in half ranges: 4 times it where they are a quarter of the ranges, 100 times where a twentieth; " +
			"ClipColumns makes ranges narrower",
		Size: []float64{sd}, Names: []string{"each mean product"}, Law: mechanism.Gaussian, Most: []float64{1},
	}
}

// add adds a row to the cells, with unit times its numbers, rounded.
func (c *calibrated) add(each func(at int, v float64)) func(row []float64) {
	d := c.columns()
	u := make([]float64, d)
	return func(row []float64) {
		at := 0
		if c.counted {
			each(at, c.square)
			at++
		}
		for j, x := range row[:d] {
			u[j] = min(max((x-c.mid[j])/c.half[j], -1), 1)
			if math.IsNaN(u[j]) { // no step of this package leaves a cell without a value here
				u[j] = 0
			}
			each(at, math.Sqrt2*c.square*u[j])
			at++
		}
		for j, x := range u {
			each(at, c.square*float64(x*x)) // no fused operation: the same bits on every machine
			at++
			for _, y := range u[j+1:] {
				each(at, math.Sqrt2*c.square*float64(x*y))
				at++
			}
		}
	}
}

// Cells are the exact cells in steps of the grid.
func (c *calibrated) Cells(ctx context.Context, in rows.Driver) ([]int64, error) {
	inv := 1 / c.Grid.Step()
	return rows.IntegerSums(ctx, in, c.size(), func() func([]int64, []float64, float64) {
		var to []int64
		add := c.add(func(at int, v float64) { to[at] += int64(math.RoundToEven(v * inv)) })
		return func(cells []int64, row []float64, _ float64) {
			to = cells
			add(row)
		}
	})
}

// matrix makes the value of cells.
func (c *calibrated) matrix(st stage.Stage, value func(at int) float64, sigma float64) CorrelationMatrix {
	d := c.columns()
	m := CorrelationMatrix{Columns: domain.FeatureNames(st.In), Rows: st.Before.N, Sums: make([]float64, d), Products: make([]float64, d*d)}
	for _, f := range st.In.Features() {
		m.Lo, m.Hi = append(m.Lo, f.Lo), append(m.Hi, f.Hi)
	}
	m.SquareSigma, m.SumSigma = sigma/c.square, sigma/(math.Sqrt2*c.square)
	at := 0
	if c.counted {
		n := value(at) / c.square
		m.Present = &n
		at++
	}
	for j := range d {
		m.Sums[j] = value(at) / (math.Sqrt2 * c.square)
		at++
	}
	for j := range d {
		m.Products[j*d+j] = value(at) / c.square
		at++
		for k := j + 1; k < d; k++ {
			v := value(at) / (math.Sqrt2 * c.square)
			m.Products[j*d+k], m.Products[k*d+j] = v, v
			at++
		}
	}
	return m
}

// Exact computes the moments without noise.
func (r Release) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (CorrelationMatrix, error) {
	c, err := describe(st)
	if err != nil {
		return CorrelationMatrix{}, err
	}
	all := make([]rows.Neumaier, c.size())
	add := c.add(func(at int, v float64) { all[at].Add(v) })
	err = in.InOrder(ctx, num.PresentRows(func(row []float64, _ float64) { add(row) }))
	return c.matrix(st, func(at int) float64 { return all[at].Sum() }, 0), err
}
