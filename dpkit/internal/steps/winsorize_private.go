package steps

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PrivateBounds clamps each column to bounds that are themselves released privately, with a share of the budget of the release: no row
// moves when another changes, what follows is calibrated to the bounds that come out, and prediction clamps to the same.
type PrivateBounds struct {
	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default

	// GuessLo and GuessHi are where the rows are thought to be: predictions rest on it, and nothing else. Both 0: nobody knows.
	GuessLo, GuessHi float64
}

func (b PrivateBounds) Winsorizer(columns []string) stage.Preprocessor {
	return PrivateWinsor{PrivateBounds: b, Columns: columns}
}

// PrivateWinsor is Winsorize(PrivateBounds{…}): how many rows a column has in each bin of sizes is released by a share of the budget, and
// bounds that hold nearly all rows are read off it.
type PrivateWinsor struct {
	PrivateBounds
	Columns []string

	// Found are the bounds that came out, two for each column; nil before the release.
	Found []float64 `dp:"-"`
}

func (PrivateWinsor) Kind() kind.Kind {
	return kind.Kind{Name: "winsorize/private", Law: 1, Call: "Winsorize"}
}

func (PrivateWinsor) Origin(unit string) []string { return []string{unit} }

// ColumnsRead are those whose bounds come out, also where what follows drops them.
func (w PrivateWinsor) ColumnsRead(frames.Schema) []string { return w.Columns }

func (PrivateWinsor) LabelBlind() {}

// widest are the bounds of a column before any are known. A size beyond the largest of [num.SizeEdges] is clamped in any case.
func widest(c frames.Column) (lo, hi float64) {
	if c.NoBounds {
		return -2 * num.MostSize, 2 * num.MostSize
	}
	return c.Lo, c.Hi
}

// sizeBins are the ends of the bins of sizes of a column, rising: bin i lies between the i-th and the next, and has numbers at its lower end.
func sizeBins(c frames.Column) []float64 {
	lo, hi := widest(c)
	ends := append([]float64{lo}, num.SizeEdges(lo, hi)...)
	if ends[len(ends)-1] == hi { // what is at the upper bound belongs to the last bin
		return ends
	}
	return append(ends, hi)
}

// binOf is the bin of a number that is no NaN, whatever its size.
func binOf(ends []float64, x float64) int {
	at := sort.SearchFloat64s(ends, x)
	if at == len(ends) || ends[at] != x {
		at--
	}
	return min(max(at, 0), len(ends)-2)
}

func (w PrivateWinsor) columns(in frames.Schema) []frames.Column {
	out := make([]frames.Column, len(w.Columns))
	for i, name := range w.Columns {
		out[i], _ = in.Column(name)
	}
	return out
}

// bounds are those of the i-th column: that came out, or the widest.
func (w PrivateWinsor) bounds(i int, c frames.Column) (lo, hi float64) {
	lo, hi = widest(c)
	if len(w.Found) == 2*len(w.Columns) {
		return num.Clamp(w.Found[2*i], lo, hi), num.Clamp(w.Found[2*i+1], lo, hi)
	}
	return lo, hi
}

func (w PrivateWinsor) Check(in frames.Schema) (frames.Schema, error) {
	if err := query.CheckShare(w.Share); err != nil {
		return in, err
	}
	if guessed := w.GuessLo != 0 || w.GuessHi != 0; guessed && (!(w.GuessLo < w.GuessHi) || math.IsInf(w.GuessLo, 0) || math.IsInf(w.GuessHi, 0)) {
		return in, fmt.Errorf("GuessLo and GuessHi: got [%g, %g], want finite numbers that rise, or 0 for both: %w", w.GuessLo, w.GuessHi, kind.ErrParameter)
	}
	if err := domain.DistinctNumbers(in, w.Columns); err != nil {
		return in, err
	}
	for _, c := range w.columns(in) {
		if ends := sizeBins(c); len(ends) < 3 {
			return in, fmt.Errorf("column %q in [%g, %g]: neither 0 nor a power of two from 2^-40 to 2^80 is between its bounds, so that no others can be found; leave the step out, or Mutate the column to another unit: %w", c.Name, c.Lo, c.Hi, kind.ErrParameter)
		}
	}
	cols := in.Columns()
	for k, col := range cols {
		if i := slices.Index(w.Columns, col.Name); i >= 0 {
			lo, hi := w.bounds(i, col)
			cols[k].Lo, cols[k].Hi, cols[k].NoBounds, cols[k].Scale = lo, hi, false, 0
		}
	}
	return frames.NewSchema(cols...)
}

