package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Grouping are the rows of a chain by groups, and what is asked of each: [Pipeline.By].
type Grouping struct {
	p  Pipeline
	by []string
	of []TableStatistic
}

// By groups rows by all crossings of the public levels of categories, or of the class label; a number is cut by [Pipeline.Bin] before, and texts
// that no codebook lists are found where the chain ends with Found in place of Table. What
// is asked of the groups comes out as one table, in one draw of noise:
//
//	visits.By("ward", "year").Count().Mean("stay").Share("back", "yes").Table(target)
//
// The whole table costs what one of its groups does, since a row is in one group: several statistics at once cost less than apart. Groups
// without rows are in it too. By() of no column has one group, of all rows. Behind [Pipeline.Bound] a person has rows in several groups,
// and the table pays for what all of them do together, which is least where the bound is of groups by the same columns
// (docs/theory/tables.md#several-rows-of-a-person).
func (p Pipeline) By(columns ...string) Grouping { return Grouping{p: p, by: slices.Clone(columns)} }

func (g Grouping) and(s TableStatistic) Grouping {
	g.of = append(slices.Clip(g.of), s)
	return g
}

// Count asks how many rows each group has. Where rows are of people behind [Pipeline.PerPerson] these are people.
func (g Grouping) Count() Grouping { return g.and(TableStatistic{Of: tables.Count}) }

// People asks how many people have rows in each group: behind [Pipeline.Bound] a person who has several there counts once. Elsewhere it is
// the count.
func (g Grouping) People() Grouping { return g.and(TableStatistic{Of: tables.People}) }

// Dropped asks beside the other statistics how many people have more rows than [Pipeline.Bound] keeps, and how many of their rows it drops,
// counting at most so many of each person: Table.Dropped, with intervals, from the same draw of noise. The bound can be chosen by it:
//
//	visits.Bound(dpkit.Contributing{Rows: 10}).By("ward").Count().Dropped(50).Table(target)
//
// A person moves both numbers by what most says, so that the noise of the rows is in proportion to it; that of the table grows by 6 %. Without
// such a number nothing bounds how many rows were dropped (docs/theory/tables.md#what-a-bound-dropped).
func (g Grouping) Dropped(most int) Grouping {
	chain := slices.Clone(g.p.steps)
	for i, s := range chain {
		if b, ok := s.(steps.Bound); ok {
			b.To.Dropped = most
			chain[i] = b
		}
	}
	g.p.steps = chain
	return g.and(TableStatistic{Of: tables.Dropped, Column: stage.RowsDropped})
}

// Sum asks for the sum of a numeric column, in its units.
func (g Grouping) Sum(column string) Grouping {
	return g.and(TableStatistic{Of: tables.Sum, Column: column})
}

// Total asks for the sum over people of what each has of a numeric column in the group, clamped to [lo, hi] when it was added up: behind
// [Pipeline.Bound] somebody then moves the sum of each of their groups by what one person may have there, however many rows they have, and the
// noise is for that. The column needs no bounds of its own. Where rows are people it is the sum of the clamped column.
//
//	visits.Bound(dpkit.Contributing{Groups: 3, RowsPerGroup: 50, By: []string{"ward"}}).By("ward").People().Total("stay", 0, 30).MeanTotal("stay", 0, 30).Table(target)
//
// All statistics of the table are then of people: [Grouping.People], Total and MeanTotal (docs/theory/tables.md#totals-of-people). It is
// usually the better choice: few people have as many rows as are kept, each at its bound, and a sum of rows has noise for those.
func (g Grouping) Total(column string, lo, hi float64) Grouping {
	return g.and(TableStatistic{Of: tables.Total, Column: column, Lo: lo, Hi: hi})
}

// MeanTotal asks for the mean over the group's people of what Total adds up: a mean by person, not by row.
func (g Grouping) MeanTotal(column string, lo, hi float64) Grouping {
	return g.and(TableStatistic{Of: tables.MeanTotal, Column: column, Lo: lo, Hi: hi})
}

// Mean asks for the mean of a numeric column, in its units.
func (g Grouping) Mean(column string) Grouping {
	return g.and(TableStatistic{Of: tables.Mean, Column: column})
}

// Variance asks for the variance of a numeric column in each group, in squares of its units: the mean squared distance of the group's rows
// from their mean.
func (g Grouping) Variance(column string) Grouping {
	return g.and(TableStatistic{Of: tables.Variance, Column: column})
}

