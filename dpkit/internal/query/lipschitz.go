package query

import "github.com/dpkit-go/dpnb/dpkit/stage"

// LipschitzBehind is the Lipschitz constant of a statistic in rows that are displaced as a [Bill]'s Behind says: own is that for
// the columns that the chain displaces, those of taint, and anyFeature that for all features, where it displaces none.
func LipschitzBehind(taint stage.Taint, own, anyFeature float64) float64 {
	if len(taint) == 0 {
		return anyFeature
	}
	return own
}