// Propagate: given the released bounds the step is a public clamp (docs/theory/calculus.md#bounds-that-come-out). Until they are
// known it is that to the widest ones, which contain them.
func (w PrivateWinsor) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, w.Columns); err != nil {
		return stage.Propagation{}, err
	}
	note := "privately released bounds clamp the columns: paid from the budget, no row moves; what follows is priced at the widest bounds until they are known"
	if w.Found != nil {
		note = "privately released bounds clamp the columns: paid from the budget, no row moves"
	}
	pr, err := stage.Columnwise(st, stage.Bounds{K: 1, R: stage.StartRadius(st.Out)}, note)
	pr.Role = stage.RolePrivate
	pr.Reference = "Gaussian mechanism on numbers of rows by size; stability calculus §8, bounds that come out; tables of people §3, bounds from sizes"
	for i, c := range w.columns(st.In) {
		lo, hi := w.bounds(i, c)
		origin, what := stage.FromSchema, "bound of column %q until private ones are known"
		if w.Found != nil {
			origin, what = stage.FromTest, "bound of column %q that came out"
		}
		pr.Constants = append(
			pr.Constants,
			stage.Constant{Symbol: "lo", Value: lo, Origin: origin, Meaning: fmt.Sprintf("lower "+what, c.Name)},
			stage.Constant{Symbol: "hi", Value: hi, Origin: origin, Meaning: fmt.Sprintf("upper "+what, c.Name)},
		)
	}
	return pr, err
}

// Expenses: a row counts once in each column, in the bin of its number; where it is missing in none. A replaced row moves two bins of each
// by 1, one that is there on one side only one of each. Common rows agree in these columns.
func (w PrivateWinsor) Expenses(st stage.Stage) ([]query.Expense, error) {
	coordinates := 0
	for _, c := range w.columns(st.In) {
		coordinates += len(sizeBins(c)) - 1
	}
	p, d := st.Before, float64(len(w.Columns))
	s := float64(p.F) * math.Sqrt(2*d)
	if p.Neighbours == accountant.AddRemove {
		s = float64(p.F-1)*math.Sqrt(2*d) + math.Sqrt(d)
	}
	return []query.Expense{{
		What: "numbers of rows by size of the columns", Share: w.Share,
		Query: query.GaussianQuery{Coordinates: coordinates, Sensitivity: stage.Up(s), Max: float64(p.N)},
	}}, nil
}

func (w PrivateWinsor) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	at := domain.FeaturesAt(st.In, w.Columns)
	var ends [][]float64
	var first []int // of each column's bins
	bins := 0
	for _, c := range w.columns(st.In) {
		first = append(first, bins)
		ends = append(ends, sizeBins(c))
		bins += len(ends[len(ends)-1]) - 1
	}
	of := rows.Bind(rows.Over(in), "bins of columns", at, ends)
	counted, err := rows.IntegerSums(ctx, of, bins, func() func([]int64, []float64, float64) {
		return func(sums []int64, row []float64, _ float64) {
			for k, j := range at {
				if x := row[j]; !math.IsNaN(x) {
					sums[first[k]+binOf(ends[k], x)]++
				}
			}
		}
	})
	counts := make([]float64, bins)
	for k, n := range counted {
		counts[k] = float64(n)
	}
	return [][]float64{counts}, err
}

// Awaits is how many bounds come out.
func (w PrivateWinsor) Awaits() int { return 2 * len(w.Columns) }

// falseBin is the probability with which noise alone makes some bin of a column without rows look as if it had some. It is less than where
// somebody looks at bounds before they are used: one far bin would take all that was won.
const falseBin = 0.001

