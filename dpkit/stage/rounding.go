package stage

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// unboundedRadius stands for the norm bound of rows with unbounded columns. It is no bound: whatever would rest on it
// is refused, and were it asked all the same, its noise would drown the answer.
const unboundedRadius = pair.MaxRadius

// StartRadius bounds the norm of a raw row. Distances between raw rows are those of their one-hot
// encodings: a category counts as a block of norm 1. With an unbounded column it is [unboundedRadius].
// Rows without features have norm 0, of which 1 is a bound too, and one that a pair state can have.
func StartRadius(s frames.Schema) float64 {
	if s.Width() == 0 {
		return 1
	}
	cols, categories := s.Columns(), false
	for i, c := range cols {
		if c.Kind != frames.KindLabel && c.NoBounds {
			return unboundedRadius
		}
		if c.Kind == frames.KindCategory {
			cols[i], categories = frames.Numeric(c.Name, 0, 1), true
		}
	}
	if !categories {
		return s.NormBound()
	}
	encoded, err := frames.NewSchema(cols...)
	if err != nil {
		return math.Inf(1) // impossible for a valid schema; refused by pair.Start
	}
	return encoded.NormBound()
}

// Up returns a number at least as large as the exact value of a short positive computation that
// gave x: 2^-40 is far above the rounding of the few hundred operations behind any bound here.
func Up(x float64) float64 { return x * (1 + 0x1p-40) }

// UpSum is [Up] for a bound on a norm of d terms, whose sum of squares is off by the factor 1 + d·2^-52.
func UpSum(x float64, d int) float64 { return x * (1 + 0x1p-40 + float64(d)*0x1p-51) }

// Rounding bounds by how much two rows of d columns in the ball of radius r can move apart when a
// public map is computed in floating point: a few roundings a cell and a norm of d terms, on each side.
func Rounding(d int, r float64) float64 { return Up(float64(d+16) * 0x1p-51 * r) }
