package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Scale maps every row into the unit ball by a public affine map: a numeric column goes from its
// declared bounds to [−1, 1], a one-hot block stays, and everything is divided by the square root
// of the number of columns and blocks. It costs nothing; a displacement shrinks with the map.
func (p Pipeline) Scale() Pipeline { return p.with(steps.Scale{}) }

// MaxAbs divides every feature by its largest absolute value in the data, at least floor, a positive number in the units of the
// columns, fitted without noise and priced. Values come to lie in [−1, 1].
//
// One row can be the largest of its column, and then divides all others: the price is of the order of n rows, and vanishes only
// where the public bounds are at most floor. Standardize costs a part of order 1/n of it, and Scale nothing. A model that reads raw
// rows would need the largest values, which are not private: behind MaxAbs only statistics of the scaled rows can be released, and
// coefficients by [Plan.WithoutPrediction].
func (p Pipeline) MaxAbs(floor float64) Pipeline { return p.with(steps.MaxAbs{Floor: floor}) }

// Center subtracts the mean of the rows, fitted without noise and priced. The mean divides by the
// public n, and a row that an earlier step removed counts as zeros.
//
// A model that reads raw rows would need the mean, which is not private: behind Center only
// statistics of the centred rows can be released, and coefficients by [Plan.WithoutPrediction]. The price is that of one more row moving across
// the domain, D in total.
func (p Pipeline) Center() Pipeline { return p.with(steps.Centering{}) }

// A Standardizer is [Standard], [RMS], [PrivateStandard] or [PrivateRMS].
type Standardizer = steps.Standardizer

// Standard maps a value to Gain·(x − mean)/max(sd, Floor), with the population standard deviation
// of the column (divisor n).
//
// Its fields:
//
//	// Floor is the smallest standard deviation that divides, in units of the bound R on a row's norm;
//	// 10⁻⁹ ≤ Floor < 1. It fixes the price, of order Gain/Floor², and has no default.
//	Floor float64
//	// Gain is the standard deviation that comes out, in units of R; 0 means Floor (or MinSpread): columns
//	// are only shrunk.
//	Gain float64
//	// MinSpread takes the place of Floor: it certifies that the standard deviation of every column is at
//	// least so much, in units of R, and columns are divided by what it is. The price is that of the same
//	// Floor, which holds without a certificate: it is here for pipelines that must not be floored. Where the
//	// certificate is false columns are divided by half of it at least, and values are clamped to the bounds that it promises.
//	MinSpread Certificate
type Standard = steps.Standard

// RMS maps a value to Gain·x/max(rms, Floor), with the root of the mean square of the column. Its
// centre is the public 0, as Scale leaves it: it costs less than [Standard].
//
// Its fields:
//
//	// Floor is the smallest root mean square that divides, in units of the bound R on a row's norm;
//	// 10⁻⁹ ≤ Floor < 1. It fixes the price, of order Gain/Floor², and has no default.
//	Floor float64
//	// Gain is the root mean square that comes out, in units of R; 0 means Floor: columns are only shrunk.
//	Gain float64
type RMS = steps.RMS

// Standardize scales numeric columns or one-hot blocks by how far their values spread in the data,
// fitted without noise and priced; with none named, every feature. A public floor on the spread
// makes the price finite on every dataset. Rows that could leave the ball they were in are clipped
// to it.
//
// A model that reads raw rows would need the fitted scales, which are not private: behind
// Standardize only statistics of the scaled rows can be released, and coefficients by
// [Plan.WithoutPrediction]. [PrivateStandard] and [PrivateRMS] release the scales, and [Pipeline.Scale] is
// public and costs nothing.
func (p Pipeline) Standardize(how Standardizer, columns ...string) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "Standardize(nil)", Err: fmt.Errorf("got no scale, want dpkit.RMS{Floor: …} or dpkit.Standard{Floor: …}: %w", ErrParameter)})
	}
	how = kind.PointedTo(how)
	if err := kind.Closed("scale", how); err != nil {
		return p.with(steps.Broken{Name: "Standardize", Err: err})
	}
	s := steps.Standardize{How: how, Columns: steps.ColumnSet(slices.Clone(columns))}
	if _, ok := how.(interface{ PartOf() float64 }); ok {
		return p.with(steps.PrivateScale{Standardize: s})
	}
	return p.with(s)
}

// PrivateRMS is [RMS] with scales that are released privately, with a share of the budget of the
// release: no row moves when another changes, and prediction scales by the same numbers.
//
// Its fields:
//
//	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
//	Floor float64 // smallest root mean square that divides, in units of R, as in RMS; no default
//	Gain  float64 // root mean square that comes out; 0 means Floor
type PrivateRMS = steps.PrivateRMS

// PrivateStandard is [Standard] with means and scales that are released privately; see [PrivateRMS].
//
// Its fields:
//
//	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
//	Floor float64 // smallest standard deviation that divides, in units of R, as in Standard; no default
//	Gain  float64 // standard deviation that comes out; 0 means Floor
type PrivateStandard = steps.PrivateStandard
