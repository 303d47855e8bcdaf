package unbounded

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/viz"
)

// at is what a sweep varies.
func (s RateSetting) at(name string) float64 {
	switch name {
	case "rows":
		return float64(s.Rows)
	case "columns":
		return float64(s.Columns)
	case "kappa":
		return s.Kappa
	case "epsilon":
		return s.Epsilon
	}
	return s.Far
}

// Slope is that of a sweep's medians on logarithmic axes, by least squares.
func (r Rates) Slope(what, name, err string) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range r.Sweeps[what][name] {
		q, ok := p.Errors[err]
		if x := p.at(name); ok && x > 0 {
			lx, ly := math.Log(x), math.Log(q[1])
			n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
		}
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// Medians returns the median errors of a sweep and where they were measured, places at 0 left out.
func (r Rates) Medians(what, name, err string) (x, median []float64) {
	for _, p := range r.Sweeps[what][name] {
		if q, ok := p.Errors[err]; ok && p.at(name) > 0 {
			x, median = append(x, p.at(name)), append(median, q[1])
		}
	}
	return x, median
}

// Claim is a rate as the thesis states it: an error that grows as what a sweep varies to the power of Slope. It is drawn through
// the middle of the measured errors.
type Claim struct {
	Name  string
	Of    string // the error
	Slope float64
}

var axes = map[string]viz.Axis{
	"rows":    {Name: "rows n", Log: true},
	"columns": {Name: "columns d", Log: true},
	"kappa":   {Name: "condition number κ", Log: true},
	"epsilon": {Name: "ε of the thesis (ρ = ε²/2)", Log: true},
	"far":     {Name: "norm R of the mean", Log: true},
}

// Chart plots the errors of a sweep with their quartiles, beside claimed rates. Named errors alone are drawn; without names all.
func (r Rates) Chart(what, name string, claims []Claim, errs ...string) viz.LineChart {
	c := viz.LineChart{Title: what, X: axes[name], Y: viz.Axis{Name: "relative error", Log: true}}
	if what == NeededRate {
		c.Y.Name = "rows"
	}
	if what == MeanRate {
		c.Y.Name = "error"
	}
	points := r.Sweeps[what][name]
	if len(errs) == 0 {
		for _, p := range points {
			for e := range p.Errors {
				if !slices.Contains(errs, e) {
					errs = append(errs, e)
				}
			}
		}
		slices.Sort(errs)
	}
	for _, e := range errs {
		s := viz.Series{Name: e, Style: viz.PointStyle}
		for _, p := range points {
			q, ok := p.Errors[e]
			if x := p.at(name); ok && x > 0 {
				s.X, s.Y = append(s.X, x), append(s.Y, q[1])
				s.Lo, s.Hi = append(s.Lo, q[0]), append(s.Hi, q[2])
			}
		}
		c.Series = append(c.Series, s)
	}
	for _, claim := range claims {
		x, y := r.Medians(what, name, claim.Of)
		s := viz.Series{Name: claim.Name, Style: viz.LineStyle}
		var level float64 // geometric mean of what is left without the rate
		for i := range x {
			level += (math.Log(y[i]) - claim.Slope*math.Log(x[i])) / float64(len(x))
		}
		// Many points: a line without markers.
		const steps = 32
		for i := range steps + 1 {
			v := x[0] * math.Pow(x[len(x)-1]/x[0], float64(i)/steps)
			s.X, s.Y = append(s.X, v), append(s.Y, math.Exp(level)*math.Pow(v, claim.Slope))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// Products returns E y²x² and the variance of y·x for x ~ N(10, 1) and y = 10/x clipped to [½, 2]: the law on which
// Proposition 8.3.1 fails.
func Products() (second, variance float64) {
	var first float64
	const step = 1.0 / 1024
	for i := -10 * 1024; i <= 10*1024; i++ {
		z := float64(i) * step
		x := 10 + z
		y := 2.0
		if x > 5 {
			y = max(10/x, 0.5)
		}
		w := step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		first += w * (y*x - 10)
		second += w * y * y * x * x
		variance += w * (y*x - 10) * (y*x - 10)
	}
	return second, variance - first*first
}

// Covariance plots Lemma 6.2.1, and the rate of Theorem 6.1.1 in the Frobenius norm: measured errors, claimed slopes, and two formulas
// without a free constant, of the printed noise (σ = d ln(n/γ)/(nε), √2 times that to be private) and of ours.
func (r Rates) Covariance() (charts []viz.LineChart, err error) {
	for _, c := range []struct {
		name, title   string
		noise, sample float64 // claimed slopes
		frobenius     bool
	}{
		{"rows", "spectral norm against n: −1 and −½", -1, -0.5, false},
		{"epsilon", "spectral norm against ε: −1 and 0", -1, 0, false},
		{"columns", "spectral norm against d: 3/2 and ½", 1.5, 0.5, false},
		{"columns", "Frobenius norm against d: 2 and 1", 2, 1, true},
	} {
		noise, sample := SpectralNoise, SpectralSample
		if c.frobenius {
			noise, sample = FrobeniusNoise, FrobeniusSample
		}
		chart := r.Chart(CovarianceRate, c.name, []Claim{
			{Name: "claimed slope, noise", Of: noise, Slope: c.noise}, {Name: "claimed slope, sample", Of: sample, Slope: c.sample},
		}, noise, sample)
		chart.Title, chart.Series[0].Name, chart.Series[1].Name = c.title, "noise", "sample"
		ours := viz.Series{Name: "noise by our formula"}
		printed := viz.Series{Name: "printed noise, ×√2", Style: viz.ReferenceStyle}
		for _, x := range chart.Series[2].X { // those of a claimed line
			s := RateBase
			switch c.name {
			case "rows":
				s.Rows = int(x)
			case "columns":
				s.Columns = int(math.Round(x))
				x = float64(s.Columns)
			default:
				s.Epsilon = x
			}
			of, by, err := s.noiseNorms(c.frobenius)
			if err != nil {
				return nil, err
			}
			ours.X, ours.Y = append(ours.X, x), append(ours.Y, of)
			printed.X, printed.Y = append(printed.X, x), append(printed.Y, by)
		}
		chart.Series = append(chart.Series, ours, printed)
		charts = append(charts, chart)
	}
	return charts, nil
}

// noiseNorms are the norms to expect of the noise of a last round that has all of ρ, relative to a covariance I: of ours, scale
// s = r²/(nε) of the orthogonal ensemble with the χ² radius, and of the printed one at γ = 0.05, made private.
func (s RateSetting) noiseNorms(frobenius bool) (ours, printed float64, err error) {
	d, n := float64(s.Columns), float64(s.Rows)
	r, err := accountant.GaussianRadius(s.Columns, s.Rows, 1e-3)
	if err != nil {
		return 0, 0, err
	}
	ours, printed = r*r/(n*s.Epsilon), math.Sqrt2*d*math.Log(n/0.05)/(n*s.Epsilon)
	if frobenius {
		return ours * math.Sqrt(d*(d+1)), printed * d, nil
	}
	return ours * 2 * math.Sqrt(d), printed * 2 * math.Sqrt(d), nil
}