// tinyEnd is the share of a column's larger bound, in size, below which the other one becomes 0, or that much beyond it: middles and halves
// of bounds are then exact, so that one domain of unit size comes out of all of them.
const tinyEnd = 0x1p-24

// Find reads them off the noisy numbers of rows: of each column the outermost ends of bins that noise alone does not explain, and the widest
// where there is none.
func (w PrivateWinsor) Find(st stage.Stage, asked []query.Expense, noisy [][]float64) []float64 {
	var found []float64
	counts := noisy[0]
	for _, c := range w.columns(st.In) {
		ends := sizeBins(c)
		bins := len(ends) - 1
		least := num.LeastCount(asked[0].Query.Sigma, bins, falseBin)
		first, last := 0, bins-1
		for first < bins && !(counts[first] > least) {
			first++
		}
		for last > first && !(counts[last] > least) {
			last--
		}
		if first == bins {
			first, last = 0, bins-1
		}
		lo, hi := tidy(ends[first], ends[last+1])
		found = append(found, max(lo, ends[0]), min(hi, ends[bins]))
		counts = counts[bins:]
	}
	return found
}

// tidy are bounds around [lo, hi] without a tiny end.
func tidy(lo, hi float64) (float64, float64) {
	size := max(math.Abs(lo), math.Abs(hi)) * tinyEnd
	switch {
	case math.Abs(lo) < size && lo >= 0:
		lo = 0
	case math.Abs(lo) < size:
		lo = -size
	case math.Abs(hi) < size && hi <= 0:
		hi = 0
	case math.Abs(hi) < size:
		hi = size
	}
	return lo, hi
}

// WithBounds is the step that clamps to the bounds that came out.
func (w PrivateWinsor) WithBounds(_ stage.Stage, b []float64) stage.Preprocessor {
	w.Found = b
	return w
}

// Narrowed reports whether some bound of the step is not the widest.
func (w PrivateWinsor) Narrowed(in frames.Schema) bool {
	for i, c := range w.columns(in) {
		lo, hi := w.bounds(i, c)
		if least, most := widest(c); lo > least || hi < most {
			return true
		}
	}
	return false
}

// Narrow are the bounds that come out if all rows are in the middle bin.
func (w PrivateWinsor) Narrow(in frames.Schema) (out []float64) {
	for _, c := range w.columns(in) {
		ends := sizeBins(c)
		at := (len(ends) - 1) / 2
		out = append(out, ends[at], ends[at+1])
	}
	return out
}

// Guess are the bounds that come out if the rows are where they are thought to be; nil where nobody has said.
func (w PrivateWinsor) Guess(in frames.Schema) []float64 {
	var out []float64
	for _, c := range w.columns(in) {
		lo, hi := w.GuessLo, w.GuessHi
		switch {
		case lo < hi:
		case c.NoBounds && c.Scale > 0: // as rows with that deviation
			lo, hi = -3*c.Scale, 3*c.Scale
		case c.NoBounds:
			return nil
		default:
			lo, hi = c.Lo, c.Hi
		}
		ends := sizeBins(c)
		first, last := binOf(ends, lo), binOf(ends, hi)
		if last > first && ends[last] == hi { // nothing is above its lower end
			last--
		}
		out = append(out, ends[first], ends[last+1])
	}
	return out
}

// Learn makes the map of bounds that came out.
func (w PrivateWinsor) Learn(st stage.Stage, _ [][]float64) (stage.RowMap, error) {
	var all stage.RowMap
	for i, c := range w.columns(st.In) {
		lo, hi := w.bounds(i, c)
		j, _ := st.In.FeatureIndex(c.Name)
		all = append(all, stage.RowOp{Clamp: &stage.ClampOp{Columns: []int{j}, Lo: lo, Hi: hi}})
	}
	return all, nil
}

// Fit is not called: the map is made of released values.
func (w PrivateWinsor) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return nil, errPrivateFit
}

// ReadsUnbounded says that no bound of a column enters: it gets some.
func (PrivateWinsor) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (PrivateWinsor) LeavesTexts() {}

var _ query.Narrowing = PrivateWinsor{}
