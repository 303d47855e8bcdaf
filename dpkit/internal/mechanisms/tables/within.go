package tables

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// What is asked of a statistic bounds its variance, a sum of the noise on the count, of variance x, and on the values of its block, of variance
// y at the weight 1. Given x each block's y is as large as its statistics let it be, so that one number is looked for: the x at which all
// of them cost least (docs/theory/tables.md#weights-for-margins).

// demand is what a statistic is asked: count·x + values·y ≤ most.
type demand struct {
	block         int // −1: of the count alone
	count, values float64
	most          float64
}

// Margins says whether something is asked of the statistics.
func (r Release) Margins() bool {
	for _, s := range r.Of {
		if s.Margin != 0 || s.Confidence != 0 {
			return true
		}
	}
	return false
}

// demands are those of all statistics but quantiles; an error where one is asked and another is not.
func (c *calibrated) demands(r Release, st stage.Stage) (out []demand, err error) {
	rows := float64(st.Before.N) / float64(c.n) // of a group, were rows spread evenly
	if c.totals() {
		rows /= float64(max(1, st.Contributions.Rows)) // people
	}
	blocks := c.blocks()
	for _, s := range r.Of {
		switch {
		case s.ofDropped():
			continue
		case s.Margin == 0 && s.Confidence == 0:
			return nil, fmt.Errorf("within: nothing is asked of %v, want a margin of every statistic, or of none: %w", s, kind.ErrParameter)
		case !(s.Margin > 0) || math.IsInf(s.Margin, 1):
			return nil, fmt.Errorf("within: margin of %v: got %g, want a positive finite number in its units: %w", s, s.Margin, kind.ErrParameter)
		case !(s.Confidence > 0 && s.Confidence < 1):
			return nil, fmt.Errorf("within: level of %v: got %g, want a number in (0, 1): %w", s, s.Confidence, kind.ErrParameter)
		case s.Of == Quantile:
			continue
		}
		d := demand{block: -1, count: 1, most: math.Pow(s.Margin/twoSided(1-s.Confidence), 2)}
		if s.Of == Count || s.Of == People {
			out = append(out, d)
			continue
		}
		var m TableMeasure
		for i, b := range blocks {
			if of := c.measures[b.u]; of.isOf(s, false) {
				d.block, m = i, of
			}
		}
		u, square := 1., 1. // variances at the block's weight 1
		if blocks[d.block].square >= 0 {
			u, square = 1/(linearWeight*linearWeight), 1/(squareWeight*squareWeight)
		}
		half := m.half()
		switch s.Of {
		case Sum, Total:
			d.count, d.values = m.mid()*m.mid(), half*half*u
		case Mean, Share, MeanTotal: // of a mean at an end of its bounds
			scale := math.Pow(half/rows, 2)
			d.count, d.values = scale, scale*u
		case Variance:
			scale := math.Pow(half*half/rows, 2)
			d.count, d.values = scale*math.Pow(1+squareCentre, 2), scale*(square+4*u)
		}
		out = append(out, d)
	}
	return out, nil
}

// left are the largest y of each block at a given x; false where some demand leaves nothing.
func left(demands []demand, blocks int, x float64) (y []float64, ok bool) {
	y = make([]float64, blocks)
	for i := range y {
		y[i] = math.Inf(1)
	}
	for _, d := range demands {
		room := d.most - d.count*x
		if !(room >= 0) {
			return nil, false
		}
		if d.block >= 0 {
			y[d.block] = min(y[d.block], room/d.values)
		}
	}
	for _, v := range y {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, false
		}
	}
	return y, true
}

// within settles the weights of the blocks for what is asked, and what part of μ² the Gaussian cells and each quantile get.
func (c *calibrated) within(r Release, st stage.Stage) error {
	demands, err := c.demands(r, st)
	if err != nil {
		return err
	}
	strength := 0.0
	if c.counted {
		if strength, err = c.withinCells(demands, st.Before.Neighbours); err != nil {
			return err
		}
	}
	total := strength * strength
	for i := range c.quantiles {
		q := &c.quantiles[i]
		moves, err := c.moves(*q, st.Before, false)
		if err != nil {
			return err
		}
		q.part = math.Pow(q.asks()*moves, 2)
		total += q.part
	}
	c.part = strength * strength / total
	for i := range c.quantiles {
		c.quantiles[i].part /= total
	}
	return nil
}

// asks is the rate at which a quantile keeps its margin.
func (q quantile) asks() float64 {
	return (math.Log(float64(len(q.Candidates))) - math.Log1p(-q.asked.Confidence)) / q.asked.Margin
}

// withinCells settles the weights, and returns the μ that they take at the noise that is asked for.
func (c *calibrated) withinCells(demands []demand, rel accountant.Neighbours) (mu float64, err error) {
	blocks := c.blocks()
	most := math.Inf(1)
	for _, d := range demands {
		if d.count > 0 {
			most = min(most, d.most/d.count)
		}
	}
	if math.IsInf(most, 1) { // no statistic reads the count: it rides along at S = 1
		y, _ := left(demands, len(blocks), 0)
		sum := 0.0
		for _, v := range y {
			sum += 1 / v
		}
		most = 1 / sum
	}
	cost := func(logX float64) float64 {
		x := math.Exp(logX)
		y, ok := left(demands, len(blocks), x)
		if !ok {
			return math.Inf(1)
		}
		s := 0.0
		for _, v := range y {
			s += x / v
		}
		move := oneRow(s, c.n, rel)
		return move / math.Sqrt(x)
	}
	at, best := math.NaN(), math.Inf(1)
	lo, hi := math.Log(most)-16, math.Log(most)
	const points = 256
	for i := range points + 1 {
		x := lo + (hi-lo)*float64(i)/points
		if v := cost(x); v < best {
			at, best = x, v
		}
	}
	if math.IsNaN(at) {
		return 0, fmt.Errorf("within: no noise keeps the margins: want larger ones: %w", kind.ErrParameter)
	}
	from, to := at-(hi-lo)/points, min(hi, at+(hi-lo)/points)
	for range 60 { // thirds
		l, r := from+(to-from)/3, to-(to-from)/3
		if cost(l) <= cost(r) {
			to = r
		} else {
			from = l
		}
		if mid := (from + to) / 2; cost(mid) < best {
			at, best = mid, cost(mid)
		}
	}
	x := math.Exp(at)
	y, _ := left(demands, len(blocks), x)
	for i, b := range blocks {
		b.weigh(c, math.Sqrt(x/y[i]))
	}
	if rel == accountant.ReplaceOne {
		best *= 2 // oneRow is in the units of pair.Query
	}
	return best, nil
}

// asked is the largest of what statistics are predicted to be off by over what is asked of them; 0 where nothing is.
func (c *calibrated) askedOf(r Release, st stage.Stage) (most float64) {
	if !r.Margins() {
		return 0
	}
	demands, err := c.demands(r, st)
	if err != nil {
		return 0
	}
	blocks := c.blocks()
	for _, d := range demands {
		v := d.count * c.Sigma * c.Sigma
		if d.block >= 0 {
			w := c.weights[blocks[d.block].u]
			if blocks[d.block].square >= 0 {
				w /= linearWeight
			}
			v += d.values * c.Sigma * c.Sigma / (w * w)
		}
		most = max(most, math.Sqrt(v/d.most))
	}
	for _, q := range c.quantiles {
		most = max(most, q.asks()/q.eta)
	}
	return most
}
