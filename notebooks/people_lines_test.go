package notebooks

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestTasksOfPeopleAreShort: what is asked of data every day takes at most six lines each in people.ipynb, in cells below a heading of its name, and each
// of these cells shows what came out.
func TestTasksOfPeopleAreShort(t *testing.T) {
	tasksAreShort(t, "people.ipynb", map[string][]string{
		"Count by group":             {"By(", "Count()"},
		"Cross-tab":                  {"By(", ", ", "Count()"},
		"Means and medians by group": {"Mean(", "Quantile(0.5"},
		"A monthly series":           {"Calendar(", "frames.Month"},
		"A filtered mean":            {"Where(", "Mean("},

		"Bounds that are not known":    {"Bounds(", "ClipColumns(", "Mean("},
		"Diagnoses that nobody listed": {"Found(", "Top(", "Levels(", "Codebook("},
		"A join":                       {"Join("},
		"A join of people":             {"JoinPeople("},
		"A held-out score":             {"Holdout(", "Score("},
	})
}

// TestTasksOfTablesAreShort: as well those at the end of the tutorial on tables.
func TestTasksOfTablesAreShort(t *testing.T) {
	tasksAreShort(t, "../tutorials/17_tables_keys_and_joins.ipynb", map[string][]string{
		"Correlations":         {"Correlation("},
		"Up to each month":     {"Calendar(", "Cumulative("},
		"Spread and quantiles": {"Variance(", "Quantiles("},
	})
}

// tasksAreShort holds the cells of a notebook below headings of these names to six lines each; they show something, and call what is named.
func tasksAreShort(t *testing.T, file string, tasks map[string][]string) {
	t.Helper()
	const most = 6
	n, err := nb.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string][]*nb.Cell{} // of code, by heading
	heading := ""
	for _, c := range n.Cells {
		for line := range strings.Lines(c.Source) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok && c.Type == "markdown" {
				heading = name
			}
		}
		if c.Type == "code" {
			cells[heading] = append(cells[heading], c)
		}
	}
	for task, calls := range tasks {
		t.Run(task, func(t *testing.T) {
			if len(cells[task]) == 0 {
				t.Fatal("no code below this heading")
			}
			all := ""
			for i, c := range cells[task] {
				lines := 0
				for line := range strings.Lines(c.Source) {
					if line = strings.TrimSpace(line); line != "" && line != "%%" {
						lines++
					}
				}
				if lines > most {
					t.Errorf("cell %d takes %d lines, want at most %d:\n%s", i+1, lines, most, c.Source)
				}
				if len(c.Outputs) == 0 || !strings.Contains(strings.ToLower(c.Source), "show(") {
					t.Errorf("cell %d shows nothing:\n%s", i+1, c.Source)
				}
				all += c.Source
			}
			for _, call := range calls {
				if !strings.Contains(all, call) {
					t.Errorf("no %s:\n%s", call, all)
				}
			}
		})
	}
}
