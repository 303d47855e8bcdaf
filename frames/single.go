package frames

import (
	"fmt"
	"math"
	"slices"
)

// Single returns the column of numbers with cells of single precision: a table in memory then takes 4 bytes for each in place of 8. A
// loader rounds a number to the nearest float32 within the column's bounds, which is a map of the row alone; that it does is a part of the
// schema, of its hash and of fingerprints. What steps and statistics make of the numbers has float64.
func (c Column) Single() Column { return c.with(func(r *rare) { r.single = true }) }

// IsSingle reports whether the column's numbers have single precision. See [Column.Single].
func (c Column) IsSingle() bool { return c.more != nil && c.more.single }

// Computed is the schema of what is computed from rows of s: without [Column.Single], which is of rows as they are loaded.
func (s Schema) Computed() Schema {
	if s.s == nil || !slices.ContainsFunc(s.s.cols, func(c Column) bool { return c.IsSingle() }) {
		return s
	}
	cols := s.Columns()
	for i, c := range cols {
		cols[i] = c.with(func(r *rare) { r.single = false })
	}
	out, err := NewSchema(cols...)
	if err != nil {
		panic("frames: a schema does not hold without a flag: " + err.Error()) // impossible: the flag lets nothing in
	}
	return out
}

// validateSingle holds a column of single precision to what float32 can stand for.
func (c Column) validateSingle() error {
	const instead = "drop Single"
	switch lo, hi := c.singles(); {
	case !c.number():
		return fmt.Errorf("got single precision and kind %v, want numbers: %s", c.kind(), instead)
	case c.NoBounds:
		return fmt.Errorf("got single precision of an unbounded column, whose numbers may be larger than float32 goes: %s, or declare bounds", instead)
	case c.Block != "":
		return fmt.Errorf("got single precision in block %q, whose norms would no longer be exact: %s", c.Block, instead)
	case math.Abs(c.Lo) > math.MaxFloat32 || math.Abs(c.Hi) > math.MaxFloat32:
		return fmt.Errorf("got bounds [%g, %g] in single precision, want at most %.4g in size: give the column in a larger unit, or %s", c.Lo, c.Hi, math.MaxFloat32, instead)
	case !(lo < hi):
		return fmt.Errorf("got bounds [%g, %g] in single precision, which has fewer than two numbers there: give the column in another unit, or %s", c.Lo, c.Hi, instead)
	}
	return nil
}

// singles are the least and the largest float32 within the bounds.
func (c *Column) singles() (lo, hi float32) {
	if lo = float32(c.Lo); float64(lo) < c.Lo {
		lo = math.Nextafter32(lo, math.MaxFloat32)
	}
	if hi = float32(c.Hi); float64(hi) > c.Hi {
		hi = math.Nextafter32(hi, -math.MaxFloat32)
	}
	return lo, hi
}

// rounded is a number within the bounds as a column of single precision has it.
func (c *Column) rounded(v float64) float64 {
	lo, hi := c.singles()
	return float64(min(max(float32(v), lo), hi)) + 0 // −0 is 0
}
