package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// handTable is a table of counts, means and shares of the crossing of levels. Its third group may have no rows.
func handTable(by []string, levels ...[]string) dpkit.Table {
	groups := [][]string{{}}
	for _, l := range levels {
		var next [][]string
		for _, g := range groups {
			for _, level := range l {
				next = append(next, append(append([]string(nil), g...), level))
			}
		}
		groups = next
	}
	t := dpkit.Table{
		By: by, Groups: groups, Rows: 3000, CountSigma: 8,
		Of:       []dpkit.TableStatistic{{Of: "count"}, {Of: "mean", Column: "stay"}, {Of: "share", Column: "back", Level: "yes"}},
		Measures: []dpkit.TableMeasure{{Column: "stay", Lo: 0, Hi: 30}, {Column: "back", Level: "yes", Hi: 1}}, SumSigma: []float64{11, 11},
		Sums: make([][]float64, 2),
	}
	for i := range groups {
		n := 900 - 37.25*float64(i*i%23)
		if i == 2 {
			n = 3
		}
		t.Counts = append(t.Counts, n)
		t.Sums[0] = append(t.Sums[0], -n*(0.7-0.02*float64(i%7)))
		t.Sums[1] = append(t.Sums[1], -n*(0.5+0.06*float64(i%5)))
	}
	return t
}

// handMoments is handTable with variances and medians of its first column.
func handMoments(by []string, levels ...[]string) dpkit.Table {
	t := handTable(by, levels...)
	t.Of = append(t.Of, dpkit.TableStatistic{Of: "variance", Column: "stay"}, dpkit.TableStatistic{Of: "quantile", Column: "stay", Q: 0.5})
	t.Measures = append(t.Measures, dpkit.TableMeasure{Column: "stay", Hi: 30, Square: 0.625})
	t.Sums, t.SumSigma = append(t.Sums, nil), append(t.SumSigma, 6)
	q := dpkit.TableQuantile{Column: "stay", Q: 0.5, Rate: 0.2, Candidates: 1025}
	for i, n := range t.Counts {
		t.Sums[2] = append(t.Sums[2], n*(0.6-0.625))
		q.Values = append(q.Values, 4+0.25*float64(i))
	}
	t.Quantiles = []dpkit.TableQuantile{q}
	return t
}

// handQuartiles is handMoments's medians with quartiles beside them.
func handQuartiles(by []string, levels ...[]string) dpkit.Table {
	t := handMoments(by, levels...)
	t.Of, t.Measures, t.Sums, t.SumSigma = append(t.Of[:2:2], t.Of[4]), t.Measures[:1], t.Sums[:1], t.SumSigma[:1]
	t.Quantiles[0].Hi = 30
	for _, q := range []float64{0.25, 0.75} {
		t.Of = append(t.Of, dpkit.TableStatistic{Of: "quantile", Column: "stay", Q: q})
		other := t.Quantiles[0]
		other.Q, other.Values = q, nil
		for _, v := range t.Quantiles[0].Values {
			other.Values = append(other.Values, v+4*(q-0.5)+0.05*(4*q-2))
		}
		t.Quantiles = append(t.Quantiles, other)
	}
	return t
}

// inOrder says of a table by one column that its levels stand in an order.
func inOrder(t dpkit.Table) dpkit.Table {
	t.Ordered = t.By
	return t
}

func years(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(2018+i))
	}
	return out
}

func TestGroupsView(t *testing.T) {
	few, many := []string{"a", "b", "c"}, years(tableDown+1)
	for _, c := range []struct {
		name   string
		of     dpkit.Table
		panels int
		wants  []string
	}{
		{"of all rows", handTable(nil), 0, []string{"Released table: count, mean of stay, share of back=yes\n", "95 %"}},
		{"by one column", handTable([]string{"ward"}, few), 3, []string{"by ward", "900", "[884, 916]", "[0, 30]"}},
		{"moments", handMoments([]string{"ward"}, few), 5, []string{"variance of stay", "median of stay", "within 50 rows", "[0, 225]", "– [0, 225]"}},
		{"in an order", inOrder(handMoments([]string{"month"}, append(years(90), "(missing)"))), 5, []string{"And 41 groups more"}},
		{"a crossing of moments", handMoments([]string{"ward", "back"}, few, []string{"no", "yes"}), 5, []string{"within 50 rows"}},
		{"medians alone", dpkit.Table{
			By: []string{"ward"}, Groups: [][]string{{"a"}, {"b"}}, Of: []dpkit.TableStatistic{{Of: "quantile", Column: "x", Q: 0.25}},
			Quantiles: []dpkit.TableQuantile{{Column: "x", Q: 0.25, Values: []float64{1, 2}, Rate: 1, Candidates: 100}},
		}, 1, []string{"quantile 0.25 of x", "within 8 rows"}},
		{"a median between others", handQuartiles([]string{"ward"}, few), 5, []string{"4.0 [2.9, 5.1]", "3.0 [0.0, 4.0]"}},
		{"medians between others, in an order", inOrder(handQuartiles([]string{"month"}, years(30))), 5, []string{"[2.9, 5.1]"}},
		{"by one of many levels", handTable([]string{"year"}, years(60)), 0, []string{"And 10 groups more"}},
		{"by one, more statistics than a picture holds", handTable([]string{"year"}, years(40)), 0, nil},
		{"a crossing", handTable([]string{"ward", "back"}, few, []string{"no", "yes"}), 3, []string{"by ward and back"}},
		{"a crossing, wide", handTable([]string{"ward", "year"}, []string{"x", "y"}, years(tableAcross+1)), 3, nil},
		{"a crossing, too wide", handTable([]string{"a", "b"}, many, many), 0, nil},
		{"by three", handTable([]string{"a", "b", "c"}, few, few, few), 0, nil},
		{"without groups", dpkit.Table{By: []string{"a", "b"}}, 0, []string{"(no rows)"}},
		{"damaged", dpkit.Table{By: []string{"a"}, Groups: [][]string{{"x"}}, Of: []dpkit.TableStatistic{{Of: "count"}}}, 0, []string{"incomplete"}},
		{"of a measure that is not there", dpkit.Table{Of: []dpkit.TableStatistic{{Of: "mean", Column: "x"}}}, 0, []string{"incomplete"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Groups(c.of)
			text := v.Text()
			for _, want := range c.wants {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.TrimSpace(want)) {
					t.Errorf("the text lacks %q:\n%s", want, text)
				}
			}
			panels := 0
			if v.fig != nil {
				panels = len(v.fig.Panels)
			}
			if panels != c.panels {
				t.Fatalf("%d panels, want %d", panels, c.panels)
			}
			if panels == 0 {
				return
			}
			p, err := newPen()
			if err != nil {
				t.Fatal(err)
			}
			if h := v.fig.draw(p); h > 2600*px {
				t.Errorf("the picture is %.0f pixels high", h/px)
			}
			if !strings.Contains(v.alt, "largest in") {
				t.Errorf("its text is %s", v.alt)
			}
		})
	}
}

