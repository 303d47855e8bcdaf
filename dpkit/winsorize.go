package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// A Winsorizer is [PublicQuantiles], [SmoothedQuantile] or [PrivateBounds].
type Winsorizer = steps.Winsorizer

// SmoothedQuantile clamps each column between its quantiles at Q and 1 − Q, each averaged over a
// window of levels of the width Window; fitted without noise and priced. An exact quantile of the
// data can jump across the whole column when one row changes; the average cannot. Rows that an
// earlier step removed count as zeros. At prediction time values stay as they are.
//
// Its fields:
//
//	// Q is the share clamped at either end, and Window the width of levels around it that are
//	// averaged: 10⁻⁶ ≤ Window ≤ 2·Q and Q + Window/2 < 1/2. A narrow window costs more, of order
//	// Q/Window + 1/2 widths of the columns. There are no defaults.
//	Q, Window float64
type SmoothedQuantile = steps.SmoothedQuantile

// Winsorize clamps the named numeric columns to a central interval each, between public bounds or
// between quantiles of the data.
func (p Pipeline) Winsorize(how Winsorizer, columns ...string) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "Winsorize(nil)", Err: fmt.Errorf("got no interval, want dpkit.PublicQuantiles{…} or dpkit.SmoothedQuantile{…}: %w", ErrParameter)})
	}
	return p.with(how.Winsorizer(slices.Clone(columns)))
}

// PublicQuantiles clamps each column between public numbers, such as quantiles of other data: the
// i-th column named to [Lo[i], Hi[i]]. It is a public row map and costs nothing.
//
// Its fields:
//
//	Lo, Hi []float64
type PublicQuantiles = steps.PublicQuantiles

// PrivateBounds clamps each column to bounds that are themselves released privately, with a share of the budget of the release: no row
// moves when another changes, what follows is calibrated to the bounds that come out, and prediction clamps to the same. Columns may be
// frames.Unbounded, and have bounds behind it:
//
//	data.Winsorize(PrivateBounds{Share: 0.1}, "income").Mean(target)
//
// They are the outermost ends of bins of sizes, 0 and ±2^k for k from −40 to 80, that have more rows than noise explains, as [Pipeline.Bounds]
// has them: a few rows beyond are clamped, which costs nothing but the error that it makes. Where no bin has, the column's own bounds
// stay, or ±2^81.
//
// Cost prices what follows at the widest bounds, since nothing else is known before the release; the result has the price and the noise at
// those that came out, at the same charge. Where something behind has no price there, as a later ClipColumns that leaves nothing, the widest ones
// stay. A mechanism whose noise is not Gaussian wants Scale between, which makes one domain of any bounds.
//
// Its fields:
//
//	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
//
//	// GuessLo and GuessHi are where the rows are thought to be: predictions rest on it, and nothing else. Both 0: nobody knows.
//	GuessLo, GuessHi float64
type PrivateBounds = steps.PrivateBounds
