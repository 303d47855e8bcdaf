package dpkit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// coverRows are the rows that a plan reads: what the steps of its chain made of those of the table, without noise.
type coverRows struct {
	t      testing.TB
	schema frames.Schema
	rows   [][]float64 // features, then the label
	places int         // public
}

// coverRowsOf are those of a plan of a demonstration.
func coverRowsOf(t testing.TB, pl *plan) coverRows {
	t.Helper()
	q := must(pl.quote())
	a := must(q.apply(t.Context(), pl.p.s.src, nil))
	out := coverRows{t: t, schema: q.end.In, places: q.end.Before.N}
	must(0, stage.ScanRows(t.Context(), a.rows, func(row []float64, y float64) {
		out.rows = append(out.rows, append(slices.Clone(row), y))
	}))
	return out
}

// at is the place of a column in a row, and its levels.
func (r coverRows) at(column string) (int, []string) {
	c, ok := r.schema.Column(column)
	if !ok {
		r.t.Fatalf("no column %q", column)
	}
	if at, ok := r.schema.FeatureIndex(column); ok {
		return at, c.Levels
	}
	return len(r.schema.Features()), c.Levels
}

// of are the rows that some are at: at these levels of these columns, "(missing)" where a cell misses.
func (r coverRows) of(columns, levels []string) coverRows {
	out := r
	out.rows = nil
	for _, row := range r.rows {
		in := true
		for i, c := range columns {
			in = in && r.level(row, c) == levels[i]
		}
		if in {
			out.rows = append(out.rows, row)
		}
	}
	return out
}

func (r coverRows) level(row []float64, column string) string {
	at, levels := r.at(column)
	if math.IsNaN(row[at]) {
		return missingLevelName
	}
	return levels[int(row[at])]
}

const missingLevelName = "(missing)"

// where are the rows that meet a condition.
func (r coverRows) where(meets func(row []float64) bool) coverRows {
	out := r
	out.rows = nil
	for _, row := range r.rows {
		if meets(row) {
			out.rows = append(out.rows, row)
		}
	}
	return out
}

func (r coverRows) n() float64 { return float64(len(r.rows)) }

func (r coverRows) values(column string) (out []float64) {
	at, _ := r.at(column)
	for _, row := range r.rows {
		if !math.IsNaN(row[at]) {
			out = append(out, row[at])
		}
	}
	return out
}

func totalOf(all []float64) (sum float64) {
	for _, v := range all {
		sum += v
	}
	return sum
}

func averageOf(all []float64) float64 { return totalOf(all) / float64(len(all)) }

// momentsOf are the variances and the covariance of two columns, over the rows.
func (r coverRows) momentsOf(a, b string) (va, vb, cov float64) {
	x, y := r.values(a), r.values(b)
	mx, my := averageOf(x), averageOf(y)
	for i := range x {
		va, vb, cov = va+(x[i]-mx)*(x[i]-mx), vb+(y[i]-my)*(y[i]-my), cov+(x[i]-mx)*(y[i]-my)
	}
	n := float64(len(x))
	return va / n, vb / n, cov / n
}

// shown is a number that a release prints, with its interval, and what it is without noise.
type shown struct {
	of                     string
	value, low, high, true float64
}

// holds also where what is printed is off by rounding.
func (s shown) holds() bool {
	ulps := 1e-9 * (math.Abs(s.true) + math.Abs(s.high-s.low))
	return s.low-ulps <= s.true && s.true <= s.high+ulps
}

// covered is how often the intervals of one number held it, in how many releases that showed it.
type covered struct {
	of          string
	held, total int
	width       float64 // of the interval, the median
	noise       float64 // between the quantiles 0.025 and 0.975 of what values are off by
}

// tallied are the numbers by name; those that few releases show are taken together.
func tallied(of []shown) (out []covered) {
	byName := map[string][]shown{}
	var names []string
	for _, s := range of {
		if byName[s.of] == nil {
			names = append(names, s.of)
		}
		byName[s.of] = append(byName[s.of], s)
	}
	releases := 0
	for _, all := range byName {
		releases = max(releases, len(all))
	}
	const rest = "those that few releases show"
	for _, name := range slices.Clone(names) {
		if len(byName[name]) < releases/4 {
			byName[rest] = append(byName[rest], byName[name]...)
			delete(byName, name)
		}
	}
	for _, name := range append(names, rest) {
		all := byName[name]
		if len(all) == 0 {
			continue
		}
		c := covered{of: name, total: len(all)}
		var widths, off []float64
		for _, s := range all {
			if s.holds() {
				c.held++
			}
			widths, off = append(widths, s.high-s.low), append(off, s.value-s.true)
		}
		slices.Sort(widths)
		slices.Sort(off)
		c.width = widths[len(widths)/2]
		c.noise = off[int(0.975*float64(len(off)))] - off[int(0.025*float64(len(off)))]
		out = append(out, c)
	}
	return out
}

// least is how many of the releases must hold at least: 0.929 of 4 000, 0.885 of 400, and else so many that fewer come with a chance
// below 1e-9.
func (c covered) least() int {
	switch c.total {
	case 4000:
		return 3716
	case 400:
		return 354
	}
	return leastHeld(c.total, 0.95)
}

// wide reports a width of more than 1.1 times that of the noise, which is known to about 0.96/√releases of itself.
func (c covered) wide() bool {
	return c.width > 1.1*c.noise*(1+3*0.96/math.Sqrt(float64(c.total)))
}

func (c covered) String() string {
	return fmt.Sprintf("%s: held in %d of %d, width %.4g, noise %.4g", c.of, c.held, c.total, c.width, c.noise)
}