// StdDev asks for the standard deviation of a numeric column in each group, in its units: the root of its Variance, of the same moments.
func (g Grouping) StdDev(column string) Grouping {
	return g.and(TableStatistic{Of: tables.Deviation, Column: column})
}

// Quantile asks for a quantile of a numeric column in each group, q in (0, 1): a number that about a share q of the group's rows is below. It is drawn
// by an exponential mechanism a group, and costs the same for however many groups, since a row is in one. A table of quantiles alone may
// have a target of δ = 0. What is drawn tells a rank; in the column's unit a quantile has an interval where the same table counts rows and
// has quantiles on both sides of it, as the quartiles are of the median:
//
//	visits.By("ward").Count().Quantile(0.25, "stay").Quantile(0.5, "stay").Quantile(0.75, "stay").Table(target)
func (g Grouping) Quantile(q float64, column string) Grouping {
	return g.and(TableStatistic{Of: tables.Quantile, Column: column, Q: q})
}

// Share asks for the share of each group's rows that are at a level of a category, or of the class label.
func (g Grouping) Share(column, level string) Grouping {
	return g.and(TableStatistic{Of: tables.Share, Column: column, Level: level})
}

// Within asks of the statistic before it that its noise be within margin, in its units, with probability level: of a count, or a sum, in every
// group; of a mean, a share or a variance in groups of as many rows as an even spread gives them, or more, wherever in its bounds the mean
// lies; of a quantile margin is in rows of its rank. Ask it of every statistic, and leave the target's ε at 0: the plan has the least ε that
// keeps all, and parts the noise accordingly. Beside an ε the margins part the noise alone.
func (g Grouping) Within(margin, level float64) Grouping {
	of := slices.Clone(g.of)
	if len(of) == 0 {
		of = append(of, TableStatistic{})
	}
	of[len(of)-1].Margin, of[len(of)-1].Confidence = margin, level
	g.of = of
	return g
}

// Table ends the chain: see [Pipeline.Table].
func (g Grouping) Table(t Target) Plan[Table] { return g.p.Table(g.by, g.of, t) }

// Cumulative ends the chain with the statistics of all rows up to each period: see [Pipeline.Cumulative]. It is grouped by one column, a calendar's.
func (g Grouping) Cumulative(t Target) Plan[Series] {
	if len(g.by) != 1 {
		return newPlan[Series](g.p, mechanism.Broken[Series]{Call: "Cumulative", Err: fmt.Errorf("by: got %q, want one column whose levels stand in an order, such as a calendar's months: %w", g.by, ErrParameter)})
	}
	return g.p.Cumulative(g.by[0], g.of, t)
}

// Found ends the chain with groups that nobody lists, those of columns of frames.Text, or of a crossing that is too large for a table: see
// [Pipeline.Found].
func (g Grouping) Found(t Target) Plan[Table] { return g.p.Found(g.by, g.of, t) }

// Found releases statistics of groups that no codebook lists, as [Pipeline.By] writes it:
//
//	visits.Bound(Contributing{Groups: 3, RowsPerGroup: 1, By: []string{"diagnosis"}}).By("diagnosis").People().Mean("stay").Found(target)
//
// A group is in the table if its number of people, with Gaussian noise, is above a threshold (exactly priced, after Wilkins, Kifer, Zhang, Karrer
// 2023). Noise and threshold are chosen together from the target,
// so that groups of as few people as possible are found; from how many people on with probability ½ and 0.95 stands in the plan's Cost before anything is spent
// (docs/theory/tables.md#keys-that-are-found). Statistics ride in the same draw. A person pays for as many groups as [Pipeline.Bound] leaves
// them; one with a single row a person for one. Which groups there were beside those, and how many, nothing tells; memory and the time
// that a release takes grow with them.
//
// Rows without a text are in no group.
//
//go:noinline
func (p Pipeline) Found(by []string, of []TableStatistic, t Target) Plan[Table] {
	return newPlan[Table](p, tables.Found{By: slices.Clone(by), Of: slices.Clone(of), Target: t})
}

// Levels finds what a column of texts holds that enough people have, with how many people have it: By(column).People().Found(target).
// [Table.Levels] of what is released is a public list, for a schema (frames.Category) or for [Pipeline.Codebook].
func (p Pipeline) Levels(column string, t Target) Plan[Table] { return p.By(column).People().Found(t) }

