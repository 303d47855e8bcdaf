package relativegaussian

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/viz"
)

// chart is one panel.
func (p Panel) chart() viz.LineChart {
	c := viz.LineChart{
		Title: fmt.Sprintf("%s, ε = %g a round, %s constants", p.Split, p.Epsilon, p.Constants),
		X:     viz.Axis{Name: "step", Log: true},
		Y:     viz.Axis{Name: "objective above its least value", Log: true},
	}
	for _, m := range Methods {
		k := p.Curve(m)
		if len(k.Steps) == 0 {
			continue
		}
		s := viz.Series{Name: string(m), Y: k.Mean, Lo: k.Lo, Hi: k.Hi}
		for _, t := range k.Steps {
			s.X = append(s.X, float64(t))
		}
		if m == Exact {
			s.Style, s.Lo, s.Hi = viz.ReferenceStyle, nil, nil
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// Figure1 is the paper's Figure 1, three splits of ijcnn1, with whichever constants.
func (r Results) Figure1(c Constants) (viz.View, error) {
	var charts []viz.Chart
	for _, s := range []Split{Random, Label, Bias} {
		p, err := r.Panel(s, 0.1, c)
		if err != nil {
			return viz.View{}, err
		}
		charts = append(charts, p.chart())
	}
	return viz.Panels("Two nodes on ijcnn1", fmt.Sprintf("Means of %d runs; bands from the least to the largest.", r.Settings.Runs), charts...), nil
}

// Figure2 is the right half of the paper's Figure 2: a hundredth of the ε.
func (r Results) Figure2() (viz.View, error) { return r.Beside("High privacy", 1e-3, Random) }

// Beside draws splits with the paper's constants on the left and corrected ones on the right.
func (r Results) Beside(title string, epsilon float64, splits ...Split) (viz.View, error) {
	var charts []viz.Chart
	for _, s := range splits {
		for _, c := range []Constants{Paper, Corrected} {
			p, err := r.Panel(s, epsilon, c)
			if err != nil {
				return viz.View{}, err
			}
			charts = append(charts, p.chart())
		}
	}
	return viz.Panels(title, fmt.Sprintf("Means of %d runs; bands from the least to the largest.", r.Settings.Runs), charts...), nil
}

// Table holds the objective at the end, over its value at the start.
func (r Results) Table() viz.View {
	header := []string{"split, ε of a round", "constants"}
	for _, m := range Methods {
		header = append(header, string(m))
	}
	var rows [][]string
	for _, p := range r.Panels {
		row := []string{fmt.Sprintf("%s, %g", p.Split, p.Epsilon), string(p.Constants)}
		for _, m := range Methods {
			text := "–"
			if c := p.Curve(m); len(c.Last) > 0 {
				text = fmt.Sprintf("%.2g", c.Final()/p.Start)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return viz.Table(header, rows)
}

// NoiseFigure is the standard deviation of both mechanisms at equal privacy, against the gradient's norm: for one release at
// (1, 10⁻⁶) of a vector of relative sensitivity (η, R), and of one that is clipped so that its sensitivity is 2c/n.
func NoiseFigure(eta, absolute float64, dim int, sensitivities ...float64) (viz.View, error) {
	b := accountant.Budget{Epsilon: 1, Delta: 1e-6}
	r := accountant.RelativeGaussian{Eta: eta, Dim: dim, Matched: 1, Neighbours: accountant.ReplaceOne}
	chart := viz.LineChart{
		Title: "Noise of one release at ε = 1, δ = 1e-6",
		X:     viz.Axis{Name: "norm of what is released", Log: true},
		Y:     viz.Axis{Name: "noise on each coordinate", Log: true},
	}
	relative := viz.Series{Name: fmt.Sprintf("relative Gaussian, η = %g, R = %g", eta, absolute)}
	plain := make([]viz.Series, len(sensitivities))
	for i, s := range sensitivities {
		plain[i].Name = fmt.Sprintf("Gaussian, sensitivity %g", s)
	}
	for norm := absolute; norm <= 1e5*absolute; norm *= 1.5 {
		relative.X = append(relative.X, norm)
		for i, s := range sensitivities {
			c, err := accountant.CompareRelativeGaussian(b, r, 1, norm, absolute, s)
			if err != nil {
				return viz.View{}, err
			}
			if i == 0 {
				relative.Y = append(relative.Y, c.Relative)
			}
			plain[i].X, plain[i].Y = append(plain[i].X, norm), append(plain[i].Y, c.Plain)
		}
	}
	chart.Series = append([]viz.Series{relative}, plain...)
	return viz.Lines(chart), nil
}

// CurveFigure is the exact Rényi curve beside the bound of the paper's Theorem 1 and the brute-force pair that attains it.
func CurveFigure(r accountant.RelativeGaussian) (viz.View, error) {
	c, err := curveChart(r)
	return viz.Lines(c), err
}

func curveChart(r accountant.RelativeGaussian) (viz.LineChart, error) {
	exact, paper, pair := viz.Series{Name: "exact supremum"}, viz.Series{Name: "Theorem 1 of the paper"}, viz.Series{Name: "one pair: norms 1 and 1/(1 + η)", Style: viz.PointStyle}
	c := viz.LineChart{Title: fmt.Sprintf("Rényi divergence of the relative Gaussian mechanism, η = %g, d = %d", r.Eta, r.Dim), X: viz.Axis{Name: "order α", Log: true}, Y: viz.Axis{Name: "Rényi divergence", Log: true, Loss: true}}
	curve, err := r.RDP(r.Neighbours)
	if err != nil {
		return c, err
	}
	last := 1 / (r.Eta * (2 + r.Eta))
	for i := 1; i < 40; i++ {
		alpha := 1 + last*0.95*float64(i)/40
		exact.X, exact.Y = append(exact.X, alpha), append(exact.Y, curve(alpha))
		paper.X, paper.Y = append(paper.X, alpha), append(paper.Y, r.PaperBound(alpha))
		if i%4 == 0 {
			b := 1 / (1 + r.Eta)
			d, err := accountant.SphericalPair{Distance: 1 - b, From: r.Gamma, To: r.Gamma * b * b, Coordinates: r.Dim}.Divergence(alpha)
			if err != nil {
				return c, err
			}
			pair.X, pair.Y = append(pair.X, alpha), append(pair.Y, d)
		}
	}
	c.Series = []viz.Series{exact, paper, pair}
	return c, nil
}
