package accountant

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Explanation says where the price of an event comes from: a tree with the shape of the event.
type Explanation struct {
	Event string // the leaf, or the name of the combinator
	Count int    // how often the parent has it; 1 under Compose
	// Guarantee is the price of all Count of it alone, at the δ that the whole tree shares. Prices of parts
	// do not add up to the price of the whole: composition pays less than the sum.
	Guarantee Guarantee
	// Share is the part of the whole that it takes, as often as its parents repeat it, in the currency that
	// adds up: see Basis. NaN where the whole costs nothing or +Inf in it.
	Share float64
	// Basis names the currency: "μ²" of Gaussian DP, or the Rényi divergence at the best order.
	Basis string
	Parts []Explanation // none for a leaf
}

// Explain prices an event and each of its parts at the same δ, and divides the whole among them: by μ²
// where a Gaussian profile is the best route, else by the Rényi divergence at the order that is
// best for the whole. Under [Group] and [AsReplaceOne] the part is what one row, or one hop, costs, and takes the share of
// the whole that its combinator takes. Parts of [ByRoutes] are alternatives: each is priced by its route alone, and
// the one that gives the curve at that order has the share. Errors wrap [ErrDelta], [ErrNeighbours] or [ErrParameter].
func Explain(e Event, rel Neighbours, delta float64) (Explanation, error) {
	x := explainer{rel: rel, delta: delta}
	whole, err := EpsilonOf(e, rel, delta)
	if err != nil {
		return Explanation{}, err
	}
	if err := x.choose(e); err != nil {
		return Explanation{}, err
	}
	return x.node(branch{of: e, count: 1, rel: rel}, 1, whole)
}

// An explainer knows how costs are compared within one tree.
type explainer struct {
	rel   Neighbours
	delta float64
	basis string
	order float64 // of the divergences; NaN in another currency
	cost  func(Event, Neighbours) (float64, error)
	whole float64
}

// choose fixes the currency: that of the better of the two routes in which the parts' costs add.
func (x *explainer) choose(e Event) error {
	x.order = math.NaN()
	curve, delta0, err := approxRDP(e, x.rel)
	if optional(err) != nil {
		return err
	}
	best := math.Inf(1)
	if err == nil {
		eps, order := math.Inf(1), math.Inf(1)
		if left := deltaBeside(x.delta, delta0); left >= 0 {
			if eps, order, err = curve.Epsilon(left); err != nil {
				return err
			}
		}
		best = eps
		x.order = order
		x.basis = "divergence at order " + fmt.Sprintf("%.4g", order)
		x.cost = func(e Event, rel Neighbours) (float64, error) {
			c, _, err := approxRDP(e, rel)
			if err != nil {
				return math.NaN(), err
			}
			return c(order), nil
		}
	}
	if mu, tv, err := gdpOf(e, x.rel); err == nil {
		eps, err := gaussianProfile(mu, tv).Epsilon(x.delta)
		if err != nil {
			return err
		}
		if eps <= best {
			x.basis = "μ²"
			x.cost = func(e Event, rel Neighbours) (float64, error) {
				mu, _, err := gdpOf(e, rel)
				return mu * mu, err
			}
		}
	}
	if x.cost == nil { // a profile alone
		x.basis = "nothing that adds up"
		x.cost = func(Event, Neighbours) (float64, error) { return math.NaN(), nil }
	}
	x.whole, err = x.cost(e, x.rel)
	return err
}

// node explains a branch, whose cost counts times times in the whole.
func (x *explainer) node(b branch, times float64, g Guarantee) (Explanation, error) {
	cost, err := x.cost(b.of, b.rel)
	if err != nil {
		return Explanation{}, err
	}
	n := Explanation{Event: b.of.String(), Count: b.count, Guarantee: g, Basis: x.basis, Share: math.NaN()}
	if x.whole > 0 && !math.IsInf(x.whole, 1) {
		n.Share = cost * times / x.whole
		if times == 0 {
			n.Share = 0
		}
	}
	c, ok := b.of.(combinator)
	if !ok {
		return n, nil
	}
	name, parts := c.combines(b.rel, x.order)
	if len(parts) == 0 {
		return n, nil
	}
	n.Event = name
	for _, part := range parts {
		alone := part.of
		if part.count > 1 {
			alone = Repeat(part.of, part.count)
		}
		g, err := EpsilonOf(alone, part.rel, x.delta)
		if err != nil {
			return Explanation{}, err
		}
		often := times * float64(part.count)
		switch part.takes {
		case nothing:
			often = 0
		case everything:
			one, err := x.cost(part.of, part.rel)
			if err != nil {
				return Explanation{}, err
			}
			if often = times * cost / one; cost == 0 && one == 0 {
				often = times
			}
		}
		p, err := x.node(part, often, g)
		if err != nil {
			return Explanation{}, err
		}
		n.Parts = append(n.Parts, p)
	}
	return n, nil
}

