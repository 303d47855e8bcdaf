package domain

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Unit is a group of feature columns that a bound treats as one: a numeric column, or the block of
// 0/1 columns that encodes one category.
type Unit struct {
	Name    string
	At, Len int     // columns At to At+Len-1 of the feature row
	Block   bool    // one-hot block: rows lie in the simplex spanned by hi·e_i and 0
	Lo, Hi  float64 // bounds of a numeric column; 0 and the common height of a block
	Missing bool
}

// UnitsOf groups the features of an encoded schema. Columns of one block stand together.
func UnitsOf(s frames.Schema) []Unit {
	var out []Unit
	for j, c := range s.Features() {
		if n := len(out); c.Block != "" && n > 0 && out[n-1].Block && out[n-1].Name == c.Block {
			out[n-1].Len++
			out[n-1].Hi = max(out[n-1].Hi, c.Hi)
			out[n-1].Missing = out[n-1].Missing || c.Missing
			continue
		}
		u := Unit{Name: c.Name, At: j, Len: 1, Lo: c.Lo, Hi: c.Hi, Missing: c.Missing}
		if c.Block != "" {
			u.Name, u.Block = c.Block, true
		}
		out = append(out, u)
	}
	return out
}

// Diameter bounds the distance between two values of the unit, public default included:
// hi − lo for a number, √2·hi for a block.
func (u Unit) Diameter() float64 {
	if u.Block {
		return stage.Up(math.Sqrt2 * u.Hi)
	}
	return stage.Up(u.Hi - u.Lo)
}

// Size bounds the size of a value in a column of the unit.
func (u Unit) Size() float64 { return max(math.Abs(u.Lo), math.Abs(u.Hi)) }

// Fill writes the public stand-in for a missing value: the midpoint of the bounds, or the centroid
// of a block's levels.
func (u Unit) Fill(row []float64) {
	v := u.Lo + (u.Hi-u.Lo)/2
	if u.Block {
		v = u.Hi / float64(u.Len)
	}
	for j := u.At; j < u.At+u.Len; j++ {
		row[j] = v
	}
}

// EncodedFeatures reports the first feature that a mechanism on numbers cannot read: a category, or a
// column that may hold missing cells. Otherwise names what else can be done with a category.
func EncodedFeatures(in frames.Schema, otherwise string) error {
	features := in.Features()
	if len(features) == 0 {
		return fmt.Errorf("got no feature column: %w", stage.ErrColumn)
	}
	for _, c := range features {
		//dp:refuses units/category a code is no number
		if c.Kind == frames.KindCategory {
			return fmt.Errorf("column %q is a category; encode it with OneHot first%s: %w", c.Name, otherwise, stage.ErrOrder)
		}
		//dp:refuses units/missing a cell that misses is no number
		if c.Missing {
			return fmt.Errorf("column %q may hold missing cells; Impute first: %w", c.Name, stage.ErrOrder)
		}
	}
	return nil
}

// ColumnNames lists the columns of the units.
func ColumnNames(us []Unit, s frames.Schema) []string {
	var names []string
	features := s.Features()
	for _, u := range us {
		for j := u.At; j < u.At+u.Len; j++ {
			names = append(names, features[j].Name)
		}
	}
	return names
}

// UnknownColumn names a column that is not there, and the features that are.
func UnknownColumn(name string, in frames.Schema) error {
	var have []string
	for _, c := range in.Features() {
		have = append(have, c.Name)
	}
	const most = 12
	list := strings.Join(have[:min(len(have), most)], ", ")
	if len(have) > most {
		list += fmt.Sprintf(", … (%d in all)", len(have))
	}
	return fmt.Errorf("no such column: %q; the features here are %s: %w", name, list, stage.ErrColumn)
}

// Half is the unit of z: half the width of a number, the height of a block.
func (u Unit) Half() float64 {
	if u.Block {
		return u.Hi
	}
	return (u.Hi - u.Lo) / 2
}

// Middle is the origin of z: the centre of a number's bounds, and 0 for a block.
func (u Unit) Middle() float64 {
	if u.Block {
		return 0
	}
	return u.Lo + (u.Hi-u.Lo)/2
}

// Blocks is the share of the units that are one-hot blocks.
func Blocks(in frames.Schema) float64 {
	us := UnitsOf(in)
	n := 0
	for _, u := range us {
		if u.Block {
			n++
		}
	}
	return float64(n) / float64(max(len(us), 1))
}
