package dpkit

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// unit is a group of feature columns that a bound treats as one: a numeric column, or the block of
// 0/1 columns that encodes one category.
type unit struct {
	name    string
	at, len int     // columns at..at+len of the feature row
	block   bool    // one-hot block: rows lie in the simplex spanned by hi·e_i and 0
	lo, hi  float64 // bounds of a numeric column; 0 and the common height of a block
	missing bool
}

// unitsOf groups the features of an encoded schema. Columns of one block stand together.
func unitsOf(s frames.Schema) []unit {
	var out []unit
	for j, c := range s.Features() {
		if n := len(out); c.Block != "" && n > 0 && out[n-1].block && out[n-1].name == c.Block {
			out[n-1].len++
			out[n-1].hi = max(out[n-1].hi, c.Hi)
			out[n-1].missing = out[n-1].missing || c.Missing
			continue
		}
		u := unit{name: c.Name, at: j, len: 1, lo: c.Lo, hi: c.Hi, missing: c.Missing}
		if c.Block != "" {
			u.name, u.block = c.Block, true
		}
		out = append(out, u)
	}
	return out
}

// diameter bounds the distance between two values of the unit, public default included:
// hi − lo for a number, √2·hi for a block.
func (u unit) diameter() float64 {
	if u.block {
		return up(math.Sqrt2 * u.hi)
	}
	return up(u.hi - u.lo)
}

// size bounds the size of a value in a column of the unit.
func (u unit) size() float64 { return max(math.Abs(u.lo), math.Abs(u.hi)) }

// fill writes the public stand-in for a missing value: the midpoint of the bounds, or the centroid
// of a block's levels.
func (u unit) fill(row []float64) {
	v := u.lo + (u.hi-u.lo)/2
	if u.block {
		v = u.hi / float64(u.len)
	}
	for j := u.at; j < u.at+u.len; j++ {
		row[j] = v
	}
}

// encodedFeatures reports the first feature that a mechanism on numbers cannot read: a category, or a
// column that may hold missing cells. Otherwise names what else can be done with a category.
func encodedFeatures(in frames.Schema, otherwise string) error {
	features := in.Features()
	if len(features) == 0 {
		return fmt.Errorf("got no feature column: %w", ErrColumn)
	}
	for _, c := range features {
		if c.Kind == frames.KindCategory {
			return fmt.Errorf("column %q is a category; encode it with OneHot first%s: %w", c.Name, otherwise, ErrOrder)
		}
		if c.Missing {
			return fmt.Errorf("column %q may hold missing cells; Impute first: %w", c.Name, ErrOrder)
		}
	}
	return nil
}

// columnNames lists the columns of the units.
func columnNames(us []unit, s frames.Schema) []string {
	var names []string
	features := s.Features()
	for _, u := range us {
		for j := u.at; j < u.at+u.len; j++ {
			names = append(names, features[j].Name)
		}
	}
	return names
}

// startRadius bounds the norm of a raw row. Distances between raw rows are those of their one-hot
// encodings: a category counts as a block of norm 1. With an unbounded column it is [unboundedRadius].
func startRadius(s frames.Schema) float64 {
	cols := s.Columns()
	for i, c := range cols {
		if c.Kind != frames.KindLabel && c.NoBounds {
			return unboundedRadius
		}
		if c.Kind == frames.KindCategory {
			cols[i] = frames.Numeric(c.Name, 0, 1)
		}
	}
	encoded, err := frames.NewSchema(cols...)
	if err != nil {
		return math.Inf(1) // impossible for a valid schema; refused by pair.Start
	}
	return encoded.NormBound()
}

// up returns a number at least as large as the exact value of a short positive computation that
// gave x: 2^-40 is far above the rounding of the few hundred operations behind any bound here.
func up(x float64) float64 { return x * (1 + 0x1p-40) }

// upSum is up for a bound on a norm of d terms, whose sum of squares is off by the factor 1 + d·2^-52.
func upSum(x float64, d int) float64 { return x * (1 + 0x1p-40 + float64(d)*0x1p-51) }

// Radii, clips, cells, weights and steps are of the sizes of a schema. Those of rows are held to it by [pair.State].
const minSize, maxSize = frames.MinWidth, frames.MaxBound

func inRange(x float64) bool { return x >= minSize && x <= maxSize }

// sized reports a parameter outside that range.
func sized(what string, x float64) error {
	if !inRange(x) {
		return fmt.Errorf("%s: got %g, want a number in [%g, %g]; Scale first, or choose another unit: %w", what, x, minSize, maxSize, ErrParameter)
	}
	return nil
}

// sizedOr0 is sized where 0 stands for the default.
func sizedOr0(what string, x float64) error {
	if x == 0 {
		return nil
	}
	if err := sized(what, x); err != nil {
		return fmt.Errorf("%w, or 0 for the default", err)
	}
	return nil
}

// rounding bounds by how much two rows of d columns in the ball of radius r can move apart when a
// public map is computed in floating point: a few roundings a cell and a norm of d terms, on each side.
func rounding(d int, r float64) float64 { return up(float64(d+16) * 0x1p-51 * r) }

// unknownColumn names a column that is not there, and the features that are.
func unknownColumn(name string, in frames.Schema) error {
	var have []string
	for _, c := range in.Features() {
		have = append(have, c.Name)
	}
	const most = 12
	list := strings.Join(have[:min(len(have), most)], ", ")
	if len(have) > most {
		list += fmt.Sprintf(", … (%d in all)", len(have))
	}
	return fmt.Errorf("%w: %q; the features here are %s", ErrColumn, name, list)
}
