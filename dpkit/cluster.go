package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Good clusters. Distances are those of coordinates rounded to a public lattice of width η/snap: they
// are computed without a rounding error, so that the geometry behind the bounds holds to the last
// bit. A row x is a centre if no row lies at a distance in (η, 3η] from it; then the rows within η of
// it are a good cluster. Two good clusters with a common row are equal, and the centres of different
// ones lie more than 3η apart.
const (
	snap = 1 << 20
	// maxSpan bounds the width of a column in units of η: coordinates stay below 2^50.
	maxSpan = 1 << 30
)

// squared radii, in lattice units
const (
	ball1 = snap * snap
	ball2 = 4 * ball1
	ball3 = 9 * ball1
)

// stretch bounds the distance of two rows whose rounded coordinates lie within η, in units of η: a
// coordinate is off by less than 3/4 of a lattice unit on either side, floating point included.
func stretch(d int) float64 { return up(1 + 1.5*math.Sqrt(float64(d))/snap) }

// keySet says what two rows are compared by.
type keySet struct {
	numeric []int // positions of numeric features, which may lie close to each other
	exact   []int // positions of categories and of columns that encode one
	label   bool
	all     bool // nothing else is in a row
}

// keysOf resolves the names of features (a category that was encoded goes by its own name) and of the
// label; none means all of them.
func keysOf(in frames.Schema, names []string) (keySet, error) {
	label, labelled := in.Label()
	known := map[string]bool{}
	for _, c := range in.Features() {
		known[unitName(c)] = true
	}
	k := keySet{all: true}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			return k, fmt.Errorf("column %q is named twice: %w", name, ErrColumn)
		case labelled && name == label.Name:
			k.label = true
		case !known[name]:
			return k, unknownColumn(name, in)
		}
	}
	if len(names) == 0 {
		k.label = labelled
	}
	k.all = k.label == labelled
	for j, c := range in.Features() {
		switch {
		case len(names) > 0 && !slices.Contains(names, unitName(c)):
			k.all = false
		case c.Kind == frames.KindNumeric && c.Block == "":
			k.numeric = append(k.numeric, j)
		default:
			k.exact = append(k.exact, j)
		}
	}
	return k, nil
}

// numbers returns the names of the numeric features among the keys.
func (k keySet) numbers(in frames.Schema) []string {
	features := in.Features()
	names := make([]string, len(k.numeric))
	for i, j := range k.numeric {
		names[i] = features[j].Name
	}
	return names
}

// goodClusters calls fn for every good cluster of at least two rows, with its rows and its centre.
// Rows are close if they agree in every exact key and in which numeric ones are missing, and lie
// close in the others. The centre is the smallest row within η of all rows of the cluster: neither
// positions nor rows outside have a say in it. fn may change the cluster's rows.
func (m *matrix) goodClusters(ctx context.Context, k keySet, in frames.Schema, eta float64, fn func(rows []int32, centre int)) error {
	return m.neighbourhoods(ctx, k, in, eta, func(rows []int32, x []float64) {
		if len(rows) > 1 {
			m.clustersOf(newKDTree(x, len(k.numeric)), rows, fn)
		}
	})
}

// neighbourhoods calls fn for every class of rows that agree in the exact keys and in which numeric
// ones are missing, with their lattice coordinates.
func (m *matrix) neighbourhoods(ctx context.Context, k keySet, in frames.Schema, eta float64, fn func(rows []int32, x []float64)) error {
	d := len(k.numeric)
	lo := make([]float64, d)
	for i, j := range k.numeric {
		lo[i] = in.Features()[j].Lo
	}
	exactBytes, exact := m.cells(k.exact, k.label)
	class, count := m.classesOf(exactBytes+d, func(buf []byte, i int) {
		exact(buf, i)
		row := m.row(i)
		for c, j := range k.numeric {
			buf[exactBytes+c] = 0
			if math.IsNaN(row[j]) {
				buf[exactBytes+c] = 1
			}
		}
	})
	members, start := byClass(class, count)
	for c := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := members[start[c]:start[c+1]]
		x := make([]float64, len(rows)*d)
		for i, r := range rows {
			m.snapped(x[i*d:(i+1)*d], int(r), k.numeric, lo, eta)
		}
		fn(rows, x)
	}
	return nil
}

// snapped writes the lattice coordinates of a row; a missing cell, which all rows of the class miss, is 0.
func (m *matrix) snapped(dst []float64, i int, numeric []int, lo []float64, eta float64) {
	row := m.row(i)
	for c, j := range numeric {
		dst[c] = 0
		if v := row[j]; !math.IsNaN(v) {
			dst[c] = math.RoundToEven((v - lo[c]) / eta * snap)
		}
	}
}

// clustersOf finds the good clusters of one class; t is the tree of its rows.
func (m *matrix) clustersOf(t *kdTree, rows []int32, fn func(rows []int32, centre int)) {
	done := make([]bool, len(rows))
	var near, cluster []int32
	for i := range rows {
		if done[i] || t.between(t.point(i), ball1, ball3) {
			continue
		}
		near = t.within(near[:0], t.point(i), ball1)
		for _, p := range near {
			done[p] = true
		}
		if len(near) < 2 {
			continue
		}
		slices.SortFunc(near, func(a, b int32) int { return m.compare(int(rows[t.id[a]]), int(rows[t.id[b]])) })
		// Rows of the cluster lie within 2η of each other and farther than that from all others: the
		// test is one of the cluster alone. The centre that was found passes it.
		c := slices.IndexFunc(near, func(p int32) bool { return !t.between(t.point(int(p)), ball1, ball2) })
		cluster = cluster[:0]
		for _, p := range near {
			cluster = append(cluster, rows[t.id[p]])
		}
		fn(cluster, int(cluster[c]))
	}
}

// byClass lists the rows of each class: those of c are members[start[c]:start[c+1]].
func byClass(class []int32, count int) (members []int32, start []int) {
	start = make([]int, count+1)
	for _, c := range class {
		if c >= 0 {
			start[c+1]++
		}
	}
	for c := range count {
		start[c+1] += start[c]
	}
	members = make([]int32, start[count])
	next := slices.Clone(start)
	for i, c := range class {
		if c >= 0 {
			members[next[c]] = int32(i)
			next[c]++
		}
	}
	return members, start
}
