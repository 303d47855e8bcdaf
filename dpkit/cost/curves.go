package cost

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
)

// RDP is the Rényi divergence of order alpha > 1, in nats, that the whole release costs a person at most, end to end:
// preprocessing and what steps ask privately included (Mironov 2017). It is rounded up, and +Inf where no bound is known. Where
// [Curves] says so it holds outside a failure of a small probability, which the guarantee's δ covers.
func (c Plan) RDP(alpha float64) float64 {
	return c.rdp()(alpha)
}

// SRDP is the smooth Rényi divergence ε(α, τ) of the release, in nats: an upper bound on what tells two tables apart whose rows
// differ by tau in all, in the sum of Euclidean distances of rows as they reach the release, and by nothing else (Hu, Sanyal,
// Schölkopf 2024, Definition 3, for every table of the public domain; docs/theory/calculus.md#the-pair-state). Rows differ in the
// columns that the steps displace, or, where they displace none, in any feature. It is 0 at tau = 0, rounded up, and +Inf where
// the release has no price for displaced rows; [Curves] says why.
func (c Plan) SRDP(alpha, tau float64) float64 {
	return c.srdp(tau)(alpha)
}

// Displaced is the Rényi divergence of order alpha, in nats, that the release with its noise would cost behind steps that
// displace rows by tau in all: of neighbouring tables whose other rows differ by tau, in one hop
// (docs/theory/calculus.md#lemma-8-noise-splitting). At [Plan.Tau] it is RDP or a little above it, as of the chain more is known
// than τ.
func (c Plan) Displaced(alpha, tau float64) float64 {
	return c.displaced(tau)(alpha)
}

// Theorem2 bounds what Displaced bounds in two hops, by Theorem 2 of Hu, Sanyal, Schölkopf 2024: the release's Rényi curve
// without displacement and its smooth curve SRDP, by a weak triangle inequality
// (docs/theory/preprocessing.md#theorem-2-the-weak-triangle). It is valid, and shows what one hop saves.
func (c Plan) Theorem2(alpha, tau float64) float64 {
	return c.theorem2(tau)(alpha)
}

// StepSRDP is the smooth Rényi divergence of order alpha, in nats, of all that stands behind a step of the chain, from 1, at the
// displacement that rows have behind it: later steps, which carry it on, and the release. It is 0 behind steps that displace
// nothing.
func (c Plan) StepSRDP(step int, alpha float64) float64 {
	if step < 1 || step > len(c.Steps) {
		return math.Inf(1)
	}
	return c.fromStep(step)(alpha)
}

// Tau is the total displacement τ of the rows that reach the release, in their units.
func (c Plan) Tau() float64 {
	if len(c.Steps) == 0 {
		return 0
	}
	return c.Steps[len(c.Steps)-1].Displacement
}

// curve is a curve of the cost by its order, +Inf where none is known: that of the law, built once for all orders, or that of the
// table that was read.
func (c Plan) curve(table func(t *Curves) []Bound, build func(l *Law) (accountant.Curve, error)) accountant.Curve {
	if c.law == nil {
		return func(alpha float64) float64 { return c.read(alpha, table) }
	}
	built, err := build(c.law)
	if err != nil {
		return func(float64) float64 { return math.Inf(1) }
	}
	return func(alpha float64) float64 { return at(built, alpha) }
}

func (c Plan) rdp() accountant.Curve {
	return c.curve(func(t *Curves) []Bound { return t.RDP }, func(l *Law) (accountant.Curve, error) {
		whole, _, err := l.whole()
		return whole, err
	})
}

// atTau is a curve at a displacement: rows are those of a table, by τ.
func (c Plan) atTau(
	tau float64, rows func(t *Curves) [][]Bound, build func(l *Law, tau float64) (accountant.Curve, error),
) accountant.Curve {
	table := func(t *Curves) []Bound { return t.at(rows(t), tau) }
	return c.curve(table, func(l *Law) (accountant.Curve, error) { return build(l, tau) })
}

func (c Plan) srdp(tau float64) accountant.Curve {
	return c.atTau(tau, func(t *Curves) [][]Bound { return t.SRDP }, (*Law).smooth)
}

func (c Plan) displaced(tau float64) accountant.Curve {
	return c.atTau(tau, func(t *Curves) [][]Bound { return t.Displaced }, (*Law).direct)
}

func (c Plan) theorem2(tau float64) accountant.Curve {
	return c.atTau(tau, func(t *Curves) [][]Bound { return t.Theorem2 }, (*Law).theorem2)
}

