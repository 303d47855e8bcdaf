package dpkit

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// rankQuery asks for two order statistics of a column's observed numbers on their grid, together
// with copies of a public number that make them at least floor ≥ 1 in all, and for the sum of what
// lies between them.
type rankQuery struct {
	column int // position in the row
	grid   fixedPoint
	lo, hi int64 // public domain, on the grid
	pad    int64 // in [lo, hi]
	floor  int
	// ranks returns the wanted ranks among n numbers in ascending order, 0 ≤ a ≤ b < n.
	ranks func(n int) (a, b int)
}

// rankAnswer is exact: it does not depend on the order of the rows.
type rankAnswer struct {
	n       int // numbers, copies of the public one included
	low     int64
	high    int64
	between int128 // sum of the numbers with ranks strictly between
}

// of returns the integer of a cell, and false where it is missing.
func (q *rankQuery) of(x float64) (int64, bool) {
	if math.IsNaN(x) {
		return 0, false
	}
	return min(max(q.grid.of(x), q.lo), q.hi), true
}

// histogramBins is the number of bins per interval and pass.
const histogramBins = 1024

// gatherLimit is how many numbers may be held outside their source: 32 MB.
const gatherLimit = 1 << 22

// orderStatistics answers all queries in two passes (few rows: one): histograms over the public domains find the
// bins of the wanted ranks, then what lies between these bins is summed and what lies in them is
// held and sorted. Where a bin holds too much, more passes cut it into 1024 parts each, down to a
// single number.
func orderStatistics(ctx context.Context, in frames.Source, queries []rankQuery) ([]rankAnswer, error) {
	searches := make([]rankSearch, len(queries))
	var first []countTask
	for k := range queries {
		q := &queries[k]
		all := bracket{lo: q.lo, hi: q.hi}
		searches[k] = rankSearch{rankQuery: q, in: [2]bracket{all, all}}
		first = append(first, newCountTask(q, q.lo, q.hi))
	}
	if in.Rows() <= histogramBins {
		return gather(ctx, in, searches)
	}
	counts, err := drive(ctx, inProcess{in}, func() *rankCounts { return newRankCounts(first) })
	if err != nil {
		return nil, err
	}
	for k := range searches {
		observed := 0
		for _, c := range counts.bins[k] {
			observed += c
		}
		searches[k].observed(observed)
		searches[k].narrow(counts.bins[k:k+1], first[k:k+1])
	}
	for {
		held := 0
		var tasks []countTask
		for k := range searches {
			for _, b := range searches[k].open() {
				held += b.count
				tasks = append(tasks, newCountTask(searches[k].rankQuery, b.lo, b.hi))
			}
		}
		if held <= gatherLimit {
			break
		}
		counts, err := drive(ctx, inProcess{in}, func() *rankCounts { return newRankCounts(tasks) })
		if err != nil {
			return nil, err
		}
		at := 0
		for k := range searches {
			n := len(searches[k].open())
			searches[k].narrow(counts.bins[at:at+n], tasks[at:at+n])
			at += n
		}
	}
	return gather(ctx, in, searches)
}

// gather is the last pass, and the only one over few rows.
func gather(ctx context.Context, in frames.Source, searches []rankSearch) ([]rankAnswer, error) {
	got, err := drive(ctx, inProcess{in}, func() *rankGather { return newRankGather(searches) })
	if err != nil {
		return nil, err
	}
	out := make([]rankAnswer, len(searches))
	for k := range searches {
		if s := &searches[k]; s.n == 0 {
			s.observed(len(got.held[k][0]))
		}
		out[k] = searches[k].answer(got.between[k], got.held[k])
	}
	return out, nil
}

// bracket is an interval of integers that holds a wanted rank.
type bracket struct {
	lo, hi int64
	below  int // numbers under lo, copies included
	count  int // observed numbers in it
}

// rankSearch is the state of one query.
type rankSearch struct {
	*rankQuery
	n, copies int
	rank      [2]int
	in        [2]bracket // of the two ranks: the same, or disjoint
}

// observed settles the ranks, given how many numbers the column has.
func (s *rankSearch) observed(n int) {
	s.n = max(n, s.floor)
	s.copies = s.n - n
	s.rank[0], s.rank[1] = s.ranks(s.n)
}

// find returns the bin of a rank; so many numbers lie under the task's interval.
func (s *rankSearch) find(rank int, bins []int, t countTask, below int) bracket {
	for k, c := range bins {
		lo := t.lo + int64(k)<<t.shift
		hi := min(t.hi, lo+1<<t.shift-1)
		all := c
		if lo <= s.pad && s.pad <= hi {
			all += s.copies
		}
		if rank < below+all {
			return bracket{lo, hi, below, c}
		}
		below += all
	}
	panic("dpkit: a rank lies beyond its histogram") // impossible: ranks are below the number of numbers
}

// open returns the brackets that hold more than one integer.
func (s *rankSearch) open() []bracket {
	var out []bracket
	for i, b := range s.in {
		if b.lo < b.hi && (i == 0 || b != s.in[0]) {
			out = append(out, b)
		}
	}
	return out
}