// TestHeatMap: cells stand where their levels say, whichever column lies across; a group that may have no rows has no number and no colour,
// and numbers below 0 another hue.
func TestHeatMap(t *testing.T) {
	ward, year := []string{"x", "y"}, years(tableAcross+1)
	for _, c := range []struct {
		name string
		of   dpkit.Table
	}{
		{"as written", handTable([]string{"ward", "year"}, ward, year[:5])},
		{"turned", handTable([]string{"ward", "year"}, ward, year)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, panel := range Groups(c.of).fig.Panels {
				h := panel.(heatPanel)
				for r, row := range h.cells {
					for col, cell := range row {
						at := map[string]string{h.down: h.rows[r], h.across: h.columns[col]}
						want, err := c.of.At(c.of.Of[k].String(), at["ward"], at["year"])
						if err != nil || cell.value != want.Value {
							t.Fatalf("%s at %v: got %g, want %g (%v)", h.title, at, cell.value, want.Value, err)
						}
						if unknown := k > 0 && at["ward"] == "x" && at["year"] == "2020"; cell.unknown != unknown || unknown && (cell.text != "–" || h.colour(cell) != theme.RGB(0xFFFFFF)) {
							t.Errorf("%s at %v: got %+v, want unknown: %t", h.title, at, cell, unknown)
						}
					}
				}
			}
		})
	}
	sums := dpkit.Table{
		By: []string{"a", "b"}, Groups: [][]string{{"1", "1"}, {"1", "2"}}, Rows: 10, Of: []dpkit.TableStatistic{{Of: "sum", Column: "x"}},
		Counts: []float64{5, 5}, Measures: []dpkit.TableMeasure{{Column: "x", Lo: -1, Hi: 1}}, Sums: [][]float64{{-4, 2}}, SumSigma: []float64{1},
	}
	h := Groups(sums).fig.Panels[0].(heatPanel)
	if !h.zero || h.colour(h.cells[0][0]) != theme.RGB(theme.Vermillion) || !strings.Contains(h.note(), "below") {
		t.Errorf("below 0: got %v, %q", h.colour(h.cells[0][0]), h.note())
	}
}

// TestHeatMapOfOddNumbers: a damaged table draws.
func TestHeatMapOfOddNumbers(t *testing.T) {
	for _, x := range []float64{0, math.NaN(), math.Inf(1), -1e308, 1e308, 5e-324} {
		d := handTable([]string{"a", "b"}, []string{"1", "2"}, []string{"3", "4"})
		d.Counts[0], d.Sums[0][1], d.Measures[0].Hi = x, x, max(x, 1)
		d.Of = append(d.Of, dpkit.TableStatistic{Of: "sum", Column: "stay"})
		v := Groups(d)
		if v.fig == nil {
			t.Fatalf("%g: no picture", x)
		}
		if _, err := v.SVG(); err != nil {
			t.Error(err)
		}
	}
}

// TestFoundGroupsView: groups that were found are no crossing, though they may be as many; none at all are a table without a picture; and the view says
// what is left out.
func TestFoundGroupsView(t *testing.T) {
	found := dpkit.Table{
		By: []string{"ward", "code"}, Groups: [][]string{{"a", "E11"}, {"a", "I10"}, {"b", "E11"}, {"b", "J45"}}, Rows: 300, Threshold: 31.5, CountSigma: 5,
		Counts: []float64{40, 50, 60, 70}, Of: []dpkit.TableStatistic{{Of: "people"}},
	}
	v := Groups(found)
	if v.fig != nil {
		t.Error("a heat map of what is no crossing")
	}
	if !strings.Contains(v.Text(), "31.5") || !strings.Contains(v.Text(), "J45") {
		t.Errorf("got %s", v.Text())
	}
	found.By, found.Groups, found.Counts = []string{"code"}, nil, nil
	if v := Groups(found); v.fig != nil || !strings.Contains(v.Text(), "left") {
		t.Errorf("of no groups: %s", v.Text())
	}
}