// Table releases statistics of the rows by groups, as [Pipeline.By] writes it: how many rows each group has and the sums that the
// statistics are made of, each with Gaussian noise, in one draw, and beside them quantiles of groups. Values are clamped to the public bounds of their columns, centred and
// scaled; how much noise they take beside the counts is docs/theory/tables.md#one-draw.
//
//go:noinline
func (p Pipeline) Table(by []string, of []TableStatistic, t Target) Plan[Table] {
	return newPlanAmong[Table](p, tables.Release{By: slices.Clone(by), Of: slices.Clone(of), Target: t}, tableEnds)
}

// Table is a released table of statistics by groups: all crossings of the levels of By, in the order of the levels, those without rows too.
// Its noisy cells are Counts and Sums; statistics with intervals are made of them by Column and At.
//
// Its fields:
//
//	By     []string
//	Of     []TableStatistic
//	Groups [][]string // the levels of each, one for each of By
//	Rows   int        // n, public
//	// Persons is how many people there are, public, where each may have several of the Rows; 0 where rows are people.
//	Persons int
//	// DroppedPeople is how many people have more rows than the bound before the table keeps, and DroppedRows how many rows of theirs it
//	// dropped, of each person at most DroppedMost: with noise of deviation DroppedSigma, and DroppedMost times that. DroppedMost is 0 where
//	// nobody asked.
//	DroppedMost   int
//	DroppedPeople float64
//	DroppedRows   float64
//	DroppedSigma  float64
//
//	Counts     []float64 // how many rows each group has, with noise: not clamped
//	CountSigma float64
//	// People is how many people have rows in each group, with the noise of Counts; nil where counts are that, or nobody asked.
//	People []float64
//	// Sums are those of each measure by group, of u = (x − mid)/half in [−1, 1], with noise.
//	Measures []TableMeasure
//	Sums     [][]float64
//	SumSigma []float64
//	// Whole says that all rows are in groups, by what is public: that none was removed on the way.
//	Whole bool
//	// Threshold is T, of groups that were found: those of which no more people came out, with noise, are not in the table, and how many those are nobody
//	// is told. Numbers of groups just above it come out too large rather than too small. 0: the groups are public, and all of them are there.
//	Threshold float64
//	// Ordered are those of By whose levels stand in an order that means something, as bins and months do: views draw them in a line.
//	Ordered []string
//	// Quantiles were drawn one by one, of the ranks of each group's rows.
//	Quantiles []TableQuantile
//	Provenance
//
// Its methods:
//
//	At(name string, group ...string) (TableCell, error)
//		At is a statistic of the group with these levels, one for each of By, with an interval of 0.95.
//	Bounds(column string) (lo, hi float64, clamped TableCell, err error)
//		Bounds reads bounds off a table of numbers of rows by a column that was cut into bins: from the first bin that has rows
//		to the last one, where a bin counts as having rows if noise alone would make one of all bins look so with probability
//		0.05 at most (docs/theory/tables.md#bounds-from-sizes).
//	Check() error
//		Check reports a table whose parts do not fit together, as a damaged file has them.
//	Column(name string, level float64) ([]TableCell, error)
//		Column returns a statistic of every group, in order, with intervals that hold the exact one with the given probability
//		each, 0 < level < 1.
//	Consistent(margins ...Table) (TableTotals, error)
//		Consistent makes numbers of rows, and of the sums that the table asks for, that fit together of its noisy cells, and of
//		those of further tables by some of its columns: the ones that are nearest in least squares, each cell weighted by its
//		noise, of all numbers of rows that are not negative and add up to n, or to no more where rows may have been removed, and
//		of all sums that the bounds of their columns leave to so many rows (docs/theory/tables.md#totals-that-fit-together).
//	Dropped(level float64) (people, dropped TableCell, err error)
//		Dropped are how many people have more rows than the bound before the table keeps, and how many rows of theirs it
//		dropped, of each person at most DroppedMost, with intervals that hold the exact numbers with the given probability each,
//		0 < level < 1.
//	DroppedWords() string
//		DroppedWords say both numbers, with intervals of 0.95; "" where nobody asked.
//	Gota() dataframe.DataFrame
//		Gota is the table as a gota frame, a row for each group: a column for each of By, "value", "low" and "high" (of 0.95) of
//		each statistic behind its name, and what the release promises, as Estimates.Gota has it.
//	Levels(column string) ([]string, error)
//		Levels are those of a column of By that groups have, in the order of the groups: of groups that were found a public list
//		from now on, for a schema (frames.Category) or a chain (Codebook).
//	SortedBy(name string) (Table, error)
//		SortedBy is the table with its groups in falling order of a statistic, those that are equal as they were: the same
//		numbers.
//	Top(k int, name string) (Table, error)
//		Top is the table with its k groups of largest statistic, in falling order; all of them where there are fewer.
//	WriteCSV(to io.Writer) error
//		WriteCSV writes what Gota has, its promise in every row, so that no part of the file loses it.
type Table = tables.Table

