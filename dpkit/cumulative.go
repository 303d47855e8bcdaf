package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
)

// Cumulative releases statistics of all rows up to each period of a public calendar, as [Pipeline.By] writes it:
//
//	visits.Calendar("day", frames.Month).By("day month").Count().Mean("stay").Cumulative(target)
//
// Counts, sums, means and shares come out of one draw of Gaussian noise on Rx, x the numbers of each period and R a lower triangular factor of the matrix
// that sums up: the noise on the sums grows with the logarithm of the number of periods, where periods that are released by themselves and summed up have
// noise that grows with its root (Fichtenberger, Henzinger, Upadhyay 2023). The factor is a power of that matrix, chosen for the least noise by how many
// periods there are and what a person may add to them (docs/theory/tables.md#cumulative-sums): one row, or what [Pipeline.Bound] leaves them.
//
// Days that the calendar has and the data do not, yet, are periods without rows. Declaring them costs little, as [Series] says in its field Next; but
// rows that come later are other data, whose release is charged anew: field Alone.
//
//go:noinline
func (p Pipeline) Cumulative(by string, of []TableStatistic, t Target) Plan[Series] {
	return newPlan[Series](p, tables.Cumulative{By: by, Of: slices.Clone(of), Target: t})
}

// Series is a released series of statistics of all rows up to each period of a public calendar, those without rows too.
//
// Its fields:
//
//	By      string
//	Of      []TableStatistic
//	Periods []string
//	Rows    int // n, public
//	// Counts are how many rows there are up to each period, with noise whose deviations are CountSigma: not clamped, and not monotone. Noise of one
//	// period is in the later ones too.
//	Counts     []float64
//	CountSigma []float64
//	// Sums are those of each measure up to each period, of u = (x − mid)/half in [−1, 1], with noise of SumSigma.
//	Measures []TableMeasure
//	Sums     [][]float64
//	SumSigma [][]float64
//	// Next is by how much larger all noise is in a calendar that was declared one period longer, at the same price. Alone is the μ, in units of this
//	// release's, of a table of one later period by itself, with the noise that this series drew. Both are public; 0 without noise.
//	Next  float64
//	Alone float64
//	Provenance
//
// Its methods:
//
//	At(name, period string) (TableCell, error)
//		At is a statistic of all rows up to a period, that one included, with an interval of 0.95.
//	Check() error
//		Check reports a series whose parts do not fit together, or whose provenance promises what cannot be, as a damaged file
//		has them.
//	Column(name string, level float64) ([]TableCell, error)
//		Column returns a statistic of all rows up to each period, with intervals that hold the exact one with the given
//		probability each, 0 < level < 1, as those of a table do: of the noise alone.
//	Gota() dataframe.DataFrame
//		Gota is the series as a gota frame, a row for each period: its name, "value", "low" and "high" (of 0.95) of each
//		statistic behind its name, and what the release promises, as Estimates.Gota has it.
//	Later() string
//		Later says what a later period costs.
//	WriteCSV(to io.Writer) error
//		WriteCSV writes what Gota has, its promise in every row, so that no part of the file loses it.
type Series = tables.Series
