package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// A Winsorizer is [PublicQuantiles] or [SmoothedQuantile].
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
