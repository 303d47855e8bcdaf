package unbounded

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// meanNoise is what is done to the exact statistics: noise, or nothing.
type meanNoise struct {
	bin chooser            // of BinsPure
	add func(sums []int64) // to counts of bins, for the others
	sum func(r *MeanRound, sums []int64) []float64
}

func (p *calibratedMean) withNoise(rng *noise.Source) meanNoise {
	return meanNoise{
		ByWeight(rng, p.level),
		func(sums []int64) { p.bins.Add(rng, sums) },
		func(r *MeanRound, sums []int64) []float64 {
			if r.Steps > 0 {
				noise.AddLaplace(rng, sums, r.Steps)
				return r.values(sums)
			}
			return r.Gauss.Draw(rng, r.values(sums))
		},
	}
}

func withoutNoise() meanNoise {
	return meanNoise{fullest, func([]int64) {}, (*MeanRound).values}
}

// Exact measures without noise. The rows are clipped as they would be.
func (u UnboundedMean) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (MeanEstimate, error) {
	p, err := u.Calibrated(st)
	if err != nil {
		return MeanEstimate{}, err
	}
	counts, err := p.counts(ctx, in)
	if err != nil {
		return MeanEstimate{}, err
	}
	return p.estimate(ctx, in, st, counts, withoutNoise())
}

// counts are the cells of each column by bins of its scale.
func (p *calibratedMean) counts(ctx context.Context, in rows.Driver) ([]map[float64]int64, error) {
	width := make([]float64, p.d)
	for j, s := range p.scale {
		width[j] = binWidth * s
	}
	return countBins(ctx, in, width)
}

// estimate locates the columns by the counts of their bins, and measures twice around what it found.
func (p *calibratedMean) estimate(ctx context.Context, in rows.Driver, st stage.Stage, counts []map[float64]int64, with meanNoise) (MeanEstimate, error) {
	e := MeanEstimate{Located: make([]bool, p.d)}
	centre := make([]float64, p.d) // in scales
	for j, c := range counts {
		bin := 0.0
		if p.Locator == BinsPure {
			bin, e.Located[j] = Descend(c, with.bin), true
		} else {
			bin, e.Located[j] = p.bins.Pick(c, with.add)
		}
		if e.Located[j] {
			centre[j] = (bin + 0.5) * binWidth
		}
	}
	n := float64(st.Before.N)
	for k, r := range p.rounds() {
		sums, err := p.sums(rows.AtPoint(ctx, append([]float64{float64(k)}, centre...)...), in, r, centre)
		if err != nil {
			return MeanEstimate{}, err
		}
		for j, v := range with.sum(r, sums) {
			centre[j] += v / n
		}
	}
	for j, f := range st.In.Features() {
		e.Names = append(e.Names, f.Name)
		e.Values = append(e.Values, num.Clamp(centre[j]*p.scale[j], -math.MaxFloat64, math.MaxFloat64))
	}
	return e, nil
}

// rounds are those around what was located.
func (p *calibratedMean) rounds() []*MeanRound { return []*MeanRound{&p.First, &p.Last} }

// again makes the pass of a round around a centre.
func (p *calibratedMean) again(ctx context.Context, in rows.Driver, point []float64) error {
	rounds := p.rounds()
	if len(point) != 1+p.d || !(point[0] >= 0 && point[0] < float64(len(rounds))) {
		return mechanism.ErrPoint
	}
	_, err := p.sums(rows.AtPoint(ctx, point...), in, rounds[int(point[0])], point[1:])
	return err
}

// values are sums in steps of the grid as numbers.
func (r *MeanRound) values(sums []int64) []float64 {
	out := make([]float64, len(sums))
	for j, s := range sums {
		out[j] = float64(s) * r.H
	}
	return out
}

// sums adds the rows' clipped distances from a centre, in steps. A row that is not there adds nothing.
func (p *calibratedMean) sums(ctx context.Context, in rows.Driver, r *MeanRound, centre []float64) ([]int64, error) {
	// (1, x) ↦ x/scale − centre
	a := make([]float64, p.d*(p.d+1))
	for j := range p.d {
		a[j*(p.d+1)] = -centre[j]
		a[j*(p.d+1)+j+1] = 1 / p.scale[j]
	}
	in = rows.BindSecret(rows.Bind(in, "round", r), "centre", a)
	return rows.IntegerSums(ctx, in, p.d, func() func([]int64, []float64, float64) {
		u, y, k := make([]float64, p.d+1), make([]float64, p.d), make([]float64, p.d)
		return func(sums []int64, row []float64, _ float64) {
			u[0] = 1
			copy(u[1:], row)
			r.Place(k, y, u, a)
			for j, v := range k {
				sums[j] += int64(v)
			}
		}
	})
}
