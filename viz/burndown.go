package viz

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// BurnDown plots how the releases of a ledger used its budget up, in the order of their charges: the share
// of μ*² that was left after each, which is what adds up in Gaussian DP, and the ε of all of them so far.
func BurnDown(s ledger.Status, entries []ledger.Entry) View {
	title := "Budget of " + strconv.Quote(clean(s.Dataset)) + ", release by release"
	if s.Unit != accountant.PerRow {
		title += ", per " + s.Unit.String()
	}
	promise := accountant.Guarantee{Budget: s.Budget, Neighbours: s.Neighbours, Scope: s.Scope, Unit: s.Unit}
	if !(s.Budget.Epsilon > 0) {
		return Ledger(s)
	}
	b, err := burn(s, entries)
	if err != nil {
		return View{title: title, blocks: []block{para{"There is nothing to plot: " + clean(err.Error()) + "."}}}
	}
	if n := len(entries); n > 0 && s.Releases == n {
		b.spent[n] = s.Spent.Epsilon // as the ledger says it, to the last digit
	}
	note := fmt.Sprintf("After %s %s %% of μ*² is left: as one release, ε = %s at δ = %s.",
		plural(len(entries), "charge"), down(100*b.left[len(entries)]), down(s.Left.Epsilon), up(s.Budget.Delta))
	left := LineChart{
		Title: "Left", X: Axis{Name: "charges", whole: true}, Y: Axis{Name: "left of μ*²", Unit: "%", Range: [2]float64{0, 104}},
		Series: []Series{{X: b.count, Y: percents(b.left)}},
	}
	spent := LineChart{
		Title: "Spent", X: Axis{Name: "charges", whole: true}, Y: Axis{Name: "ε of all releases so far, at δ = " + up(s.Budget.Delta), Loss: true},
		Series: []Series{{X: b.count, Y: b.spent}},
		Rules:  []Rule{{Name: "budget, ε = " + down(s.Budget.Epsilon), At: s.Budget.Epsilon}},
	}
	spent.Y.Range = [2]float64{0, 1.04 * max(s.Budget.Epsilon, finite(b.spent[len(entries)]))}
	v := Panels(title, note, left, spent)
	g := grid{
		Caption: "Charges; shares of μ*² add up, ε does not",
		Columns: []column{{Head: "record", Right: true}, {Head: "release", Least: 12}, {Head: "ε alone", Right: true}, {Head: "share of μ*², %", Right: true}, {Head: "ε so far", Right: true}, {Head: "left, %", Right: true}},
	}
	for i, e := range entries {
		g.Rows = append(g.Rows, []string{
			strconv.Itoa(e.Seq), label(e), up(e.Guarantee.Epsilon), up(100 * b.share[i]), up(b.spent[i+1]), down(100 * b.left[i+1]),
		})
	}
	f := *v.fig
	v.fig = &f
	warned := warnings(s)
	for _, w := range warned {
		f.Alarms = append(f.Alarms, "WARNING: "+w.(banner).Body)
	}
	if weak(s.Scope) || !complete(promise) {
		f.Alarms = append(f.Alarms, guaranteeLine(promise))
		v.alt += " Guarantee: " + guaranteeLine(promise) + "."
	}
	v.blocks = append(append(scopeBanners(promise), warned...), para{note}, g)
	return v
}

// burned is what each charge used up. Index 0 is before the first.
type burned struct {
	count, spent, left []float64
	share              []float64 // of each charge
}

// charged is a sum over releases that read everybody and, of each split of the people, over those of each of its parts.
type charged struct {
	whole  float64
	splits map[string]map[string]float64
}

// add is the sum with a charge: of everybody and the dearest part of each split.
func (c *charged) add(e ledger.Entry, v float64) (sum float64) {
	up := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	switch {
	case v == 0:
	case e.Split == "":
		c.whole = up(c.whole + v)
	default:
		key := e.Version + "\n" + e.Split
		if c.splits == nil {
			c.splits = map[string]map[string]float64{}
		}
		if c.splits[key] == nil {
			c.splits[key] = map[string]float64{}
		}
		c.splits[key][e.Part] = up(c.splits[key][e.Part] + v)
	}
	sum = c.whole
	for _, key := range slices.Sorted(maps.Keys(c.splits)) {
		sum = up(sum + slices.Max(slices.Collect(maps.Values(c.splits[key]))))
	}
	return sum
}

// burn follows the sums of μ² and of the ε in the part for pure releases, as the ledger's filter does: see
// package ledger.
func burn(s ledger.Status, entries []ledger.Entry) (burned, error) {
	rest := s.Budget
	if s.Reserve > 0 {
		rest.Delta = math.Nextafter(rest.Delta-s.Reserve, 0)
	}
	if s.Pure > 0 {
		rest.Epsilon = math.Nextafter(rest.Epsilon-s.Pure, 0)
	}
	limit, err := accountant.CalibrateShared(rest)
	if err != nil {
		return burned{}, err
	}
	b := burned{count: []float64{0}, spent: []float64{0}, left: []float64{1}}
	var squares, pures charged
	up1 := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	for _, e := range entries {
		square := up1(e.Mu * e.Mu)
		if e.Mu == 0 {
			square = 0
		}
		sum, pure := squares.add(e, square), pures.add(e, e.Pure)
		share := up1(square / (limit * limit))
		if e.Pure > 0 {
			share = max(share, up1(e.Pure/s.Pure)) // of the part that it takes the most of
		}
		eps, err := gaussianEpsilon(up1(math.Sqrt(sum)), rest.Delta*(1-accountant.SamplerShare), s.Neighbours)
		if err != nil {
			return burned{}, err
		}
		b.count = append(b.count, float64(len(b.count)))
		b.spent = append(b.spent, up1(eps+pure))
		b.left = append(b.left, max(0, 1-up1(sum/(limit*limit))))
		b.share = append(b.share, share)
	}
	return b, nil
}

// gaussianEpsilon is the ε of μ-GDP at δ.
func gaussianEpsilon(mu, delta float64, rel accountant.Neighbours) (float64, error) {
	p, err := accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}.Profile(rel)
	if err != nil {
		return 0, err
	}
	return p.Epsilon(delta)
}

func percents(list []float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = 100 * v
	}
	return out
}
