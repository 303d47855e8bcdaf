package unbounded

import (
	"math"

	"github.com/dpkit-go/dpnb/viz"
)

// Sweep plots the relative errors of all methods against what a sweep varies: rows, columns, kappa or epsilon.
func (r Results) Sweep(name string) viz.LineChart {
	axes := map[string]viz.Axis{
		"rows":    {Name: "rows", Log: true},
		"columns": {Name: "columns"},
		"kappa":   {Name: "condition number", Log: true},
		"epsilon": {Name: "ε", Log: true, Loss: true},
	}
	at := map[string]func(Setting) float64{
		"rows":    func(s Setting) float64 { return float64(s.Rows) },
		"columns": func(s Setting) float64 { return float64(s.Columns) },
		"kappa":   func(s Setting) float64 { return s.Kappa },
		"epsilon": func(s Setting) float64 { return s.Epsilon },
	}
	c := viz.LineChart{Title: "against " + map[string]string{"rows": "the rows", "columns": "the columns", "kappa": "the condition number", "epsilon": "ε"}[name], X: axes[name], Y: viz.Axis{Name: "relative error", Log: true}}
	for _, m := range Methods {
		s := viz.Series{Name: m}
		if m == NonPrivate {
			s.Style = viz.ReferenceStyle
		}
		for _, p := range r.Sweeps[name] {
			lo, median, hi := p.Quartiles(m)
			if math.IsNaN(median) {
				continue // refused: too few rows
			}
			s.X, s.Y = append(s.X, at[name](p.Setting)), append(s.Y, median)
			s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
		}
		if s.Style == viz.ReferenceStyle {
			s.Lo, s.Hi = nil, nil
		}
		if len(s.X) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// Settings3 plots the errors in the three settings against the number of rows.
func (r Results) Settings3() viz.LineChart {
	c := viz.LineChart{
		Title: "The three settings of the thesis", X: viz.Axis{Name: "rows", Log: true}, Y: viz.Axis{Name: "error", Log: true},
	}
	for _, s := range []struct {
		name string
		of   func(Three) []float64
	}{
		{"linear regression: relative error", func(t Three) []float64 { return t.Linear }},
		{"least squares, bounded label: relative error", func(t Three) []float64 { return t.Bounded }},
		{"binary regression: sine of the angle", func(t Three) []float64 { return t.Binary }},
	} {
		line := viz.Series{Name: s.name}
		for _, t := range r.Three {
			lo, median, hi := Point{Errors: map[string][]float64{"": s.of(t)}}.Quartiles("")
			line.X, line.Y = append(line.X, float64(t.Rows)), append(line.Y, median)
			line.Lo, line.Hi = append(line.Lo, lo), append(line.Hi, hi)
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// CreditChart plots R² on the credit rows against ε.
func (r Results) CreditChart() viz.LineChart {
	c := viz.LineChart{
		Title: "A card's bill from the month before (UCI credit data)", X: viz.Axis{Name: "ε", Log: true, Loss: true}, Y: viz.Axis{Name: "R² on rows set aside"},
		Rules: []viz.Rule{{Name: NonPrivate, At: r.NonPrivate}},
	}
	ours, guessed := viz.Series{Name: Adaptive}, viz.Series{Name: "AdaSSP, clipped at a guess of ±1e6"}
	for _, p := range r.Credit {
		if p.Refused == "" {
			ours.X, ours.Y = append(ours.X, p.Epsilon), append(ours.Y, p.Adaptive)
		}
		guessed.X, guessed.Y = append(guessed.X, p.Epsilon), append(guessed.Y, p.Guessed)
	}
	c.Series = []viz.Series{ours, guessed}
	return c
}