// TableCell is a statistic of a group with its interval.
//
// Its fields:
//
//	Value, Low, High float64
type TableCell = tables.TableCell

// TableStatistic is a column of a table: a number for each group.
//
// Its fields:
//
//	Of     string // one of the constants below
//	Column string // "" for Count
//	Level  string // of Share
//
//	Q float64 // of Quantile, in (0, 1)
//	// Lo and Hi are the bounds to which a person's total in a group is clamped, of Total and MeanTotal.
//	Lo float64
//	Hi float64
//	// Margin is how far off its noise may be, with probability Confidence: see Grouping.Within. 0: nothing is asked.
//	Margin     float64
//	Confidence float64
type TableStatistic = tables.TableStatistic

// TableMeasure is a value of a row, of which a table has the sum by group: a numeric column, or whether a category is at a level. Several
// statistics may be made of one.
//
// Its fields:
//
//	Column string
//	Level  string
//	Lo     float64 // public bounds of the value
//	Hi     float64
//	// Square is c where the sums are of u² − c, not of u; 0 where they are of u.
//	Square float64
//	// PerPerson says that the value is that of a person in the group, the column's sum over their rows there.
//	PerPerson bool
type TableMeasure = tables.TableMeasure

// TableQuantile is a quantile of every group.
//
// Its fields:
//
//	Column string
//	Q      float64
//	Values []float64 // in the order of the groups
//	// Rate is η: candidates were drawn with weight e^{−η·error}, error being how many rows of the group the rank of q is off. It is
//	// public; 0 where there is no noise.
//	Rate       float64
//	Candidates int
//	// Candidates divide [Lo, Hi], the public bounds of the column, evenly. Both are 0 in values that were stored without.
//	Lo float64
//	Hi float64
//	// Rounded is by how many rows of a group q·n is off at most, as ranks are counted for q rounded to a multiple of 2⁻²⁰. Margins
//	// count it.
//	Rounded float64
//
// Its methods:
//
//	Apart() float64
//		Apart is how far from a value some number may lie whose rank is within the margin: half the distance between two
//		candidates.
//	InWords() string
//		InWords says in a sentence or two what the rank margin bounds, with probability 0.95 in each group.
//	RankMargin(level float64) (float64, error)
//		RankMargin returns m, so that with the given probability, 0 < level < 1, and of a group's n rows with a value, at most
//		q·n + m lie more than Apart below its value, and at least q·n − m at most Apart above it or lower.
type TableQuantile = tables.TableQuantile

// TableTotals are numbers of rows made of released tables that fit together: none is negative, and totals are the sums of their parts. They
// are post-processing, which costs nothing, and have no intervals: being moved to what is possible makes them better on average and
// biased where groups are small. What a table has in Counts is unbiased.
//
// Its fields:
//
//	By     []string
//	Groups [][]string // as those of the table
//	Counts []float64  // of each group, at least 0
//	Rows   int        // n, public
//	// SumOf are the columns of which the table has sums, and Sums these by group, in units of the column.
//	SumOf []string
//	Sums  [][]float64
//	// Beside is what the other tables promise that they were made of.
//	Beside []Provenance
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the totals as a gota frame, a row for each group: a column for each of By, "rows", those of sums, as "sum of
//		stay", and what the table's release promises, as Estimates.Gota has it.
//	Of(levels ...string) (float64, error)
//		Of is the number of rows of all groups with these levels, one for each of By; "" stands for every level.
//	Sum(column string, levels ...string) (float64, error)
//		Sum is that of a column over all groups with these levels, as Of has them.
type TableTotals = tables.TableTotals
