package preprocessing

import (
	"math"
	"slices"
)

// clusters are the paper's good clusters: to each row the centre that it belongs to, itself where it belongs to none. A row is a
// centre if the rows within η of it are those within 3η; the first centre of a cluster counts.
func clusters(x [][]float64, eta float64) []int {
	const slack = 1e-9
	to := make([]int, len(x))
	for i := range to {
		to[i] = i
	}
	done := make([]bool, len(x))
	for i := range x {
		var inner []int
		good := !done[i]
		for j := range x {
			switch d := distance(x[i], x[j]); {
			case d <= eta+slack:
				inner = append(inner, j)
			case d <= 3*eta+slack:
				good = false
			}
		}
		if !good {
			continue
		}
		for _, j := range inner {
			to[j], done[j] = i, true
		}
	}
	return to
}

// dedup keeps one row of each good cluster: the sum of first coordinates of what is left, which is 1-Lipschitz where a row that is
// removed counts as displaced by 1, and how many rows are left.
func dedup(x [][]float64, eta float64) (sum float64, left int) {
	for i, c := range clusters(x, eta) {
		if c == i {
			sum += x[i][0]
			left++
		}
	}
	return sum, left
}

func distance(a, b []float64) float64 {
	s := 0.0
	for j := range a {
		s += (a[j] - b[j]) * (a[j] - b[j])
	}
	return math.Sqrt(s)
}

// packing are directions more than 60° apart: as many as a row can destroy clusters (K = 2, 5, 12).
func packing(d int) [][]float64 {
	switch d {
	case 1:
		return [][]float64{{-1}, {1}}
	case 2:
		var out [][]float64
		for k := range 5 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / 5)
			out = append(out, []float64{cos, sin})
		}
		return out
	}
	g := (1 + math.Sqrt(5)) / 2 // the corners of an icosahedron
	var out [][]float64
	for _, s := range []float64{-1, 1} {
		for _, t := range []float64{-g, g} {
			for _, v := range [][]float64{{0, s, t}, {s, t, 0}, {t, 0, s}} {
				for j := range v {
					v[j] /= math.Sqrt(1 + g*g)
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// besieged are m rows at each place of a packing around either of two points: one at a distance of radius from it, the others nearer by
// inward. A row at one of the points lies between those clusters, and destroys them all.
func besieged(d, m int, radius, inward float64) (common [][]float64, left, right []float64) {
	left, right = make([]float64, d), make([]float64, d)
	left[0], right[0] = -0.83, 0.83
	for _, centre := range [][]float64{left, right} {
		for _, v := range packing(d) {
			for k := range m {
				r := radius
				if k > 0 {
					r -= inward
				}
				x := slices.Clone(centre)
				for j := range x {
					x[j] += r * v[j]
				}
				common = append(common, x)
			}
		}
	}
	return common, left, right
}

// quantize moves the rows of each good cluster to its centre: the sum of h(x) = min(‖x − left‖, ½) − min(‖x − right‖, ½) over the rows,
// for points more than 1 apart. h is 1-Lipschitz, and the sum changes by at most 1 with a row.
func quantize(x [][]float64, left, right []float64, eta float64) (sum float64) {
	for _, c := range clusters(x, eta) {
		sum += min(distance(x[c], left), 0.5) - min(distance(x[c], right), 0.5)
	}
	return sum
}
