package sums

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Penalties returns every candidate's error, in units of 1/RankUnit rows.
func (p *calibratedQuantile) Penalties(ctx context.Context, in rows.Driver) ([]uint64, error) {
	if p.width > 0 {
		return p.softRanks(ctx, in)
	}
	return p.ranks(ctx, in)
}

// ranks counts rows below a candidate, L, and up to it, U, each at the candidate that is nearest to it.
func (p *calibratedQuantile) ranks(ctx context.Context, in rows.Driver) ([]uint64, error) {
	r := RankErrors{p.candidates, p.q}
	s, err := rows.Drive(ctx, in, func() *rankSums {
		return &rankSums{RowSums: rows.RowSums{Sums: make([]int64, r.Size())}, at: p.at, candidates: p.candidates}
	})
	return r.Errors(s.Sums), err
}

// rankSums are the sums of that pass, whose rows are counted by a loop of their own: that is all that it does with them.
type rankSums struct {
	rows.RowSums
	at         int
	candidates []float64
}

func (s *rankSums) Add(b *frames.Block) {
	rows.EachRun(b, func(from, to int) {
		for at := from*b.Cols + s.at; at < to*b.Cols; at += b.Cols {
			countRank(s.candidates, s.Sums, b.X[at])
		}
	})
}

func (s *rankSums) Merge(next *rankSums) { s.RowSums.Merge(&next.RowSums) }

// firstAtLeast is sort.SearchFloat64s: it looks first where x stood if the candidates were even, as those of a bounded column are.
func firstAtLeast(candidates []float64, x float64) int {
	last := float64(len(candidates) - 1)
	if at := (x - candidates[0]) / (candidates[len(candidates)-1] - candidates[0]) * last; at > 0 && at < last { // not for an overflow
		i := int(at)
		for end := min(i+2, len(candidates)-1); i < end && candidates[i] < x; i++ {
		}
		for ; i > 0 && i > int(at)-2 && candidates[i-1] >= x; i-- {
		}
		if candidates[i] >= x && (i == 0 || candidates[i-1] < x) {
			return i
		}
	}
	return sort.SearchFloat64s(candidates, x)
}

// softRanks counts rows by how far below a candidate c they are: with u = (c − x)/w a row adds u to L and 1 + u to U, no less than 0
// and no more than 1 (docs/theory/mechanisms.md#rank-errors-within-a-width).
func (p *calibratedQuantile) softRanks(ctx context.Context, in rows.Driver) ([]uint64, error) {
	k := len(p.candidates)
	sums, err := rows.IntegerSums(ctx, in, 4*(k+1), func() func([]int64, []float64, float64) {
		return func(sums []int64, row []float64, _ float64) {
			x := row[p.at]
			if math.IsNaN(x) {
				return
			}
			whole, part := sums[:2*(k+1)], sums[2*(k+1):]
			u := func(i int) float64 { return (p.candidates[i] - x) / p.width }
			from := func(least float64) int { return sort.Search(k, func(i int) bool { return u(i) >= least }) }
			at, next := from(0), from(1)
			for i := from(-1); i < at; i++ {
				part[i] += int64((1 + u(i)) * RankUnit)
			}
			for i := at; i < next; i++ {
				part[k+1+i] += int64(u(i) * RankUnit)
			}
			whole[at]++
			whole[k+1+next]++
		}
	})
	upTo, below := sums[:k+1], sums[k+1:2*(k+1)]
	partUpTo, partBelow := sums[2*(k+1):3*(k+1)], sums[3*(k+1):]
	n := total(upTo)
	out := make([]uint64, k)
	u, l := int64(0), int64(0) // rows that add 1
	for i := range out {
		u, l = u+upTo[i], l+below[i]
		out[i] = p.penalty(l*RankUnit+partBelow[i], u*RankUnit+partUpTo[i], n)
	}
	return out, err
}

// RankErrors tell of each candidate by how many rows the rank of a quantile is off at it. A row counts at the candidate that is nearest to it: were
// it to count between candidates, many equal rows that stand between two would make all candidates up to the next rows as good.
type RankErrors struct {
	Candidates []float64 // rising
	Q          int64     // of RankUnit
}

// Size is how many sums there are: the rows at each candidate.
func (r RankErrors) Size() int { return len(r.Candidates) }

// Count adds a row of the value x to the sums; one without a value adds nothing.
func (r RankErrors) Count(sums []int64, x float64) { countRank(r.Candidates, sums, x) }

func countRank(candidates []float64, sums []int64, x float64) {
	if !math.IsNaN(x) {
		sums[nearest(candidates, x)]++
	}
}

// few candidates are tried in turn.
const few = 8

// nearest is the place of the candidate nearest to x, of two the upper one.
func nearest(candidates []float64, x float64) int {
	i := 0
	if len(candidates) > few {
		i = firstAtLeast(candidates, x)
	} else {
		for i < len(candidates) && candidates[i] < x {
			i++
		}
	}
	if i == len(candidates) || i > 0 && x-candidates[i-1] < candidates[i]-x {
		return i - 1
	}
	return i
}

