package dpkit

import (
	"fmt"
	"math"
)

// The ways to impute: every imputer lists the others.

func (m meanImpute) alternatives(st Stage, mu float64) []Alternative {
	return imputations(m, m.columnSet, st, mu)
}

func (m trimmedImpute) alternatives(st Stage, mu float64) []Alternative {
	return imputations(m, m.columnSet, st, mu)
}

func (m privateMeanImpute) alternatives(st Stage, mu float64) []Alternative {
	return imputations(m, m.columnSet, st, mu)
}

func (c midpointImpute) alternatives(st Stage, mu float64) []Alternative {
	return imputations(c, c.columnSet, st, mu)
}

// imputations lists a public, the fitted, the tested and the private ways, the written one first.
func imputations(written Preprocessor, columns columnSet, st Stage, mu float64) []Alternative {
	n := st.Before.N
	pad := n/2 + 1
	most := math.Ceil(float64(n) / 10)
	// The noise of the test should be a hundredth of the number that it certifies.
	testShare := clampShare(float64(st.Before.F) * 100 / (mu * most))
	ways := []Alternative{
		{
			Kind: Public, Step: midpointImpute{columns}, Same: true,
			Note: "a linear model on rows with Indicate in front spans the same functions",
		},
		{
			Kind: Fitted, Step: meanImpute{Mean{Pad: pad}, columns}, Same: true,
			Note: "means of the observed cells where at least half are",
		},
		{
			Kind: TestedFit, Same: true,
			Step: meanImpute{Mean{Pad: 1, MaxMissing: Test(most, Tested{Share: testShare, Delta: 1e-12})}, columns},
			Note: fmt.Sprintf("passes if clearly fewer than a tenth of the rows (%g) miss a cell; test the number that you expect", most),
		},
	}
	private := privateMeanImpute{columnSet: columns}
	share, rmse := private.accurate(st, mu)
	private.Share = share
	ways = append(ways, Alternative{
		Kind: Private, Step: private, Same: true, Adequate: rmse <= adequate,
		Note: fmt.Sprintf("standard error of a mean of n values: %.2g of half a column's width", rmse),
	})
	for i, w := range ways {
		if describe(w.Step) == describe(written) {
			ways[0], ways[i] = ways[i], ways[0]
			return ways
		}
	}
	kind := Fitted
	if s, ok := written.(spender); ok {
		if list, err := s.expenses(st); err == nil && len(list) > 0 {
			kind = TestedFit
			if _, ok := written.(privateFit); ok {
				kind = Private
			}
		}
	}
	return append([]Alternative{{Kind: kind, Step: written, Same: true, Adequate: true, Note: "as written"}}, ways...)
}

// adequate is the standard error, in units of a column's half-width, up to which a privately fitted
// parameter does the job of the exact one.
const adequate = 0.01

// accurate returns the least share of μ² with which the error of the means is adequate, at least a
// thousandth and at most a half, and the error at that share.
func (m privateMeanImpute) accurate(st Stage, mu float64) (share, rmse float64) {
	list, err := m.expenses(st)
	if err != nil || !(mu > 0) {
		return 0.5, math.Inf(1)
	}
	at1 := list[0].query.sensitivity / (mu * float64(st.Before.N)) // with all of the budget
	share = clampShare(at1 / adequate)
	return share, at1 / math.Sqrt(share)
}

// clampShare is root², between a thousandth and a half, to three digits rounded up.
func clampShare(root float64) float64 {
	return min(max(math.Ceil(root*root*1000)/1000, 0.001), 0.5)
}
