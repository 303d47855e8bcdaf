package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Cumulative is a series of statistics of all rows up to each period of a public calendar, in one draw of Gaussian noise.
type Cumulative struct {
	By           string // a column whose levels stand in an order
	Of           []TableStatistic
	query.Target `dp:"inline"`
}

func (Cumulative) Kind() kind.Kind {
	return kind.Kind{Name: "cumulative", Law: 1, Call: "Cumulative"}
}

// ColumnsRead are those of the periods and of the statistics.
func (r Cumulative) ColumnsRead(in frames.Schema) []string { return r.release().ColumnsRead(in) }

// release is the table by periods of the same statistics.
func (r Cumulative) release() Release {
	return Release{By: []string{r.By}, Of: r.Of, Target: r.Target}
}

// ReadsUnbounded says that no bound of a column enters that its statistic does not ask for.
func (Cumulative) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone.
func (Cumulative) LeavesTexts() {}

// mostPeriods is how long a series may be: the factor is chosen in time of the square of it.
const mostPeriods = 2048

// valueBits is how finely values are rounded before they are summed: their sums are exact.
const valueBits = 30

// folded is a series with its noise. Its cells are those of a table by periods, whose weighted values are multiples of 2^−valueBits.
type folded struct {
	*calibrated
	factor
	periods int
	next    float64 // by how much larger the noise is in a calendar of one period more
	alone   float64 // μ of one period by itself at this noise, in units of that of the series
}

// describe are the periods and the measures, without noise. Errors wrap [kind.ErrParameter], [stage.ErrColumn] or [stage.ErrOrder].
func (r Cumulative) describe(st stage.Stage) (*folded, error) {
	for _, s := range r.Of {
		switch {
		case s.Of == People:
			return nil, fmt.Errorf("people: who has rows in several periods counts in the first of them alone: make one row a person before, for instance PerPerson(MinOf{Column: …}) and Calendar, and count: %w", kind.ErrParameter)
		case s.Of == Total || s.Of == MeanTotal:
			return nil, fmt.Errorf("%v: everybody's total in a period is no sum over rows: ask for a sum, or make one row a person before, by PerPerson(SumOf{…}) and Calendar: %w", s, kind.ErrParameter)
		case s.Of == Variance || s.Of == Deviation || s.Of == Quantile:
			return nil, fmt.Errorf("%v: got no sum over rows, want a count, a sum, a mean or a share: %w", s, kind.ErrParameter)
		case s.Margin != 0:
			return nil, fmt.Errorf("%v: within: a margin is of one number, and those of a series differ: give a target: %w", s, kind.ErrParameter)
		}
	}
	c, err := r.release().describe(st)
	if err != nil {
		return nil, err
	}
	column, _ := st.In.Column(r.By)
	f := &folded{calibrated: c, periods: len(column.Levels)}
	switch {
	case !column.Ordered:
		return nil, fmt.Errorf("column %q has levels in no order that says what comes before what: put Calendar(column, frames.Month) before, and name what it makes: %w", r.By, stage.ErrColumn)
	case f.periods > mostPeriods:
		return nil, fmt.Errorf("column %q has %d periods, want at most %d: take a longer one: %w", r.By, f.periods, mostPeriods, kind.ErrParameter)
	case f.periods == 1 && len(c.measures) == 0 && !st.Empty && !column.Missing:
		return nil, fmt.Errorf("the number of rows of one period is public, %d: %w", st.Before.N, kind.ErrParameter)
	case int64(st.Before.N) > 1<<31:
		return nil, fmt.Errorf("got %d rows, want at most 2^31: %w", st.Before.N, kind.ErrParameter)
	}
	c.weigh()
	for i, w := range c.weights {
		c.weights[i] = math.Floor(w*(1<<valueBits)) / (1 << valueBits)
	}
	return f, nil
}