// Errors are those of the candidates, in units of 1/RankUnit rows.
func (r RankErrors) Errors(sums []int64) []uint64 {
	n := total(sums)
	p := calibratedQuantile{q: r.Q}
	out := make([]uint64, len(sums))
	upTo := int64(0)
	for i, at := range sums {
		out[i] = p.penalty(upTo*RankUnit, (upTo+at)*RankUnit, n)
		upTo += at
	}
	return out
}

// RateOf is η = range/2Δ, rounded down to what can be drawn with ([noise.Source.Exponential]): as a fraction of RateUnit for each unit of the
// errors, and in rows.
func RateOf(reach, moves float64) (rate uint64, eta float64, err error) {
	r := math.Floor(reach / (2 * moves) * (1 - 0x1p-50) * (RateUnit / RankUnit))
	if !(r >= 1 && r < RateUnit) {
		return 0, 0, fmt.Errorf("ε: got a range of %g, want one between 1e-12 and 1e5 for weights that are drawn exactly: %w", reach, kind.ErrParameter)
	}
	return uint64(r), r * (RankUnit / 0x1p63), nil
}

// QuantileUnits is q as a fraction of RankUnit. Errors wrap [kind.ErrParameter].
func QuantileUnits(q float64) (int64, error) {
	if !(q > 0 && q < 1) {
		return 0, fmt.Errorf("q: got %v, want a number strictly between 0 and 1: %w", q, kind.ErrParameter)
	}
	r := math.Round(q * RankUnit)
	if !(r >= 1 && r < RankUnit) {
		end, take, of := "at least 4.8e-07", "1e-06", "smallest"
		if q > 0.5 {
			end, take, of = "at most 1 - 4.8e-07", "0.999999", "largest"
		}
		return 0, fmt.Errorf("q: got %v, want %s: ranks are counted in units of 2^-20 of the rows; ask for q = %s, the %s number of up to a million rows: %w",
			q, end, take, of, kind.ErrParameter)
	}
	return int64(r), nil
}

// Cells are the candidates that divide the bounds of a column.
func Cells(c frames.Column, cells int) []float64 { return Quantile{}.grid(c, cells) }

// penalty is max(L − qN, qN − U, 0), all in units of 1/RankUnit rows but N.
func (p *calibratedQuantile) penalty(l, u, n int64) uint64 {
	return uint64(max(l-p.q*n, p.q*n-u, 0))
}

func total(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// moves bounds by how many rows an error moves between the two tables of a pair, in all and for its free rows alone: each row that comes or
// goes by max(q, 1 − q), and one that is replaced by 1. A row that is
// displaced by t moves it by 1, or by t/w within a width, and by 2/RankUnit more in fixed point.
func (p *calibratedQuantile) moves(s pair.State, displaced bool) (all, free float64, err error) {
	each := pair.Query{C: 0.5}
	if s.Neighbours == accountant.AddRemove {
		each.C = float64(max(p.q, RankUnit-p.q)) / RankUnit
	}
	if _, _, err = each.Sensitivity(s); err != nil {
		return 0, 0, err
	}
	if free = quad.MulUp(each.C, FreeRows(s, p.person)); !displaced {
		return free, free, nil
	}
	shift := float64(s.M)
	if p.width > 0 {
		shift = min(shift, quad.AddUp(stage.Up(s.T1/p.width), quad.MulUp(float64(s.M), 2./RankUnit)))
	}
	return quad.AddUp(free, shift), free, nil
}

// event is the release where errors move by that many rows.
func (p *calibratedQuantile) event(s pair.State, moves float64) accountant.Exponential {
	return accountant.Exponential{Epsilon: quad.MulUp(2*p.Eta(), moves), Neighbours: s.Neighbours}
}

// widths are the powers of ½ of a column's range that chooseWidth looks at: the least has cellsInWidth of defaultCells, so that a
// displacement next to nothing asks for no finer grid than none does.
const widths = 14

// chooseWidth takes the width for which value and rank together are predicted to be off least, from public facts alone: by the width
// itself, and by ln(20K)/η rows of K cells, which are spread over the range evenly for want of anything better. It is 0, ranks, where
// displaced rows are few.
func (p *calibratedQuantile) chooseWidth(q Quantile, s pair.State, c frames.Column, reach float64) float64 {
	span := c.Hi - c.Lo
	if c.NoBounds || !(s.N > 0) || !(span > 0) {
		return 0
	}
	off := func(w float64) float64 {
		at := *p
		at.width = w
		all, _, err := at.moves(s, true)
		if err != nil {
			return math.Inf(1)
		}
		return w + 2*all*math.Log(20*float64(len(p.candidates)))/reach*span/float64(s.N)
	}
	best := 0.0
	for k := range widths {
		if w := math.Ldexp(span, -k); off(w) < off(best) && w >= q.gap(c) { // within a narrower one no candidate need be without error
			best = w
		}
	}
	return best
}
