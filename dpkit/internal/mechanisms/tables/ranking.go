package tables

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Ranking is which groups most people are in.
type Ranking struct {
	By     []string   `json:"by"`     // what the groups are of
	Groups [][]string `json:"groups"` // levels of each, one for each of By: the first rank first
	Among  int        `json:"among"`  // groups that there are
	// Rate is η: a group was drawn with weight e^{η·people} of those that were left. It is public; 0 where there is no noise.
	Rate float64 `json:"rate,omitempty"`
	origin.Provenance
}

// Margin bounds by how many people more a group of a later rank, or of none, may have than one of an earlier rank, at all ranks at once with the
// given probability, 0 < level < 1: (ln(k(n − 1)) − ln(1 − level))/η for k ranks of n groups.
func (r Ranking) Margin(level float64) (float64, error) {
	switch {
	case !(level > 0) || !(level < 1):
		return 0, fmt.Errorf("dpkit: margin of a ranking: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	case r.Rate == 0:
		return 0, nil
	case len(r.Groups) < 1 || r.Among < 2 || !(r.Rate > 0):
		return 0, fmt.Errorf("dpkit: margin of a ranking: got %d ranks of %d groups at the rate %g, want a positive rate; store and read all of it: %w", len(r.Groups), r.Among, r.Rate, kind.ErrParameter)
	}
	return (math.Log(float64(len(r.Groups))*float64(r.Among-1)) - math.Log1p(-level)) / r.Rate, nil
}

// String renders the ranking, a line for each rank.
func (r Ranking) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the %d groups by %s that most people are in, of %d", len(r.Groups), strings.Join(r.By, ", "), r.Among)
	if m, err := r.Margin(0.95); err == nil && r.Rate > 0 {
		fmt.Fprintf(&b, "; none that comes later has more than %.3g people more, with probability 0.95", m)
	}
	b.WriteString("\n")
	for i, g := range r.Groups {
		fmt.Fprintf(&b, "%d  %s\n", i+1, strings.Join(g, ", "))
	}
	return origin.Under(r.Provenance, b.String())
}

// Gota is the ranking as a gota frame, a row for each rank: "rank", a column for each of By, and what the release promises, as
// Estimates.Gota has it.
func (r Ranking) Gota() dataframe.DataFrame {
	ranks := make([]float64, len(r.Groups))
	for i := range ranks {
		ranks[i] = float64(i + 1)
	}
	columns := append(groupColumns(r.By, r.Groups), origin.Numbers("rank", ranks))
	return origin.Gota(r.Provenance, columns...)
}
