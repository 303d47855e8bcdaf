package relativegaussian

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/viz"
)

// mechanism is the paper's, with its σ² = γR²/η².
func mechanism(eta, gamma float64, dim int) accountant.RelativeGaussian {
	return accountant.RelativeGaussian{Eta: eta, Gamma: gamma, Dim: dim, Matched: 1, Neighbours: accountant.ReplaceOne}
}

// theoremOneCases are those of TheoremOneFigure.
var theoremOneCases = []accountant.RelativeGaussian{
	mechanism(0.01, 1e-3, 100), mechanism(0.05, 0.1, 22), mechanism(0.1, 0.5, 10), mechanism(0.3, 1, 5),
}

// TheoremOneFigure is the bound of Theorem 1 beside the exact curve, for some mechanisms.
func TheoremOneFigure() (viz.View, error) {
	var charts []viz.Chart
	for _, r := range theoremOneCases {
		c, err := curveChart(r)
		if err != nil {
			return viz.View{}, err
		}
		c.Title = fmt.Sprintf("η = %g, γ = %g, d = %d", r.Eta, r.Gamma, r.Dim)
		charts = append(charts, c)
	}
	return viz.Panels("Theorem 1", "", charts...), nil
}

// overTight is the range of printed over exact, up to 0.95 of the orders that are left.
func overTight(r accountant.RelativeGaussian) (least, most float64, err error) {
	c, err := curveChart(r)
	if err != nil {
		return 0, 0, err
	}
	least = math.Inf(1)
	for i, exact := range c.Series[0].Y {
		ratio := c.Series[1].Y[i] / exact
		least, most = min(least, ratio), max(most, ratio)
	}
	return least, most, nil
}

// floor is what the change of the noise's scale costs at order α, over αdη²: the curve without the mean's part.
func floor(eta, alpha float64) (float64, error) {
	curve, err := mechanism(eta, 1e100, 1).RDP(accountant.ReplaceOne)
	if err != nil {
		return math.NaN(), err
	}
	return curve(alpha) / (alpha * eta * eta), nil
}

// FloorFigure is the price that no γ lowers, over αdη², at order 2: the paper's "ε ≥ 2αη²d", the second term of its Theorem 1, and
// the exact one.
func FloorFigure() (viz.View, error) {
	const alpha = 2
	claim, printed, exact := viz.Series{Name: "printed: ε ≥ 2αη²d"}, viz.Series{Name: "printed: the second term of Theorem 1"}, viz.Series{Name: "exact"}
	for i := range 40 {
		eta := math.Pow(10, -3+float64(i)*math.Log10(0.38/1e-3)/39)
		c := (2 + eta) * (1 + eta)
		v, err := floor(eta, alpha)
		if err != nil {
			return viz.View{}, err
		}
		for s, y := range map[*viz.Series]float64{&claim: 2, &printed: c * c / (2 * (1 - eta*(2+eta)*(alpha-1))), &exact: v} {
			s.X, s.Y = append(s.X, eta), append(s.Y, y)
		}
	}
	return viz.Lines(viz.LineChart{
		Title: "What no γ lowers", X: viz.Axis{Name: "relative sensitivity η", Log: true}, Y: viz.Axis{Name: "Rényi divergence / (αdη²)", Log: true},
		Series: []viz.Series{exact, claim, printed},
	}), nil
}

// Conversion are the ε of the paper's example after Corollary 1.
type Conversion struct{ Corollary, Root, TheoremOne, Library, Exact float64 }

// CorollaryOne computes η = 10⁻³, d = 10, δ = 10⁻⁸, γ = 100η².
func CorollaryOne() (Conversion, error) {
	const eta, d, delta = 1e-3, 10, 1e-8
	r := mechanism(eta, 100*eta*eta, d)
	chi := eta*eta/r.Gamma + eta*eta*(2+eta)*(2+eta)*(1+eta)*(1+eta)*d
	v := Conversion{Root: 2 * math.Sqrt(chi*math.Log(1/delta)), TheoremOne: math.Inf(1)}
	v.Corollary = chi + v.Root
	for alpha := 1.01; alpha < 1+1/(eta*(2+eta)); alpha *= 1.0005 { // the minimum of (45)
		v.TheoremOne = min(v.TheoremOne, r.PaperBound(alpha)+math.Log(1/delta)/(alpha-1))
	}
	var err error
	if v.Library, _, err = accountant.Curve(r.PaperBound).Epsilon(delta); err != nil {
		return v, err
	}
	curve, err := r.RDP(accountant.ReplaceOne)
	if err != nil {
		return v, err
	}
	v.Exact, _, err = curve.Epsilon(delta)
	return v, err
}

// CorollaryOneTable shows them.
func CorollaryOneTable() (viz.View, error) {
	v, err := CorollaryOne()
	row := func(name string, e float64) []string { return []string{name, fmt.Sprintf("%.4f", e)} }
	return viz.Table([]string{"η = 0.001, d = 10, δ = 10⁻⁸, γ = 100η²", "ε"}, [][]string{
		{"as printed", "0.86"},
		row("its formula, χ + 2√(χ log(1/δ))", v.Corollary),
		row("the root alone", v.Root),
		row("Theorem 1 at the best order, conversion (45)", v.TheoremOne),
		row("Theorem 1, the library's conversion", v.Library),
		row("exact curve, the library's conversion", v.Exact),
	}), err
}

// Equation (6) is drawn at these.
const sixEta, sixAlpha, sixTarget = 0.002, 2, 0.1

// sixGamma is the γ that a noise of the local sensitivity for (α, ε⋆) has.
const sixGamma = sixAlpha * sixEta * sixEta / (2 * sixTarget)

// EquationSixFigure is what noise scaled to the local sensitivity for ε⋆ = 0.1 really gives, against the dimension.
func EquationSixFigure() (viz.View, error) {
	printed, exact := viz.Series{Name: "equation (6)"}, viz.Series{Name: "exact"}
	for d := 1.0; d <= 2e4; d = math.Ceil(d * 1.2) {
		r := mechanism(sixEta, sixGamma, int(d))
		curve, err := r.RDP(accountant.ReplaceOne)
		if err != nil {
			return viz.View{}, err
		}
		printed.X, printed.Y = append(printed.X, d), append(printed.Y, r.PaperBound(sixAlpha)/sixTarget)
		exact.X, exact.Y = append(exact.X, d), append(exact.Y, curve(sixAlpha)/sixTarget)
	}
	return viz.Lines(viz.LineChart{
		Title: "The price of a scale that depends on the data", X: viz.Axis{Name: "dimension d", Log: true}, Y: viz.Axis{Name: "ε over its target"},
		Series: []viz.Series{exact, printed},
		Rules:  []viz.Rule{{Name: "printed: safe up to d = 1/(36γ)", At: 1 / (36 * sixGamma), Vertical: true}, {Name: "the target", At: 1}},
	}), nil
}
