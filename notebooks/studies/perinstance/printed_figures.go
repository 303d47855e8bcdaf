package perinstance

import (
	"fmt"

	"github.com/dpkit-go/dpnb/viz"
)

// PrintedSweepFigure draws the largest loss and the largest bounds of all reports, with two standard errors around each mean.
func PrintedSweepFigure(title, axis string, points []PrintedSweep) viz.View {
	series := []viz.Series{{Name: "true loss"}}
	for r := range reports {
		series = append(series, viz.Series{Name: r.String()})
	}
	add := func(s *viz.Series, at, m, se float64) {
		s.X, s.Y, s.Lo, s.Hi = append(s.X, at), append(s.Y, m), append(s.Lo, m-2*se), append(s.Hi, m+2*se)
	}
	for _, p := range points {
		add(&series[0], p.At, p.Loss, p.LossSE)
		for r := range reports {
			add(&series[r+1], p.At, p.Bound[r], p.BoundSE[r])
		}
	}
	return viz.Lines(viz.LineChart{
		Title: title, X: viz.Axis{Name: axis, Log: true}, Y: viz.Axis{Name: "largest loss or bound over the records", Unit: "nats"},
		Series: series, Rules: []viz.Rule{{Name: "promised to all: ε = 1", At: 1}},
	})
}

// PrintedLosses draws losses beside printed and our bounds: the independent reports on the left, the dependent ones on the right.
func PrintedLosses(title string, sets ...PrintedSet) viz.View {
	var charts []viz.Chart
	for _, s := range sets {
		for _, pair := range [][2]Reported{{IndependentPrinted, IndependentOurs}, {DependentPrinted, DependentOurs}} {
			name := s.Name + ": independent"
			if pair[0] == DependentPrinted {
				name = s.Name + ": dependent"
			}
			charts = append(charts, histogram(name, "absolute loss, nats", nil,
				bars("true loss", s.Losses, s.Records),
				bars("bound as printed", s.Report[pair[0]].Bounds, s.Records),
				bars("bound, ours", s.Report[pair[1]].Bounds, s.Records)))
		}
	}
	return viz.Panels(title, "", charts...)
}

// PrintedRatios draws bound over true loss: as printed on the left, ours on the right.
func PrintedRatios(title string, sets ...PrintedSet) viz.View {
	var charts []viz.Chart
	for _, s := range sets {
		for i, name := range []string{"as printed", "ours"} {
			independent, dependent := Reported(i), DependentPrinted+Reported(i)
			charts = append(charts, histogram(s.Name+": "+name, "bound / true loss", []viz.Rule{{Name: "exact", At: 1, Vertical: true}},
				bars("independent", s.Report[independent].Ratios, s.Records), bars("dependent", s.Report[dependent].Ratios, s.Records)))
		}
	}
	return viz.Panels(title, "", charts...)
}

// PrintedTable lists what the reports told.
func PrintedTable(sets ...PrintedSet) viz.View {
	var rows [][]string
	for _, s := range sets {
		for r := range reports {
			k := s.Report[r]
			row := []string{s.Name, r.String(), "–", "–", fmt.Sprintf("%.2g ± %.1g %%", 100*k.Beyond, 200*k.BeyondSE), fmt.Sprintf("%.2g %%", 100*k.Undefined)}
			if k.Bounds.Counts != nil {
				row[2], row[3] = fmt.Sprintf("%.3g", k.Bounds.Median), fmt.Sprintf("%.3g", k.Ratios.Median)
			}
			rows = append(rows, row)
		}
	}
	return viz.Table([]string{"set", "report", "median bound", "median bound/loss", "false (promised: 10 %)", "undefined"}, rows)
}

// AllocationTable lists what the splits of Figure 6 gave, as medians over the records.
func AllocationTable(kinds ...Kind) viz.View {
	var rows [][]string
	for _, k := range kinds {
		row := []string{k.Name, k.Parts}
		for _, v := range []float64{k.Sigma, k.Losses.Median, k.Bounds.Median, k.Totals.Median} {
			row = append(row, fmt.Sprintf("%.3g", v))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.2g %%", 100*k.Beyond)))
	}
	return viz.Table([]string{"split", "in the report", "σ", "loss", "bound", "with the report's cost", "false"}, rows)
}
