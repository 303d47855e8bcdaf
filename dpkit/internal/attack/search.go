package attack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

var addRemove = accountant.AddRemove.String()

// Options of a search.
type Options struct {
	Seed  uint64
	Rows  []int // sizes of datasets; nil: 2, 7 and 40
	Pairs int   // to try, spread over the sizes and the constants; 0: 1000
	// Large is the most rows of a few pairs beside those: the best ones in the same proportions, and drawn ones, of sizes drawn between.
	// What they attain is not counted. 0: none.
	Large int
	// Replay are pairs that earlier searches found: they are tried first, and climbed from, in their proportions at other sizes.
	Replay []Pair
	// Points are those that earlier searches found.
	Points Points
	// Enough is the share of a constant that the search is content with; 0: 0.999.
	Enough float64
}

// Found is what a search attained.
type Found struct {
	Best  Shares
	Pairs [Constants]Pair // that attained it
	Tried int
	// Claimed are the constants of which more than 0 was claimed for some pair.
	Claimed [Constants]bool
	Points  Points // known ones, and those where the subject was seen to jump
}

// Replay are the pairs that attained the most, each once.
func (f Found) Replay() (pairs []Pair) {
	for k, p := range f.Pairs {
		if f.Best[k] > 0 && !slices.ContainsFunc(pairs, func(q Pair) bool { return &q.Rows[0] == &p.Rows[0] }) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// Search looks for a pair that breaks the subject's claims, and for those that come nearest. A claim that does not hold is a
// *[Breach]; any other error is one of Price or Run on a pair that the subject must take.
func Search(ctx context.Context, s Subject, o Options) (Found, error) {
	if len(o.Rows) == 0 {
		o.Rows = []int{2, 7, 40}
	}
	if o.Pairs == 0 {
		o.Pairs = 1000
	}
	if o.Enough == 0 {
		o.Enough = 0.999
	}
	h := &hunt{ctx: ctx, Subject: s, drawer: newDrawer(rand.New(rand.NewPCG(o.Seed, 0x5eed)), s), claims: map[int]priced{}}
	for _, c := range h.columns {
		for _, v := range o.Points[c.Name] {
			h.points.add(c, v)
		}
	}
	h.found.Points = h.points
	h.sizes = o.Rows
	o.Replay = slices.Clone(o.Replay)
	for i, p := range o.Replay {
		if p = h.fill(p); !h.legal(p) {
			return h.found, fmt.Errorf("attack: a pair to replay has cells outside the domain: take it out of the corpus:\n%v", p)
		}
		o.Replay[i] = p
		if _, _, err := h.try(p); err != nil {
			return h.found, err
		}
	}
	if err := h.search(o); err != nil {
		return h.found, err
	}
	err := h.large(o)
	return h.found, err
}

// hunt is a search under way.
type hunt struct {
	ctx context.Context
	Subject
	*drawer
	claims map[int]priced // by the number of rows, where pairs of as many have one state
	found  Found
	sizes  []int         // of pairs that count
	here   Shares        // attained with as many rows as are tried now
	behind *frames.Block // side A of the pair that was tried last, behind the subject
	told   [][]float64   // and the answers to its queries
}

type priced struct {
	State
	Claim
}

// goals are the constants that are climbed towards.
var goals = []Constant{Total, Frobenius, Largest, FreeRow, Query, Norm, FreeRows}

// A climb begins from the best of some drawn pairs and takes at most so many steps; then another begins.
const (
	mostSeeds = 60
	mostSteps = 240
)

func (h *hunt) search(o Options) error {
	if err := h.jumps(o.Rows[min(1, len(o.Rows)-1)], o.Pairs/probeShare); err != nil {
		return err
	}
	if err := h.sweep(o.Rows[len(o.Rows)-1], o.Pairs/probeShare); err != nil {
		return err
	}
	each := max(1, o.Pairs/(len(o.Rows)*len(goals)))
	for _, n := range o.Rows {
		h.here = Shares{}
		for _, goal := range goals {
			for left := each; left > 0; {
				seeds := min(1+left/4, mostSeeds)
				left -= seeds
				best, at, err := h.start(n, goal, seeds, o)
				if err != nil {
					return err
				}
				if h.here[goal] >= o.Enough || best == 0 {
					break // attained, or nothing of the kind is claimed
				}
				steps := min(left, mostSteps)
				left -= steps
				if err := h.climb(at, goal, best, steps); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// start draws pairs and returns the best for the goal, every other time with the replayed ones.
func (h *hunt) start(n int, goal Constant, seeds int, o Options) (best float64, at Pair, err error) {
	consider := func(p Pair) error {
		got, ok, err := h.try(p)
		if ok && got[goal] > best {
			best, at = got[goal], p
		}
		return err
	}
	if h.one(2) {
		for _, p := range o.Replay {
			if err := consider(p.stretch(n)); err != nil {
				return best, at, err
			}
		}
	}
	for range seeds {
		if err := consider(h.pair(n)); err != nil {
			return best, at, err
		}
	}
	return best, at, nil
}

// climb is a (1+1) evolution strategy with the rule of one success in five.
func (h *hunt) climb(at Pair, goal Constant, best float64, steps int) error {
	size := 0.3
	for range steps {
		next := h.mutate(at, size)
		got, ok, err := h.try(next)
		if err != nil {
			return err
		}
		if !ok || got[goal] < best {
			size = max(size*0.93, 1e-5)
			continue
		}
		if got[goal] > best {
			size = min(size*1.5, 1)
		}
		at, best = next, got[goal]
	}
	return nil
}

// try measures one pair; ok says that it is one that the claims are for.
func (h *hunt) try(p Pair) (s Shares, ok bool, err error) {
	f, label := len(h.features), h.label
	a, b := p.side(false, f, label), p.side(true, f, label)
	if h.Within != nil && !(h.Within(a) && h.Within(b)) {
		return s, false, nil
	}
	c, err := h.price(p)
	if err != nil {
		return s, false, err
	}
	h.found.Tried++
	x, y, err := h.Run(h.ctx, c.Claim, Side{a, p.Blocks}, Side{b, p.Blocks})
	if err != nil {
		return s, false, fmt.Errorf("attack: %d rows (%s): %w", p.Len(), p.Made, err)
	}
	h.behind, h.told = x.Rows, x.Answers
	h.found.claimed(c.Claim)
	s, what := measure(p, c.Claim, x, y)
	if what != "" {
		return s, true, &Breach{What: what, Pair: p, Claim: c.Claim, From: c.State.Pair.String()}
	}
	if !slices.Contains(h.sizes, p.Len()) {
		return s, true, nil
	}
	for k, v := range s {
		h.here[k] = max(h.here[k], v)
		if v > h.found.Best[k] {
			h.found.Best[k], h.found.Pairs[k] = v, p
		}
	}
	return s, true, nil
}

// claimed notes what is claimed.
func (f *Found) claimed(c Claim) {
	p := c.Pair
	for k, v := range map[Constant]float64{Total: p.T1, Frobenius: p.TF, Largest: p.TInf, Moved: float64(p.M), Norm: p.R, FreeRow: p.D()} {
		f.Claimed[k] = f.Claimed[k] || v > 0
	}
	f.Claimed[FreeRows] = f.Claimed[FreeRows] || c.Unordered
	f.Claimed[Query] = f.Claimed[Query] || len(c.Sensitivities) > 0
}

// large tries pairs of sizes that nobody names: most of them small, one near the largest.
func (h *hunt) large(o Options) error {
	if o.Large == 0 {
		return nil
	}
	best := h.found.Replay()
	for k := range drawnSizes {
		n := int(3 * math.Pow(float64(o.Large)/3, h.Float64()))
		if k == 0 {
			n = o.Large - h.IntN(1+o.Large/10)
		}
		tries := slices.Clone(best)
		for range drawnLarge {
			tries = append(tries, h.pair(n))
		}
		for _, p := range tries {
			if p = p.stretch(n); h.one(2) {
				h.place(&p)
			}
			if _, _, err := h.try(p); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	drawnSizes = 4 // of pairs beside those of the sizes asked for
	drawnLarge = 3 // pairs of such a size
)

// price is the claim for the pair, which is checked to be one.
func (h *hunt) price(p Pair) (priced, error) {
	n, same := p.Len(), len(h.Displaced) == 0 && !h.Narrow
	if c, ok := h.claims[n]; ok && same {
		return c, nil
	}
	st, err := h.state(p)
	if err != nil {
		return priced{}, err
	}
	c, err := h.Price(st)
	if err != nil {
		return priced{}, err
	}
	if err := c.Pair.Validate(); err != nil {
		return priced{}, err
	}
	if c.Pair.N != n || c.Pair.Neighbours != st.Pair.Neighbours || c.Pair.F < st.Pair.F {
		return priced{}, &Breach{What: "the relation, the number of rows, or a free row is forgotten", Pair: p, Claim: c, From: st.Pair.String()}
	}
	out := priced{st, c}
	if same {
		h.claims[n] = out
	}
	return out, nil
}

// Prices reports whether the subject has a price for pairs of so many rows: the error is that of Price.
func Prices(s Subject, n int, seed uint64) error {
	h := &hunt{Subject: s, drawer: newDrawer(rand.New(rand.NewPCG(seed, 1)), s), claims: map[int]priced{}}
	for range 8 { // displaced ones among them
		if _, err := h.price(h.pair(n)); err != nil {
			return err
		}
	}
	return nil
}

// AsBreach returns the breach that an error is.
func AsBreach(err error) (*Breach, bool) {
	var b *Breach
	ok := errors.As(err, &b)
	return b, ok
}

// Below lists the constants of which less was attained than the floors ask.
func (f Found) Below(floors map[Constant]float64) (missed []Constant) {
	for c, floor := range floors {
		if c >= Constants || !(f.Best[c] >= floor) {
			missed = append(missed, c)
		}
	}
	slices.Sort(missed)
	return missed
}
