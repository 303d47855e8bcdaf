package mixing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/viz"
)

// Grid has n points from a to b, evenly on a logarithmic axis.
func Grid(a, b float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = a * math.Pow(b/a, float64(i)/float64(n-1))
	}
	return x
}

// Curve is f over x.
func Curve(name string, x []float64, f func(float64) float64) viz.Series {
	s := viz.Series{Name: name, X: x}
	for _, v := range x {
		s.Y = append(s.Y, f(v))
	}
	return s
}

// chart draws a set's measurements.
func (s Set) chart(y viz.Axis, epsilons []float64, methods ...string) viz.LineChart {
	c := viz.LineChart{
		Title: fmt.Sprintf("%s: n = %d, d = %d", s.Name, s.Train, s.Columns),
		X:     viz.Axis{Name: "ε", Log: true, Loss: true}, Y: y,
	}
	for _, method := range methods {
		line := viz.Series{Name: method}
		for _, eps := range epsilons {
			if cell, ok := s.Find(method, eps); ok {
				lo, hi := cell.Interval()
				line.X, line.Y = append(line.X, eps), append(line.Y, cell.Mean)
				line.Lo, line.Hi = append(line.Lo, lo), append(line.Hi, hi)
			}
		}
		c.Series = append(c.Series, line)
	}
	if cell, ok := s.Find(NotPrivate, 0); ok {
		flat := Curve(NotPrivate, epsilons, func(float64) float64 { return cell.Mean })
		flat.Style = viz.ReferenceStyle
		c.Series = append(c.Series, flat)
	}
	return c
}

// RegressionFigure is the paper's Figure 2 or 4.
func (r Results) RegressionFigure(number int, title, note string) viz.View {
	var charts []viz.Chart
	for _, s := range r.regressions() {
		if s.Figure == number {
			charts = append(charts, s.chart(viz.Axis{Name: "mean squared test error", Log: true}, r.Settings.Linear,
				PrintedTest, PrintedAdaSSP, LemmaTest, PrintedMixing, MoreRows, ExactAdaSSP))
		}
	}
	return viz.Panels(title, note, charts...)
}

// AccuracyChart is a panel of the paper's Figure 5.
func (r Results) AccuracyChart() viz.LineChart {
	s := r.Sets[slices.IndexFunc(r.Sets, func(s Set) bool { return s.Figure == 5 })]
	c := s.chart(viz.Axis{Name: "test accuracy"}, r.Settings.Logistic, Objective, ExactLogistic, Kifer, PrintedLogistic)
	c.Note = fmt.Sprintf("k = %d = %.1fd for the printed method.", s.Rank, float64(s.Rank)/float64(s.Columns))
	return c
}

// regressions are the sets of Figures 2 and 4.
func (r Results) regressions() []Set {
	return slices.DeleteFunc(slices.Clone(r.Sets), func(s Set) bool { return s.Figure == 5 })
}

// RatioTable has the ratio of the mean errors of pairs of methods on the sets of a figure, marked > where the first is worse beyond
// the 95 % interval, and ≈ where the two are not told apart. Methods are as printed unless it says exact.
func (r Results) RatioTable(figure int, pairs ...[2]string) viz.View {
	head, rows := []string{"error of … over that of …", "set"}, [][]string{}
	for _, eps := range r.Settings.Linear {
		head = append(head, fmt.Sprintf("ε = %.3g", eps))
	}
	for _, pair := range pairs {
		for _, s := range r.regressions() {
			if s.Figure != figure {
				continue
			}
			row := []string{strings.ReplaceAll(pair[0]+" / "+pair[1], ", as printed", ""), s.Name}
			for _, eps := range r.Settings.Linear {
				v, clear, _ := s.Ratio(pair[0], pair[1], eps)
				mark := ""
				switch {
				case !clear:
					mark = "≈ "
				case v > 1:
					mark = "> "
				}
				row = append(row, fmt.Sprintf("%s%.2f", mark, v))
			}
			rows = append(rows, row)
		}
	}
	return viz.Table(head, rows)
}

// Count is how often the first of two methods has the smaller mean error, over all sets and ε, beyond the 95 % interval.
type Count struct{ First, Neither, Second int }

// Count compares two methods.
func (r Results) Count(first, second string) (c Count) {
	for _, s := range r.regressions() {
		for _, eps := range r.Settings.Linear {
			switch v, clear, _ := s.Ratio(first, second, eps); {
			case !clear:
				c.Neither++
			case v < 1:
				c.First++
			default:
				c.Second++
			}
		}
	}
	return c
}

// CountTable compares pairs of methods.
func (r Results) CountTable(pairs ...[2]string) viz.View {
	var rows [][]string
	for _, p := range pairs {
		c := r.Count(p[0], p[1])
		rows = append(rows, []string{p[0], p[1], fmt.Sprint(c.First), fmt.Sprint(c.Neither), fmt.Sprint(c.Second)})
	}
	return viz.Table([]string{"first", "second", "first better", "not told apart", "second better"}, rows)
}

// WorkTable has what one release takes: random numbers and multiplications.
func (r Results) WorkTable() viz.View {
	var rows [][]string
	num := func(v float64) string { return fmt.Sprintf("%.2g", v) }
	for _, s := range r.regressions() {
		n, d, k := float64(s.Train), float64(s.Columns), float64(s.Rank)
		moments := n*(d+1)*(d+2)/2 + d*d*d/3 // the Gram matrix and a Cholesky factor
		rows = append(rows, []string{
			s.Name, fmt.Sprint(s.Train), fmt.Sprint(s.Columns), fmt.Sprint(s.Rank),
			num(k*n + k*(d+1)), num(k + 1), num(d*(d+1)/2 + d + 1), num(k*n*(d+1) + k*d*d/2), num(moments), num(moments),
		})
	}
	return viz.Table([]string{"set", "n", "d", "k", "random numbers: sketch, as printed", "by its law (ours)", "AdaSSP", "multiplications: sketch, as printed", "by its law (ours)", "AdaSSP"}, rows)
}