// calibrate chooses the factor and the noise from public facts alone.
func (r Cumulative) calibrate(st stage.Stage) (*folded, error) {
	f, err := r.describe(st)
	if err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Noise == query.NoiseLaplace {
		return nil, fmt.Errorf("noise: got %q, want NoiseGaussian: a row is in the sums of all later periods, for which Laplace noise is dear: %w", string(r.Noise), kind.ErrParameter)
	}
	to, several := contributionsOf(st, []string{r.By}, f.periods, f.norms().l2, 0)
	f.factor = bestFactor(f.periods, to)
	person, row := f.moved(to)
	f.Query, f.Coordinates, f.Draws = pair.Query{C: row}, f.periods*f.width(), 1
	if several {
		f.Together = sums.Together{Rows: st.Contributions.Rows, Moves: person}
	}
	largest := stage.Up(math.Sqrt(f.products(1)[0][0])) // a row of one period moves Rx by no more
	f.Fp = stage.Up(largest * math.Sqrt(float64(1+len(f.measures))) * 0x1p-29)
	for _, b := range f.blocks() {
		lipschitz := stage.Up(largest * f.lipschitz(f.measures[b.u].Column))
		f.Any = max(f.Any, lipschitz)
		if st.Taint[f.measures[b.u].Column] {
			f.Query.Lipschitz = max(f.Query.Lipschitz, lipschitz)
		}
	}
	longer := to
	if several {
		longer, _ = contributionsOf(st, []string{r.By}, f.periods+1, f.norms().l2, 0)
	} else {
		longer.cells++
	}
	further, _ := factorOf(f.power, f.periods+1).moved(longer)
	single, _ := contributionsOf(st, []string{r.By}, 1, f.norms().l2, 0)
	one, _ := factorOf(f.power, 1).moved(single)
	f.next, f.alone = further/person, one/person
	if err := f.State(st.Before); err != nil {
		return nil, err
	}
	return f, f.GaussianSum.Calibrate(r.Budget(), st)
}

// Settle calibrates the noise of all periods together.
func (r Cumulative) Settle(st stage.Stage) (mechanism.Settled[Series], error) {
	f, err := r.calibrate(st)
	if err != nil {
		return mechanism.Settled[Series]{}, err
	}
	b, err := f.Price(r.Budget(), st, cost.Release{
		Name: kind.Describe(r),
		Constants: []stage.Constant{
			{Symbol: "periods", Value: float64(f.periods), Origin: stage.FromSchema, Meaning: "of the public calendar, those without rows too"},
			{Symbol: "p", Value: f.power, Origin: stage.FromConstruction, Meaning: "power of the factor R that is released with noise; the sums are read off it"},
			{Symbol: "Δ", Value: f.distance(), Origin: stage.FromConstruction, Meaning: "distance of Rx between neighbouring datasets"},
			{Symbol: "σ", Value: f.Sigma, Origin: stage.FromParameter, Meaning: "noise on each number of Rx"},
			{Symbol: "rms", Value: f.Sigma * f.rms(), Origin: stage.FromConstruction, Meaning: "noise on the cumulative counts, root mean square over the periods"},
			{Symbol: "next", Value: f.next, Origin: stage.FromConstruction, Meaning: "times this noise is that of a calendar of one period more, at the same price"},
			{Symbol: "alone", Value: f.alone, Origin: stage.FromConstruction, Meaning: "times the μ of this release is that of a later period by itself, at the same noise"},
		},
		Reference: "tables of people §3, cumulative sums; one draw; Gaussian mechanism (factorisation: Fichtenberger, Henzinger, Upadhyay 2023)",
	})
	s := mechanism.ReadOnce(b, f.read(st), func(x []int64, rng *noise.Source) (Series, error) {
		y := f.foldAll(x)
		noise.AddGaussian(rng, y, f.GridSD)
		return f.series(r, st, y), nil
	})
	s.Predicted = f.predictedSeries(st)
	return s, err
}

// read are the exact cells of each period: its count, and its sums in steps of 2^−valueBits.
func (f *folded) read(st stage.Stage) func(ctx context.Context, in rows.Driver) ([]int64, error) {
	period, width, values := f.groups.reader(st.In), f.width(), f.values(st.In)
	return func(ctx context.Context, in rows.Driver) ([]int64, error) {
		return rows.IntegerSums(ctx, in, f.periods*width, func() func([]int64, []float64, float64) {
			return func(cells []int64, row []float64, y float64) {
				t := period(row, y)
				if t >= f.periods { // missing: of no period
					return
				}
				cells[t*width]++
				for i, value := range values {
					if u := value(row, y); !math.IsNaN(u) { // no step of this package leaves a cell without a value here
						cells[t*width+1+i] += int64(f.weights[i] * u * (1 << valueBits)) // towards 0: no larger than the weight
					}
				}
			}
		})
	}
}