// A combinator is an event made of others. At an order of divergences (NaN: in another currency) it tells what of
// its cost each part takes; without parts it is explained as a leaf.
type combinator interface {
	combines(rel Neighbours, order float64) (name string, parts []branch)
}

// A branch is a part of a combinator, count times, priced under its relation.
type branch struct {
	of    Event
	count int
	rel   Neighbours
	takes takes
}

// takes says how the cost of a part enters that of its combinator.
type takes uint8

const (
	itsCost    takes = iota // costs add
	everything              // the part's cost, transformed, is the whole
	nothing                 // another part is used
)

func (c composition) combines(rel Neighbours, _ float64) (string, []branch) {
	var parts []branch
	for _, e := range c.parts {
		parts = append(parts, branch{of: e, count: 1, rel: rel})
	}
	return "Compose", parts
}

func (r repetition) combines(rel Neighbours, _ float64) (string, []branch) {
	return "Repeat", []branch{{of: r.of, count: r.n, rel: rel}}
}

func (g grouped) combines(rel Neighbours, _ float64) (string, []branch) {
	return fmt.Sprintf("Group of %d", g.size), []branch{{of: g.of, count: 1, rel: rel, takes: everything}}
}

func (r replaced) combines(Neighbours, float64) (string, []branch) {
	return "AsReplaceOne", []branch{{of: r.of, count: 1, rel: AddRemove, takes: everything}}
}

func (r routed) combines(rel Neighbours, order float64) (string, []branch) {
	if len(r.routes) < 2 {
		return "", nil
	}
	winner := -1
	least := math.Inf(1)
	var parts []branch
	for i, c := range r.routes {
		if v := c.Curve(order); v < least {
			winner, least = i, v
		}
		parts = append(parts, branch{of: routed{r.name, r.rel, r.routes[i : i+1]}, count: 1, rel: rel, takes: nothing})
	}
	if winner >= 0 {
		parts[winner].takes = everything
	}
	return r.name, parts
}

// String is the tree as plain text, one node a line: the event, its ε alone at the shared δ, and its share.
func (x Explanation) String() string {
	var rows [][3]string
	x.rows(&rows, "", "")
	wide := [2]int{}
	for _, r := range rows {
		for i := range wide {
			wide[i] = max(wide[i], utf8.RuneCountInString(r[i]))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v by %s; shares of %s\n", x.Guarantee, x.Guarantee.Route, x.Basis)
	for _, r := range rows {
		left := strings.Repeat(" ", wide[0]-utf8.RuneCountInString(r[0]))
		right := strings.Repeat(" ", wide[1]-utf8.RuneCountInString(r[1]))
		fmt.Fprintf(&b, "%s%s  ε %s%s  %s\n", r[0], left, right, r[1], r[2])
	}
	return b.String()
}

// rows lists the lines; first and rest are the branches drawn before the node and before its parts.
func (x Explanation) rows(rows *[][3]string, first, rest string) {
	name := x.Event
	if x.Count > 1 {
		name = fmt.Sprintf("%d × %s", x.Count, name)
	}
	share := "    –"
	if !math.IsNaN(x.Share) {
		share = fmt.Sprintf("%5.1f %%", 100*x.Share)
	}
	*rows = append(*rows, [3]string{first + name, FormatUp(x.Guarantee.Epsilon), share})
	for i, p := range x.Parts {
		if i == len(x.Parts)-1 {
			p.rows(rows, rest+"└─ ", rest+"   ")
		} else {
			p.rows(rows, rest+"├─ ", rest+"│  ")
		}
	}
}