// fromStep is the curve behind a step of the chain, from 1.
func (c Plan) fromStep(step int) accountant.Curve {
	return c.curve(func(t *Curves) []Bound { return t.Steps[step-1] }, func(l *Law) (accountant.Curve, error) {
		return l.fromStep(step-1, c.Steps[step-1])
	})
}

// Bound is an upper bound in nats; +Inf, null in JSON, where none is known.
type Bound float64

// MarshalJSON writes null for +Inf.
func (b Bound) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(b), 1) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(b))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (b *Bound) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*b = Bound(math.Inf(1))
		return nil
	}
	var v float64
	err := json.Unmarshal(data, &v)
	*b = Bound(v)
	return err
}

// Curves are the Rényi curves of a plan's cost at a few orders and displacements: what a cost keeps of them in JSON. Both rise,
// so that between two numbers the next one holds.
type Curves struct {
	Orders []float64 `json:"orders"` // α
	RDP    []Bound   `json:"rdp"`    // by order: see [Plan.RDP]
	// Outside is the probability of a failure outside which the curves hold; the guarantee's δ covers it.
	Outside float64 `json:"outside,omitempty"`

	Tau       []float64 `json:"tau"`       // τ, that of the chain among them
	SRDP      [][]Bound `json:"srdp"`      // by τ and order: see [Plan.SRDP]
	Displaced [][]Bound `json:"displaced"` // by τ and order: see [Plan.Displaced]
	Theorem2  [][]Bound `json:"theorem2"`  // by τ and order: see [Plan.Theorem2]
	Steps     [][]Bound `json:"steps"`     // by step and order: see [Plan.StepSRDP]

	// Why says why there is no finite number, empty where there are.
	Why string `json:"why,omitempty"`
}

// tableOrders are the orders of a table of curves.
var tableOrders = []float64{1.5, 2, 4, 8, 16, 32, 64}

// Curves computes the table, or returns that which a cost was read with; its numbers are +Inf where the cost has no curves.
func (c Plan) Curves() Curves {
	if c.curves != nil {
		return *c.curves
	}
	t := Curves{Orders: slices.Clone(tableOrders)}
	row := func(f accountant.Curve) []Bound {
		out := make([]Bound, len(t.Orders))
		for i, a := range t.Orders {
			out[i] = Bound(f(a))
		}
		return out
	}
	t.RDP = row(c.rdp())
	t.Outside, t.Why = c.limits()
	unit := c.Tau()
	if unit == 0 && c.law != nil {
		unit = c.law.End.R
	}
	for _, k := range []float64{0, 0.25, 0.5, 1, 2, 4} {
		tau := k * unit
		if k > 0 && tau == 0 {
			break
		}
		t.Tau = append(t.Tau, tau)
		t.SRDP = append(t.SRDP, row(c.srdp(tau)))
		t.Displaced = append(t.Displaced, row(c.displaced(tau)))
		t.Theorem2 = append(t.Theorem2, row(c.theorem2(tau)))
	}
	for i := range c.Steps {
		t.Steps = append(t.Steps, row(c.fromStep(i+1)))
	}
	return t
}

// limits are the probability of a failure outside which the curves hold, and why one of them has no finite number.
func (c Plan) limits() (outside float64, why string) {
	switch {
	case c.law != nil:
	case c.curves != nil:
		return c.curves.Outside, c.curves.Why
	default:
		return 0, errNoLaw.Error()
	}
	_, outside, err := c.law.whole()
	if err != nil {
		return 0, err.Error()
	}
	if _, err := c.law.smooth(c.law.End.R); err != nil {
		return outside, err.Error()
	}
	return outside, ""
}

// read is a number of a table that was read: that of the least order in it that is not below the one asked for.
func (c Plan) read(alpha float64, of func(t *Curves) []Bound) float64 {
	if c.curves == nil || !(alpha > 1) {
		return math.Inf(1)
	}
	row := of(c.curves)
	i, _ := slices.BinarySearch(c.curves.Orders, alpha)
	if i >= len(row) {
		return math.Inf(1)
	}
	return float64(row[i])
}

// at is the row of the least displacement that is not below tau; nil where there is none.
func (t *Curves) at(rows [][]Bound, tau float64) []Bound {
	i, _ := slices.BinarySearch(t.Tau, tau)
	if !(tau >= 0) || i >= len(rows) {
		return nil
	}
	return rows[i]
}

