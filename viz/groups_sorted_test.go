package viz

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

// TestSortedTables: a table of many groups has an order for each statistic in its HTML, each a whole table behind a line of its own; groups of which
// nothing is known are last, equal ones as they were; the text has them once.
func TestSortedTables(t *testing.T) {
	of := handTable([]string{"a", "b", "c"}, []string{"x", "y"}, []string{"p", "q"}, []string{"1", "2"})
	of.Counts = []float64{900, 500, 3, 500, 100, 700, 500, 2}
	v := Groups(of)
	html := v.HTML()
	opened := regexp.MustCompile(`(?s)<details><summary[^>]*>(.*?)</summary>.*?<table>.*?<tbody>(.*?)</tbody></table></div></details>`).FindAllStringSubmatch(html, -1)
	want := map[string][]string{
		"Sorted by count, largest first":        {"900", "700", "500", "500", "500", "100", "3", "2"},
		"Sorted by mean of stay, largest first": nil,
	}
	seen := 0
	for _, m := range opened {
		var counts, groups []string
		for _, row := range strings.Split(m[2], "<tr>")[1:] {
			cells := regexp.MustCompile(`<td[^>]*>(.*?)</td>`).FindAllStringSubmatch(row, -1)
			counts = append(counts, strings.TrimSuffix(strings.Fields(cells[3][1])[0], ".0"))
			groups = append(groups, cells[0][1]+cells[1][1]+cells[2][1])
		}
		if w, ok := want[m[1]]; ok {
			seen++
			if w != nil && !slices.Equal(counts, w) {
				t.Errorf("%s: got %v", m[1], counts)
			}
			if w != nil && !slices.Equal(groups[2:5], []string{"xp2", "xq2", "yq1"}) {
				t.Errorf("%s: equal groups are %v", m[1], groups)
			}
			if last := groups[len(groups)-2:]; w == nil && !slices.Equal(last, []string{"xq1", "yq2"}) {
				t.Errorf("%s: groups of which nothing is known are not last: %v", m[1], groups)
			}
		}
		if len(groups) != 8 {
			t.Errorf("%s: %d groups", m[1], len(groups))
		}
	}
	if seen != 2 || len(opened) != 3 {
		t.Errorf("%d orders:\n%s", len(opened), html)
	}
	if strings.Contains(v.Text(), "Sorted by") || strings.Contains(html, "<input") || strings.Contains(html, "<script") {
		t.Errorf("orders are in the text, or need more than HTML:\n%s", v.Text())
	}
	for name, c := range map[string]struct {
		of     dpkit.Table
		orders int
	}{
		"of which the first are shown":    {handTable([]string{"year"}, years(60)), 6},
		"a picture":                       {handTable([]string{"ward"}, []string{"a", "b", "c"}), 3},
		"of two groups":                   {handTable([]string{"ward"}, []string{"a", "b"}), 0},
		"of all rows":                     {handTable(nil), 0},
		"of more statistics than fit all": {manyStatistics(), 0},
	} {
		if got := strings.Count(Groups(c.of).HTML(), "<details>"); got != c.orders {
			t.Errorf("%s: %d orders, want %d", name, got, c.orders)
		}
	}
	s := grouping{cells: []dpkit.TableCell{{Value: 1}, {Value: math.NaN()}, {Value: 3}, {Value: 9}}, unknown: []bool{false, false, false, true}}
	if a, b := s.order(true), s.order(false); !slices.Equal(a, []int{2, 0, 1, 3}) || !slices.Equal(b, []int{0, 2, 1, 3}) {
		t.Errorf("got %v and %v", a, b)
	}
}

// manyStatistics is a table of fifty groups and nine statistics.
func manyStatistics() dpkit.Table {
	t := handTable([]string{"year"}, years(50))
	for _, q := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6} {
		t.Of = append(t.Of, dpkit.TableStatistic{Of: "quantile", Column: "stay", Q: q})
		t.Quantiles = append(t.Quantiles, dpkit.TableQuantile{Column: "stay", Q: q, Values: make([]float64, 50), Candidates: 2, Rate: 1})
	}
	return t
}
