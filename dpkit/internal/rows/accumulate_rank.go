package rows

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// RankQuery asks for two order statistics of a column's observed numbers on their grid, together
// with copies of a public number that make them at least floor ≥ 1 in all, and for the sum of what
// lies between them.
type RankQuery struct {
	Column int // position in the row
	Grid   FixedPoint
	Lo, Hi int64 // public domain, on the grid
	Pad    int64 // in [lo, hi]
	Floor  int
	// Ranks returns the wanted ranks among n numbers in ascending order, 0 ≤ a ≤ b < n.
	Ranks func(n int) (a, b int)
}

// RankAnswer is exact: it does not depend on the order of the rows.
type RankAnswer struct {
	N       int // numbers, copies of the public one included
	Low     int64
	High    int64
	Between int128 // sum of the numbers with ranks strictly between
}

// public is what settles the integers of a column. Which ranks are wanted of them does not change what is counted.
func (q *RankQuery) public() any {
	if q == nil {
		return nil
	}
	return struct {
		column      int
		grid        FixedPoint
		lo, hi, pad int64
		floor       int
	}{q.Column, q.Grid, q.Lo, q.Hi, q.Pad, q.Floor}
}

// of returns the integer of a cell, and false where it is missing.
func (q *RankQuery) of(x float64) (int64, bool) {
	if math.IsNaN(x) {
		return 0, false
	}
	return min(max(q.Grid.Of(x), q.Lo), q.Hi), true
}

// histogramBins is the number of bins per interval and pass.
const histogramBins = 1024

// gatherLimit is how many numbers may be held outside their source: 32 MB.
const gatherLimit = 1 << 22

// OrderStatistics answers all queries in two passes (few rows: one): histograms over the public domains find the
// bins of the wanted ranks, then what lies between these bins is summed and what lies in them is
// held and sorted. Where a bin holds too much, more passes cut it into 1024 parts each, down to a
// single number.
func OrderStatistics(ctx context.Context, in frames.Source, queries []RankQuery) ([]RankAnswer, error) {
	searches := make([]RankSearch, len(queries))
	var first []countTask
	for k := range queries {
		q := &queries[k]
		all := bracket{lo: q.Lo, hi: q.Hi}
		searches[k] = RankSearch{RankQuery: q, in: [2]bracket{all, all}}
		first = append(first, newCountTask(q, q.Lo, q.Hi))
	}
	if in.Rows() <= histogramBins {
		return gather(ctx, in, searches)
	}
	counts, err := Drive(ctx, Over(in), func() *RankCounts { return newRankCounts(first) })
	if err != nil {
		return nil, err
	}
	for k := range searches {
		observed := 0
		for _, c := range counts.Bins[k] {
			observed += c
		}
		searches[k].observed(observed)
		searches[k].narrow(counts.Bins[k:k+1], first[k:k+1])
	}
	for {
		held := 0
		var tasks []countTask
		for k := range searches {
			for _, b := range searches[k].open() {
				held += b.count
				tasks = append(tasks, newCountTask(searches[k].RankQuery, b.lo, b.hi))
			}
		}
		if held <= gatherLimit {
			break
		}
		counts, err := Drive(ctx, Over(in), func() *RankCounts { return newRankCounts(tasks) })
		if err != nil {
			return nil, err
		}
		at := 0
		for k := range searches {
			n := len(searches[k].open())
			searches[k].narrow(counts.Bins[at:at+n], tasks[at:at+n])
			at += n
		}
	}
	return gather(ctx, in, searches)
}

// gather is the last pass, and the only one over few rows.
func gather(ctx context.Context, in frames.Source, searches []RankSearch) ([]RankAnswer, error) {
	got, err := Drive(ctx, Over(in), func() *RankGather { return NewRankGather(searches) })
	if err != nil {
		return nil, err
	}
	out := make([]RankAnswer, len(searches))
	for k := range searches {
		if s := &searches[k]; s.n == 0 {
			s.observed(len(got.Held[k][0]))
		}
		out[k] = searches[k].answer(got.between[k], got.Held[k])
	}
	return out, nil
}

// bracket is an interval of integers that holds a wanted rank.
type bracket struct {
	lo, hi int64
	below  int // numbers under lo, copies included
	count  int // observed numbers in it
}

// RankSearch is the state of one query.
type RankSearch struct {
	*RankQuery
	n, copies int
	rank      [2]int
	in        [2]bracket // of the two ranks: the same, or disjoint
}

// observed settles the ranks, given how many numbers the column has.
func (s *RankSearch) observed(n int) {
	s.n = max(n, s.Floor)
	s.copies = s.n - n
	s.rank[0], s.rank[1] = s.Ranks(s.n)
}