// narrow reads histograms over brackets.
func (s *rankSearch) narrow(bins [][]int, tasks []countTask) {
	for i, old := range s.in {
		for k, t := range tasks {
			if t.lo == old.lo && t.hi == old.hi {
				s.in[i] = s.find(s.rank[i], bins[k], t, old.below)
			}
		}
	}
}

// answer puts together what was gathered: the sum between the brackets, and what lies in the open
// ones.
func (s *rankSearch) answer(between int128, held [2][]int64) rankAnswer {
	a := rankAnswer{n: s.n}
	if s.in[0] != s.in[1] {
		a.between = between
		if s.in[0].hi < s.pad && s.pad < s.in[1].lo {
			a.between.addTimes(s.copies, s.pad)
		}
		s.walk(&a, s.in[1], held[1])
	}
	s.walk(&a, s.in[0], held[0])
	return a
}

// walk goes through the numbers of a bracket in order.
func (s *rankSearch) walk(a *rankAnswer, b bracket, held []int64) {
	at := b.below
	run := func(v int64, count int) {
		if at <= s.rank[0] && s.rank[0] < at+count {
			a.low = v
		}
		if at <= s.rank[1] && s.rank[1] < at+count {
			a.high = v
		}
		if inner := min(at+count, s.rank[1]) - max(at, s.rank[0]+1); inner > 0 {
			a.between.addTimes(inner, v)
		}
		at += count
	}
	copies := 0
	if b.lo <= s.pad && s.pad <= b.hi {
		copies = s.copies
	}
	if b.lo == b.hi {
		run(b.lo, b.count+copies)
		return
	}
	slices.Sort(held)
	under, _ := slices.BinarySearch(held, s.pad)
	for _, v := range held[:under] {
		run(v, 1)
	}
	run(s.pad, copies)
	for _, v := range held[under:] {
		run(v, 1)
	}
}

// countTask is a histogram of the numbers of a query in [lo, hi], in bins of 2^shift integers.
type countTask struct {
	q      *rankQuery
	lo, hi int64
	shift  uint
}

func newCountTask(q *rankQuery, lo, hi int64) countTask {
	t := countTask{q: q, lo: lo, hi: hi}
	for (hi-lo)>>t.shift >= histogramBins {
		t.shift++
	}
	return t
}

// rankCounts is the accumulator of the histograms.
type rankCounts struct {
	tasks []countTask
	bins  [][]int
}

func newRankCounts(tasks []countTask) *rankCounts {
	c := &rankCounts{tasks: tasks, bins: make([][]int, len(tasks))}
	for k, t := range tasks {
		c.bins[k] = make([]int, (t.hi-t.lo)>>t.shift+1)
	}
	return c
}

func (c *rankCounts) add(b *frames.Block) {
	eachStrip(b, func(x []float64) {
		for k, t := range c.tasks {
			bins, lo, hi, shift := c.bins[k], t.lo, t.hi, t.shift&63
			for at := t.q.column; at < len(x); at += b.Cols {
				if v, ok := t.q.of(x[at]); ok && v >= lo && v <= hi {
					bins[(v-lo)>>shift]++
				}
			}
		}
	})
}

func (c *rankCounts) merge(next *rankCounts) {
	for k, bins := range next.bins {
		for i, n := range bins {
			c.bins[k][i] += n
		}
	}
}

func (c *rankCounts) code(to *coder) {
	to.name("rank counts 1")
	to.same("histograms", uint64(len(c.bins)))
	for _, bins := range c.bins {
		to.counts(bins)
	}
}

// rankGather is the accumulator of the last pass.
type rankGather struct {
	searches []rankSearch
	between  []int128
	held     [][2][]int64
}

func newRankGather(s []rankSearch) *rankGather {
	return &rankGather{searches: s, between: make([]int128, len(s)), held: make([][2][]int64, len(s))}
}

func (g *rankGather) add(b *frames.Block) {
	eachStrip(b, func(x []float64) {
		for k := range g.searches {
			s := &g.searches[k]
			low, high := s.in[0], s.in[1]
			var sum int64 // of integers below 2^51, at most stripRows of them
			for at := s.column; at < len(x); at += b.Cols {
				v, ok := s.of(x[at])
				switch {
				case !ok || v < low.lo || v > high.hi:
				case v <= low.hi:
					if low.lo < low.hi {
						g.held[k][0] = append(g.held[k][0], v)
					}
				case v < high.lo:
					sum += v
				case high.lo < high.hi:
					g.held[k][1] = append(g.held[k][1], v)
				}
			}
			g.between[k].add(sum)
		}
	})
}

func (g *rankGather) merge(next *rankGather) {
	for k := range g.searches {
		g.between[k].addWide(next.between[k])
		for i := range g.held[k] {
			g.held[k][i] = append(g.held[k][i], next.held[k][i]...)
		}
	}
}

func (g *rankGather) code(c *coder) {
	c.name("rank numbers 1")
	c.wides(g.between)
	for k := range g.held {
		for i := range g.held[k] {
			c.list(&g.held[k][i])
		}
	}
}
