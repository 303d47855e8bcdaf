package steps

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The ways to impute: every imputer lists the others.

func (m MeanImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(m, m.Columns, st, mu)
}

func (m TrimmedImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(m, m.Columns, st, mu)
}

func (m PrivateMeanImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(m, m.Columns, st, mu)
}

func (c MidpointImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(c, c.Columns, st, mu)
}

// imputations lists public, fitted, tested and private ways, the written one first.
func imputations(written stage.Preprocessor, columns ColumnSet, st stage.Stage, mu float64) []stage.Alternative {
	n := st.Before.N
	pad := n/2 + 1
	most := math.Ceil(float64(n) / 10)
	// The noise of the test should be a hundredth of the number that it certifies.
	tested := query.Test(most, query.Tested{Share: clampShare(float64(st.Before.F) * 100 / (mu * most)), Delta: 1e-12})
	few := fmt.Sprintf("passes if clearly fewer than a tenth of the rows (%g) miss a cell; test the number that you expect", most)
	ridge, regression := written.(RidgeImpute)
	_, median := written.(MedianImpute)
	_, trimmed := written.(TrimmedImpute)

	ways := []stage.Alternative{
		{
			Kind: stage.Public, Step: MidpointImpute{Columns: columns}, Same: !regression, SameModel: true,
			Note: "a linear model on rows with Indicate in front spans the same functions",
		},
		{
			Kind: stage.Fitted, Step: MeanImpute{Mean{Pad: pad}, columns}, Same: !regression, SameModel: true,
			Note: "means of the observed cells where at least half are",
		},
		{Kind: stage.TestedFit, Step: MeanImpute{Mean{Pad: 1, MaxMissing: tested}, columns}, Same: !regression, SameModel: true, Note: few},
	}
	if regression {
		for i := range ways {
			ways[i].Note += "; a constant in place of a regression"
		}
		if !ridge.MaxMissing.Given() {
			ridge.MaxMissing = tested
			ways = append(ways, stage.Alternative{Kind: stage.TestedFit, Step: ridge, Same: true, Note: few})
		}
	}
	if median || trimmed {
		ways = append(ways, stage.Alternative{
			Kind: stage.Fitted, Step: TrimmedImpute{TrimmedMean{Trim: 0.4, Pad: pad}, columns}, Same: true,
			Note: "the mean of the middle fifth resists outliers as a median does, at a price of order 1/n a row",
		})
	}
	private := PrivateMeanImpute{Columns: columns}
	share, _ := private.accurate(st, mu)
	for _, share := range shares(share) {
		private.Share = share
		ways = append(ways, stage.Alternative{
			Kind: stage.Private, Step: private, Same: !regression, SameModel: true, Note: accuracyNote(private.errorAt(st, mu, share)),
		})
	}
	for i, w := range ways {
		if kind.Describe(w.Step) == kind.Describe(written) {
			ways[0], ways[i] = ways[i], ways[0]
			return ways
		}
	}
	own := stage.Alternative{Kind: stage.Fitted, Step: written, Same: true, Note: "as written"}
	if s, ok := written.(query.Spender); ok {
		if list, err := s.Expenses(st); err == nil && len(list) > 0 {
			own.Kind = stage.TestedFit
		}
	}
	if p, ok := written.(PrivateMeanImpute); ok {
		rmse := p.errorAt(st, mu, p.Share)
		own.Kind, own.Note = stage.Private, "as written; "+accuracyNote(rmse)
	}
	return append([]stage.Alternative{own}, ways...)
}

// accuracyNote tells how accurate privately released means are.
func accuracyNote(rmse float64) string {
	switch {
	case rmse <= adequate:
		return fmt.Sprintf("standard error of a mean of n values: %.2g of half a column's width", rmse)
	case rmse < 1:
		return fmt.Sprintf("inaccurate here: standard error of a mean of n values %.2g of half a column's width", rmse)
	default:
		return "of no use here: the noise on a mean is as wide as its column"
	}
}

// adequate is the standard error, in units of a column's half-width, for which a share is chosen: a privately fitted parameter then does the
// job of the exact one.
const adequate = 0.01

// accurate returns the least share of μ² with which the error of the means is adequate, at least a
// thousandth and at most a half, and the error at that share.
func (m PrivateMeanImpute) accurate(st stage.Stage, mu float64) (share, rmse float64) {
	share = clampShare(m.errorAt(st, mu, 1) / adequate)
	return share, m.errorAt(st, mu, share)
}

// errorAt is the standard error of the mean of n values at that share of μ².
func (m PrivateMeanImpute) errorAt(st stage.Stage, mu, share float64) float64 {
	list, err := m.Expenses(st)
	if err != nil || !(mu > 0) {
		return math.Inf(1)
	}
	return list[0].Query.Sensitivity / (mu * float64(st.Before.N) * math.Sqrt(share))
}

// shares are those that private ways are offered with: the one that is accurate, and where that is large a small one beside it, which leaves
// the rest of the budget to the release.
func shares(accurate float64) []float64 {
	if accurate <= 2*smallShare {
		return []float64{accurate}
	}
	return []float64{accurate, smallShare}
}

const smallShare = 0.05

// clampShare is root², between a thousandth and a half, to three digits rounded up.
func clampShare(root float64) float64 {
	return min(max(math.Ceil(root*root*1000)/1000, 0.001), 0.5)
}
