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
// best for the whole. Errors wrap [ErrDelta], [ErrNeighbours] or [ErrParameter].
func Explain(e Event, rel Neighbours, delta float64) (Explanation, error) {
	x := explainer{rel: rel, delta: delta}
	whole, err := EpsilonOf(e, rel, delta)
	if err != nil {
		return Explanation{}, err
	}
	if err := x.choose(e); err != nil {
		return Explanation{}, err
	}
	return x.node(e, 1, 1, whole)
}

// An explainer knows how costs are compared within one tree.
type explainer struct {
	rel   Neighbours
	delta float64
	basis string
	cost  func(Event) (float64, error) // additive
	whole float64
}

// choose fixes the currency: that of the better of the two routes in which the parts' costs add.
func (x *explainer) choose(e Event) error {
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
		x.basis = "divergence at order " + fmt.Sprintf("%.4g", order)
		x.cost = func(e Event) (float64, error) {
			c, _, err := approxRDP(e, x.rel)
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
			x.cost = func(e Event) (float64, error) {
				mu, _, err := gdpOf(e, x.rel)
				return mu * mu, err
			}
		}
	}
	if x.cost == nil { // a profile alone
		x.basis = "nothing that adds up"
		x.cost = func(Event) (float64, error) { return math.NaN(), nil }
	}
	x.whole, err = x.cost(e)
	return err
}

// node explains count times e, where the whole has it times times.
func (x *explainer) node(e Event, count, times int, g Guarantee) (Explanation, error) {
	cost, err := x.cost(e)
	if err != nil {
		return Explanation{}, err
	}
	n := Explanation{Event: e.String(), Count: count, Guarantee: g, Basis: x.basis, Share: math.NaN()}
	if x.whole > 0 && !math.IsInf(x.whole, 1) {
		n.Share = cost * float64(times) / x.whole
	}
	add := func(part Event, count int) error {
		alone := part
		if count > 1 {
			alone = Repeat(part, count)
		}
		g, err := EpsilonOf(alone, x.rel, x.delta)
		if err != nil {
			return err
		}
		p, err := x.node(part, count, times*count, g)
		n.Parts = append(n.Parts, p)
		return err
	}
	if c, ok := e.(combinator); ok {
		var parts []Event
		var repeat int
		n.Event, parts, repeat = c.combines()
		for _, part := range parts {
			if err := add(part, repeat); err != nil {
				return Explanation{}, err
			}
		}
	}
	return n, nil
}

// A combinator is an event made of others, each of them count times.
type combinator interface {
	combines() (name string, parts []Event, count int)
}

func (c composition) combines() (string, []Event, int) { return "Compose", c.parts, 1 }
func (r repetition) combines() (string, []Event, int)  { return "Repeat", []Event{r.of}, r.n }

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