// plain is a cost as JSON has it without its curves.
type plain Plan

// MarshalJSON writes the cost with a table of its curves.
func (c Plan) MarshalJSON() ([]byte, error) {
	out := struct {
		plain
		Curves *Curves `json:"curves,omitempty"`
	}{plain: plain(c)}
	if c.law != nil || c.curves != nil {
		t := c.Curves()
		out.Curves = &t
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads a cost, with the table of its curves where it has one. A table whose rows do not fit its orders is an
// error.
func (c *Plan) UnmarshalJSON(data []byte) error {
	in := struct {
		*plain
		Curves *Curves `json:"curves"`
	}{plain: &plain{}}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Curves != nil {
		if err := in.Curves.check(len(in.Steps)); err != nil {
			return fmt.Errorf("dpkit: cost: %w", err)
		}
	}
	*c = Plan(*in.plain)
	c.curves = in.Curves
	return nil
}

// check reports a table that is none.
func (t *Curves) check(steps int) error {
	rising := func(of string, vs []float64, least float64) error {
		for i, v := range vs {
			if !(v >= least) || i > 0 && !(v > vs[i-1]) || math.IsInf(v, 1) {
				return fmt.Errorf("curves: %s: got %v, want numbers that rise from %g: %w", of, vs, least, accountant.ErrParameter)
			}
		}
		return nil
	}
	if err := rising("orders", t.Orders, 1); err != nil {
		return err
	}
	if err := rising("tau", t.Tau, 0); err != nil {
		return err
	}
	for _, part := range []struct {
		of   string
		rows [][]Bound
		want int
	}{
		{"rdp", [][]Bound{t.RDP}, 1},
		{"srdp", t.SRDP, len(t.Tau)},
		{"displaced", t.Displaced, len(t.Tau)},
		{"theorem2", t.Theorem2, len(t.Tau)},
		{"steps", t.Steps, steps},
	} {
		if len(part.rows) != part.want {
			return fmt.Errorf("curves: %s: got %d rows, want %d: %w", part.of, len(part.rows), part.want, accountant.ErrParameter)
		}
		for _, row := range part.rows {
			if len(row) != len(t.Orders) {
				return fmt.Errorf("curves: %s: got %d numbers, want one for each of %d orders: %w", part.of, len(row), len(t.Orders), accountant.ErrParameter)
			}
			for _, b := range row {
				if !(b >= 0) {
					return fmt.Errorf("curves: %s: got %v, want numbers of at least 0, or null: %w", part.of, row, accountant.ErrParameter)
				}
			}
		}
	}
	return nil
}

// explainOrders are those that a text names.
var explainOrders = []float64{2, 8, 32}

// explainCurves says the curves at a few orders.
func (c Plan) explainCurves() string {
	if c.law == nil && c.curves == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nRényi curves, nats at the orders α = %s\n", orders(explainOrders))
	line := func(what string, f accountant.Curve) {
		var vs []string
		for _, a := range explainOrders {
			v := f(a)
			if math.IsInf(v, 1) {
				vs = append(vs, "unknown")
				continue
			}
			vs = append(vs, accountant.FormatUp(v))
		}
		fmt.Fprintf(&b, "   %s: %s\n", what, strings.Join(vs, ", "))
	}
	line("end to end, ε(α)", c.rdp())
	if tau := c.Tau(); tau > 0 {
		up := accountant.FormatUp(tau)
		for i, s := range c.Steps {
			if s.Displacement > 0 {
				what := fmt.Sprintf("the displacement behind step %d alone, ε(α, τ = %s)", s.Step, accountant.FormatUp(s.Displacement))
				line(what, c.fromStep(i+1))
			}
		}
		line("in one hop at τ = "+up+", if nothing but τ were known", c.displaced(tau))
		line("in two hops at τ = "+up+", by Theorem 2 of Hu, Sanyal, Schölkopf 2024", c.theorem2(tau))
	}
	outside, why := c.limits()
	if outside > 0 {
		fmt.Fprintf(&b, "   outside a failure of probability %s, which δ covers\n", accountant.FormatUp(outside))
	}
	if why != "" && (c.Tau() > 0 || math.IsInf(c.RDP(2), 1)) {
		fmt.Fprintf(&b, "   no smooth curve: %s\n", why)
	}
	return b.String()
}

func orders(list []float64) string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = fmt.Sprint(a)
	}
	return strings.Join(out, ", ")
}
