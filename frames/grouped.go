package frames

import (
	"context"
	"math"
	"reflect"
)

// A Grouper is a [Source] that can add its rows up by groups where they lie, as a database does. A release that needs no more than such sums
// asks for them in place of rows, and has the same bits. It is one by methods of its own: a type that embeds a Grouper has that one's Grouped
// beside, it may be, another Scan, and is read row by row.
type Grouper interface {
	Source
	// Grouped calls each with sums over rows that agree in all columns of q.By: their level codes (NaN = missing), how many rows there
	// are, and the totals of q.Sums. A group may come in several parts, in any order; each must not keep the slices. It reports false where
	// the source cannot, or cannot promise that the rows are those of its last Scan: what each was told must then be dropped, and the
	// rows scanned.
	Grouped(ctx context.Context, q Grouping, each func(levels []float64, rows int64, sums []int64)) (done bool, err error)
}

// Grouping is what is asked of a [Grouper].
type Grouping struct {
	By   []string // features or the label, with levels
	Sums []GridSum
}

// GridSum is a sum of integers: of round((Weight·v)·Steps) over rows, to the nearest integer and ties to even, where u = (x − Mid)/Half clamped to
// [−1, 1], and v is u, or u² − Centre where Centre is positive. Each operation is one of IEEE 754 binary64, in this order.
type GridSum struct {
	Column    string // of numbers, none of which may miss
	Mid, Half float64
	Centre    float64
	Weight    float64
	Steps     float64
}

// Of is what a row adds whose cell is x.
func (g GridSum) Of(x float64) int64 {
	v := min(max((x-g.Mid)/g.Half, -1), 1)
	if g.Centre > 0 {
		v = float64(v*v) - g.Centre // no fused operation
	}
	return int64(math.RoundToEven(g.Weight * v * g.Steps))
}

// embedsGrouper reports a source whose Grouped may be that of what it embeds, which knows nothing of what its Scan makes of the rows.
func embedsGrouper(src Grouper) bool {
	t, grouper := reflect.TypeOf(src), reflect.TypeFor[Grouper]()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && (f.Type.Implements(grouper) || reflect.PointerTo(f.Type).Implements(grouper)) {
			return true
		}
	}
	return false
}

// Grouped implements [Grouper] where the source that was checked does: it reports false where that does, where levels are none of the
// schema's, and where the rows are not as many.
func (c *Checked) Grouped(ctx context.Context, q Grouping, each func(levels []float64, rows int64, sums []int64)) (done bool, err error) {
	src, ok := c.private().src.(Grouper)
	if !ok || embedsGrouper(src) {
		return false, nil
	}
	columns := make([]Column, len(q.By))
	for i, name := range q.By {
		columns[i], _ = c.schema.Column(name)
	}
	var total int64
	sound := true
	done, err = src.Grouped(ctx, q, func(levels []float64, rows int64, sums []int64) {
		sound = sound && len(levels) == len(columns) && len(sums) == len(q.Sums) && rows >= 0
		for i := 0; sound && i < len(levels); i++ {
			code := levels[i]
			sound = math.IsNaN(code) && columns[i].Missing || code >= 0 && code < float64(len(columns[i].Levels)) && code == math.Trunc(code)
		}
		if sound {
			total += rows
			each(levels, rows, sums)
		}
	})
	return done && sound && total == int64(c.rows), err
}
