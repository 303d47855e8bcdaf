package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
)

// TopK ranks the k groups that most people are in, by all crossings of the public levels of columns, and tells their order and no number:
//
//	visits.Bound(dpkit.Contributing{Groups: 100, RowsPerGroup: 1, By: []string{"drug"}}).TopK(5, target, "drug")
//
// Each rank is drawn by an exponential mechanism on the groups that are left, exactly (McSherry, Talwar 2007), all k of which compose by their
// bounded range (Durfee, Rogers 2019). It costs the same in however many groups a person is: bound contributions as widely as you like, where
// [Table.Top] of a table of counts pays for all of a person's groups. δ may be 0, for pure ε; a δ above 0 lowers the noise, the more the
// larger k is. Numbers of people of what was ranked are a table of its own.
//
//go:noinline
func (p Pipeline) TopK(k int, t Target, by ...string) Plan[Ranking] {
	return newPlan[Ranking](p, tables.TopK{K: k, By: slices.Clone(by), Target: t})
}

// Ranking is which groups most people are in.
//
// Its fields:
//
//	By     []string   // what the groups are of
//	Groups [][]string // levels of each, one for each of By: the first rank first
//	Among  int        // groups that there are
//	// Rate is η: a group was drawn with weight e^{η·people} of those that were left. It is public; 0 where there is no noise.
//	Rate float64
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the ranking as a gota frame, a row for each rank: "rank", a column for each of By, and what the release
//		promises, as Estimates.Gota has it.
//	Margin(level float64) (float64, error)
//		Margin bounds by how many people more a group of a later rank, or of none, may have than one of an earlier rank, at all
//		ranks at once with the given probability, 0 < level < 1: (ln(k(n − 1)) − ln(1 − level))/η for k ranks of n
//		groups.
type Ranking = tables.Ranking
