package rows

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Good clusters. Distances are those of coordinates rounded to a public lattice of width η/snap: they
// are computed without a rounding error, so that the geometry behind the bounds holds to the last
// bit. A row x is a centre if no row lies at a distance in (η, 3η] from it; then the rows within η of
// it are a good cluster. Two good clusters with a common row are equal, and the centres of different
// ones lie more than 3η apart.
const (
	snap = 1 << 20
	// MaxSpan bounds the width of a column in units of η: coordinates stay below 2^50.
	MaxSpan = 1 << 30
)

// squared radii, in lattice units
const (
	ball1 = snap * snap
	ball2 = 4 * ball1
	ball3 = 9 * ball1
)

// Stretch bounds the distance of two rows whose rounded coordinates lie within η, in units of η: a
// coordinate is off by less than 3/4 of a lattice unit on either side, floating point included.
func Stretch(d int) float64 { return stage.Up(1 + 1.5*math.Sqrt(float64(d))/snap) }

// KeySet says what two rows are compared by.
type KeySet struct {
	Numeric []int // positions of numeric features, which may lie close to each other
	Exact   []int // positions of categories and of columns that encode one
	Label   bool
	All     bool // nothing else is in a row
}

// KeysOf resolves the names of features (a category that was encoded goes by its own name) and of the
// label; none means all of them.
func KeysOf(in frames.Schema, names []string) (KeySet, error) {
	label, labelled := in.Label()
	known := map[string]bool{}
	for _, c := range in.Features() {
		known[domain.UnitName(c)] = true
	}
	k := KeySet{All: true}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			return k, fmt.Errorf("column %q is named twice: %w", name, stage.ErrColumn)
		case labelled && name == label.Name:
			k.Label = true
		case !known[name]:
			return k, domain.UnknownColumn(name, in)
		}
	}
	if len(names) == 0 {
		k.Label = labelled
	}
	k.All = k.Label == labelled
	for j, c := range in.Features() {
		switch {
		case len(names) > 0 && !slices.Contains(names, domain.UnitName(c)):
			k.All = false
		case c.Kind == frames.KindNumeric && c.Block == "":
			k.Numeric = append(k.Numeric, j)
		default:
			k.Exact = append(k.Exact, j)
		}
	}
	return k, nil
}

// Numbers returns the names of the numeric features among the keys.
func (k KeySet) Numbers(in frames.Schema) []string {
	features := in.Features()
	names := make([]string, len(k.Numeric))
	for i, j := range k.Numeric {
		names[i] = features[j].Name
	}
	return names
}

// GoodClusters calls fn for every good cluster of at least two rows, with its rows and its centre.
// Rows are close if they agree in every exact key and in which numeric ones are missing, and lie
// close in the others. The centre is the smallest row within η of all rows of the cluster: neither
// positions nor rows outside have a say in it. fn may change the cluster's rows.
func (m *Matrix) GoodClusters(ctx context.Context, k KeySet, in frames.Schema, eta float64, fn func(rows []int32, centre int)) error {
	var failed error
	err := m.neighbourhoods(ctx, k, in, eta, func(rows []int32, x []float64) {
		if len(rows) > 1 && failed == nil {
			failed = m.clustersOf(ctx, newKDTree(x, len(k.Numeric)), rows, fn)
		}
	})
	return cmp.Or(err, failed)
}

// neighbourhoods calls fn for every class of rows that agree in the exact keys and in which numeric
// ones are missing, with their lattice coordinates.
func (m *Matrix) neighbourhoods(ctx context.Context, k KeySet, in frames.Schema, eta float64, fn func(rows []int32, x []float64)) error {
	d := len(k.Numeric)
	lo, features := make([]float64, d), in.Features()
	for i, j := range k.Numeric {
		lo[i] = features[j].Lo
	}
	exactBytes, exact := m.Cells(k.Exact, k.Label)
	key := func(buf []byte, i int) {
		exact(buf, i)
		row := m.Row(i)
		for c, j := range k.Numeric {
			buf[exactBytes+c] = 0
			if math.IsNaN(row[j]) {
				buf[exactBytes+c] = 1
			}
		}
	}
	class, count := m.ClassesOf(exactBytes+d, func() keyFunc { return key })
	members, start := byClass(class, count)
	for c := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := members[start[c]:start[c+1]]
		x := make([]float64, len(rows)*d)
		together((len(rows)+partRows-1)/partRows, func() func(part int) {
			return func(part int) {
				for i := part * partRows; i < min((part+1)*partRows, len(rows)); i++ {
					m.snapped(x[i*d:(i+1)*d], int(rows[i]), k.Numeric, lo, eta)
				}
			}
		})
		fn(rows, x)
	}
	return nil
}

// snapped writes the lattice coordinates of a row; a missing cell, which all rows of the class miss, is 0.
func (m *Matrix) snapped(dst []float64, i int, numeric []int, lo []float64, eta float64) {
	row := m.Row(i)
	for c, j := range numeric {
		dst[c] = 0
		if v := row[j]; !math.IsNaN(v) {
			dst[c] = math.RoundToEven((v - lo[c]) / eta * snap)
		}
	}
}

// goodCluster is one that was found.
type goodCluster struct {
	first  int32 // slot of its first centre
	rows   []int32
	centre int32 // row
}

// clustersOf finds the good clusters of one class; t is the tree of its rows. It looks on all processors, and tells in the order of their first centres.
func (m *Matrix) clustersOf(ctx context.Context, t *kdTree, rows []int32, fn func(rows []int32, centre int)) error {
	shell, err := t.shells(ctx, ball1, ball3)
	if err != nil {
		return err
	}
	done := make([]atomic.Bool, len(t.id))
	var mu sync.Mutex
	var found []goodCluster
	err = t.eachRun(ctx, func() func(from, to int32) {
		p := make([]float64, t.d)
		var near []int32
		return func(from, to int32) {
			for slot := from; slot < to; slot++ {
				if t.id[slot] < 0 || done[slot].Load() || shell[slot].Load() {
					continue
				}
				near = t.within(near[:0], t.point(p, slot), ball1)
				if len(near) < 2 {
					continue
				}
				// Another may have begun at another centre: it finds the same rows, and one of the two goes on.
				if done[near[0]].Swap(true) {
					continue
				}
				for _, k := range near {
					done[k].Store(true)
				}
				c := m.clusterOf(t, rows, near, p, shell)
				mu.Lock()
				found = append(found, c)
				mu.Unlock()
			}
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b goodCluster) int { return cmp.Compare(a.first, b.first) })
	for _, c := range found {
		fn(c.rows, int(c.centre))
	}
	return nil
}

// clusterOf is the cluster of the slots within η of a centre, which it reorders. p is a buffer for a point.
func (m *Matrix) clusterOf(t *kdTree, rows, near []int32, p []float64, shell []atomic.Bool) goodCluster {
	c := goodCluster{first: near[slices.IndexFunc(near, func(k int32) bool { return !shell[k].Load() })], rows: make([]int32, len(near))}
	slices.SortFunc(near, func(a, b int32) int { return m.compare(int(rows[t.id[a]]), int(rows[t.id[b]])) })
	for i, k := range near {
		c.rows[i] = rows[t.id[k]]
	}
	// Rows of the cluster lie within 2η of each other and farther than that from all others: the
	// test is one of the cluster alone. The centre that was found passes it.
	c.centre = c.rows[slices.IndexFunc(near, func(k int32) bool { return t.between(t.point(p, k), ball1, ball2) < 0 })]
	return c
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