// find returns the bin of a rank; so many numbers lie under the task's interval.
func (s *RankSearch) find(rank int, bins []int, t countTask, below int) bracket {
	for k, c := range bins {
		lo := t.lo + int64(k)<<t.shift
		hi := min(t.hi, lo+1<<t.shift-1)
		all := c
		if lo <= s.Pad && s.Pad <= hi {
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
func (s *RankSearch) open() []bracket {
	var out []bracket
	for i, b := range s.in {
		if b.lo < b.hi && (i == 0 || b != s.in[0]) {
			out = append(out, b)
		}
	}
	return out
}

// narrow reads histograms over brackets.
func (s *RankSearch) narrow(bins [][]int, tasks []countTask) {
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
func (s *RankSearch) answer(between int128, held [2][]int64) RankAnswer {
	a := RankAnswer{N: s.n}
	if s.in[0] != s.in[1] {
		a.Between = between
		if s.in[0].hi < s.Pad && s.Pad < s.in[1].lo {
			a.Between.addTimes(s.copies, s.Pad)
		}
		s.walk(&a, s.in[1], held[1])
	}
	s.walk(&a, s.in[0], held[0])
	return a
}

// walk goes through the numbers of a bracket in order.
func (s *RankSearch) walk(a *RankAnswer, b bracket, held []int64) {
	at := b.below
	run := func(v int64, count int) {
		if at <= s.rank[0] && s.rank[0] < at+count {
			a.Low = v
		}
		if at <= s.rank[1] && s.rank[1] < at+count {
			a.High = v
		}
		if inner := min(at+count, s.rank[1]) - max(at, s.rank[0]+1); inner > 0 {
			a.Between.addTimes(inner, v)
		}
		at += count
	}
	copies := 0
	if b.lo <= s.Pad && s.Pad <= b.hi {
		copies = s.copies
	}
	if b.lo == b.hi {
		run(b.lo, b.count+copies)
		return
	}
	slices.Sort(held)
	under, _ := slices.BinarySearch(held, s.Pad)
	for _, v := range held[:under] {
		run(v, 1)
	}
	run(s.Pad, copies)
	for _, v := range held[under:] {
		run(v, 1)
	}
}

// countTask is a histogram of the numbers of a query in [lo, hi], in bins of 2^shift integers.
type countTask struct {
	q      *RankQuery
	lo, hi int64
	shift  uint
}

func newCountTask(q *RankQuery, lo, hi int64) countTask {
	t := countTask{q: q, lo: lo, hi: hi}
	for (hi-lo)>>t.shift >= histogramBins {
		t.shift++
	}
	return t
}

// RankCounts is the accumulator of the histograms.
type RankCounts struct {
	tasks []countTask
	Bins  [][]int
}

func newRankCounts(tasks []countTask) *RankCounts {
	c := &RankCounts{tasks: tasks, Bins: make([][]int, len(tasks))}
	for k, t := range tasks {
		c.Bins[k] = make([]int, (t.hi-t.lo)>>t.shift+1)
	}
	return c
}

func (c *RankCounts) Add(b *frames.Block) {
	eachStrip(b, func(x []float64) {
		for k, t := range c.tasks {
			bins, lo, hi, shift := c.Bins[k], t.lo, t.hi, t.shift&63
			for at := t.q.Column; at < len(x); at += b.Cols {
				if v, ok := t.q.of(x[at]); ok && v >= lo && v <= hi {
					bins[(v-lo)>>shift]++
				}
			}
		}
	})
}

func (c *RankCounts) Merge(next *RankCounts) {
	for k, bins := range next.Bins {
		for i, n := range bins {
			c.Bins[k][i] += n
		}
	}
}

func (c *RankCounts) Code(to *Coder) {
	to.Name("rank counts 1")
	for _, t := range c.tasks {
		to.Bind("column on its grid", t.q.public())
		to.BindSecret("bracket", t.lo, t.hi)
	}
	to.Same("histograms", uint64(len(c.Bins)))
	for _, bins := range c.Bins {
		to.counts(bins)
	}
}

// RankGather is the accumulator of the last pass.
type RankGather struct {
	searches []RankSearch
	between  []int128
	Held     [][2][]int64
}

// NewRankGather is the empty accumulator of the last pass of these searches.
func NewRankGather(s []RankSearch) *RankGather {
	return &RankGather{searches: s, between: make([]int128, len(s)), Held: make([][2][]int64, len(s))}
}

func (g *RankGather) Add(b *frames.Block) {
	eachStrip(b, func(x []float64) {
		for k := range g.searches {
			s := &g.searches[k]
			low, high := s.in[0], s.in[1]
			var sum int64 // of integers below 2^51, at most stripRows of them
			for at := s.Column; at < len(x); at += b.Cols {
				v, ok := s.of(x[at])
				switch {
				case !ok || v < low.lo || v > high.hi:
				case v <= low.hi:
					if low.lo < low.hi {
						g.Held[k][0] = append(g.Held[k][0], v)
					}
				case v < high.lo:
					sum += v
				case high.lo < high.hi:
					g.Held[k][1] = append(g.Held[k][1], v)
				}
			}
			g.between[k].Add(sum)
		}
	})
}

func (g *RankGather) Merge(next *RankGather) {
	for k := range g.searches {
		g.between[k].addWide(next.between[k])
		for i := range g.Held[k] {
			g.Held[k][i] = append(g.Held[k][i], next.Held[k][i]...)
		}
	}
}

func (g *RankGather) Code(c *Coder) {
	c.Name("rank numbers 1")
	for _, s := range g.searches {
		c.Bind("column on its grid", s.public())
		c.BindSecret("brackets", s.in[0].lo, s.in[0].hi, s.in[1].lo, s.in[1].hi)
	}
	c.wides(g.between)
	for k := range g.Held {
		for i := range g.Held[k] {
			c.list(&g.Held[k][i])
		}
	}
}