// foldAll is Rx for each column of cells, in steps of the grid.
func (f *folded) foldAll(x []int64) []int64 {
	width, out := f.width(), make([]int64, len(x))
	for t := range f.periods {
		for i := range width {
			by := rightBits + f.Grid.Exp // of a count, whose step is 1
			if i > 0 {
				by += valueBits
			}
			out[t*width+i] = f.fold(x[i:], width, t, by)
		}
	}
	return out
}

// series makes the value of noisy cells.
func (f *folded) series(r Cumulative, st stage.Stage, y []int64) Series {
	s := f.empty(r, st)
	width, column := f.width(), make([]float64, f.periods)
	at := func(i int) []float64 {
		for t := range column {
			column[t] = f.Grid.Value(y[t*width+i])
		}
		return f.sum(column)
	}
	s.Counts = at(0)
	for t, e := range f.deviations() {
		s.CountSigma[t] = f.Sigma * e
	}
	for i, w := range f.weights {
		s.Sums[i] = at(1 + i)
		for t := range s.Sums[i] {
			s.Sums[i][t] /= w
			s.SumSigma[i][t] = s.CountSigma[t] / w
		}
	}
	s.Next, s.Alone = f.next, f.alone
	return s
}

// empty is a series of zeros.
func (f *folded) empty(r Cumulative, st stage.Stage) Series {
	s := Series{By: r.By, Of: slices.Clone(r.Of), Rows: st.Before.N, Periods: slices.Clone(f.levels[0][:f.periods]), Measures: f.measures}
	s.Counts, s.CountSigma = make([]float64, f.periods), make([]float64, f.periods)
	for range f.measures {
		s.Sums, s.SumSigma = append(s.Sums, make([]float64, f.periods)), append(s.SumSigma, make([]float64, f.periods))
	}
	return s
}

// predictedSeries is the noise up to each period.
func (f *folded) predictedSeries(st stage.Stage) mechanism.Prediction {
	var names []string
	var sd, most []float64
	errors, first := f.deviations(), 0
	if f.periods*f.width() > namedGroups {
		first = f.periods - 1 // where it is the largest
	}
	for t := first; t < f.periods; t++ {
		period := "up to " + f.levels[0][t]
		names, sd, most = append(names, period+": "+Count), append(sd, f.Sigma*errors[t]), append(most, float64(st.Before.N)/2)
		for i, m := range f.measures {
			names, sd = append(names, period+": "+m.String()), append(sd, f.Sigma*errors[t]/f.weights[i]*m.half())
			most = append(most, float64(st.Before.N)*m.half())
		}
	}
	p := mechanism.Deviations(mechanism.Gaussian, names, sd...)
	p.Of, p.Most = "noise on each cumulative count, and on each cumulative sum of values from the middle of their bounds", most
	return p
}

// Exact computes the series without noise.
func (r Cumulative) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Series, error) {
	f, err := r.describe(st)
	if err != nil {
		return Series{}, err
	}
	s := f.empty(r, st)
	period, values := f.groups.reader(st.In), f.values(st.In)
	all := make([]rows.Neumaier, f.periods*len(values))
	err = in.InOrder(ctx, num.PresentRows(func(row []float64, y float64) {
		t := period(row, y)
		if t >= f.periods {
			return
		}
		s.Counts[t]++
		for i, value := range values {
			all[t*len(values)+i].Add(value(row, y))
		}
	}))
	for t := range f.periods {
		for i := range values {
			s.Sums[i][t] = all[t*len(values)+i].Sum()
			if t > 0 {
				s.Sums[i][t] += s.Sums[i][t-1]
			}
		}
		if t > 0 {
			s.Counts[t] += s.Counts[t-1]
		}
	}
	return s, err
}
