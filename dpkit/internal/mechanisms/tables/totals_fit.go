package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// part is a table of sums of groups: its noisy cells, counts first, and which of its groups each group of the crossing is in.
type part struct {
	cells   [][]float64 // nil where the table lacks a measure
	weights []float64   // one over the variance of the noise
	of      []int
}

// partOf is what a table tells of the groups of this one, and of the sums of these measures.
func (t Table) partOf(m Table, of []TableMeasure) (part, error) {
	if err := m.Check(); err != nil {
		return part{}, err
	}
	if len(m.Counts) == 0 || m.Rows != t.Rows {
		return part{}, fmt.Errorf("got %d counts of %d rows, want counts of the %d rows of the first: %w", len(m.Counts), m.Rows, t.Rows, stage.ErrColumn)
	}
	at := make([]int, len(m.By))
	for i, name := range m.By {
		if at[i] = slices.Index(t.By, name); at[i] < 0 {
			return part{}, fmt.Errorf("got column %q, want one of %q: %w", name, t.By, stage.ErrColumn)
		}
	}
	places := map[string]int{}
	for i, g := range m.Groups {
		places[strings.Join(g, "\x00")] = i
	}
	p := part{of: make([]int, len(t.Groups))}
	add := func(cells []float64, sigma float64) {
		w := 1.0
		if sigma > 0 {
			w = 1 / (sigma * sigma)
		}
		p.cells, p.weights = append(p.cells, cells), append(p.weights, w)
	}
	add(m.Counts, m.CountSigma)
	for _, measure := range of {
		if k := slices.Index(m.Measures, measure); k >= 0 {
			add(m.Sums[k], m.SumSigma[k])
		} else {
			add(nil, 0)
		}
	}
	used := make([]bool, len(m.Groups))
	levels := make([]string, len(at))
	for g, group := range t.Groups {
		for i, k := range at {
			levels[i] = group[k]
		}
		k, ok := places[strings.Join(levels, "\x00")]
		if !ok {
			return part{}, fmt.Errorf("no group %q, want the same levels: %w", levels, stage.ErrColumn)
		}
		p.of[g], used[k] = k, true
	}
	if i := slices.Index(used, false); i >= 0 {
		return part{}, fmt.Errorf("group %q is in none of the first table's, want the same levels: %w", m.Groups[i], stage.ErrColumn)
	}
	return p, nil
}

// fitted moves x, whose first row is counts c and whose others are sums u, to the minimiser of Σ_t w_t Σ_k (Σ_{g in k} x_g − cell)² over
// c ≥ 0 with the sum n, or at most n, and |u_g| ≤ c_g, by accelerated projected gradients that start anew where they overshoot (Beck, Teboulle
// 2009; O'Donoghue, Candès 2015), with steps of their own for counts and for each sum. From one table it is one projection.
func fitted(parts []part, x [][]float64, n float64, whole bool) {
	steep := make([]float64, len(x))
	for _, p := range parts {
		in := make([]float64, len(p.cells[0]))
		for _, k := range p.of {
			in[k]++
		}
		for j, w := range p.weights {
			if p.cells[j] != nil {
				steep[j] += w * slices.Max(in)
			}
		}
	}
	project(x, steep, n, whole)
	if len(parts) == 1 {
		return
	}
	at, last, momentum := copied(x), copied(x), 1.0
	for range 4000 {
		for j := range x {
			grad := make([]float64, len(x[j]))
			for _, p := range parts {
				if p.cells[j] == nil {
					continue
				}
				off := make([]float64, len(p.cells[j]))
				for g, k := range p.of {
					off[k] += at[j][g]
				}
				for g, k := range p.of {
					grad[g] += p.weights[j] * (off[k] - p.cells[j][k])
				}
			}
			for g := range x[j] {
				x[j][g] = at[j][g] - grad[g]/steep[j]
			}
		}
		project(x, steep, n, whole)
		moved, back := 0.0, 0.0
		for j := range x {
			for g := range x[j] {
				step := x[j][g] - last[j][g]
				moved = max(moved, math.Abs(step))
				back += steep[j] / steep[0] * (at[j][g] - x[j][g]) * step
			}
		}
		if moved <= 1e-9*(1+n) {
			break
		}
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		if back > 0 {
			momentum, next = 1, 1
		}
		for j := range x {
			for g := range x[j] {
				at[j][g] = x[j][g] + (momentum-1)/next*(x[j][g]-last[j][g])
			}
			copy(last[j], x[j])
		}
		momentum = next
	}
}

func copied(x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for j := range x {
		out[j] = slices.Clone(x[j])
	}
	return out
}

// project moves x to the point of the set of [fitted] that is nearest in Σ_j w_j·|·|². Given the multiplier θ of the sum of counts each group stands
// alone: its count is where w₀(c − a + θ) = Σ_j w_j(|b_j| − c)₊, or 0, and falls in θ.
func project(x [][]float64, w []float64, n float64, whole bool) {
	sums := make([][]pull, len(x[0])) // the largest first
	lo, hi := math.Inf(1), math.Inf(-1)
	for g, a := range x[0] {
		zero := a // θ at which the count is 0
		for j := 1; j < len(x); j++ {
			b := math.Abs(x[j][g])
			sums[g] = append(sums[g], pull{b, w[j] / w[0]})
			zero += w[j] / w[0] * b
		}
		slices.SortFunc(sums[g], func(p, q pull) int { return cmp.Compare(q.size, p.size) })
		lo, hi = min(lo, a), max(hi, zero)
	}
	lo -= n / float64(len(x[0])) // where each count is its part of n at least
	counts := func(theta float64) (total, slope float64) {
		for g, a := range x[0] {
			c, s := pulled(a-theta, sums[g])
			total, slope = total+c, slope+s
		}
		return total, slope
	}
	theta := 0.0
	total, slope := counts(theta)
	for i := 0; i < 200 && (whole || theta > 0 || total > n) && math.Abs(total-n) > 1e-13*n; i++ {
		if total > n {
			lo = max(lo, theta)
		} else {
			hi = min(hi, theta)
		}
		next := theta + (total-n)/slope // total is linear between points where groups change
		if i%4 == 3 || !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if next == theta {
			break
		}
		theta = next
		total, slope = counts(theta)
	}
	for g, a := range x[0] {
		c, _ := pulled(a-theta, sums[g])
		x[0][g] = c
		for j := 1; j < len(x); j++ {
			x[j][g] = min(max(x[j][g], -c), c)
		}
	}
}

// pull is a sum of a group that wants a count of its size at least, and how much beside the count's own cell.
type pull struct{ size, weight float64 }

// pulled is the count of a group whose own cell wants a, with its slope in a.
func pulled(a float64, sums []pull) (count, slope float64) {
	up, weight := a, 1.0
	for _, p := range sums {
		if !(p.size > up/weight) {
			break
		}
		up, weight = up+p.weight*p.size, weight+p.weight
	}
	if up <= 0 {
		return 0, 0
	}
	return up / weight, 1 / weight
}
