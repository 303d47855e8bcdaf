package printed

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// TestGolden checks what of preprocessing.json is about printed bounds and about the corrected constants beside them; dpkit's test of
// that name checks the rest, and names the parts here in goldenElsewhere.
func TestGolden(t *testing.T) {
	path := golden.Files(t, "preprocessing")[0]
	groups := golden.Groups(t, golden.Read(t, path))
	c := &goldenChecks{Tolerance: golden.ToleranceOf(t, groups), checked: map[string]int{}}
	for name, handler := range map[string]func(*testing.T, json.RawMessage){
		"end_to_end_violations": c.endToEnd,
		"mean_imputation":       c.imputation,
		"pca":                   c.pca,
		"standard_scaling":      c.scaling,
		"mechanisms":            c.theorem14,
	} {
		if raw, ok := groups[name]; ok {
			t.Run(name, func(t *testing.T) { handler(t, raw) })
		}
	}
	if len(c.checked) == 0 {
		t.Fatalf("%s: nothing was checked", path)
	}
	if golden.Given() != "" {
		return // it may have any part
	}
	for _, part := range []string{
		"end_to_end_violations", "mean_imputation.corrected", "mean_imputation.formula", "pca.cen", "standard_scaling.corrected_ball",
		"standard_scaling.ball_formula", "standard_scaling.table2_MG", "thm14_counterexample.printed",
	} {
		if c.checked[part] == 0 {
			t.Errorf("%s: no entry of %s was checked", path, part)
		}
	}
}

// goldenChecks count the entries that were checked of each part.
type goldenChecks struct {
	golden.Tolerance
	checked map[string]int
}

// endToEnd: releases whose exact divergence is above the printed bound and at most the direct one.
func (g *goldenChecks) endToEnd(t *testing.T, raw json.RawMessage) {
	var list []goldenViolation
	golden.Decode(t, raw, &list)
	for i, c := range list {
		g.checked["end_to_end_violations"]++
		t.Run(fmt.Sprintf("%d %s", i, c.Kind), func(t *testing.T) { g.violation(t, c) })
	}
}

type goldenViolation struct {
	Kind, Spec string
	N, D, M    int
	S, Shift   float64
	SigmaMin   float64 `json:"sigma_min"`
	Exact      float64 `json:"exact_over_alpha_eps2"`
	Table2     float64
	PaperC2    float64 `json:"paper_c2"`
	Corrected  float64 `json:"corrected_direct"`
}

func (g *goldenChecks) violation(t *testing.T, c goldenViolation) {
	s, printed := setting(), c.Table2
	s.Columns = 1
	var step Step
	switch c.Kind {
	case "M_G x standard scaling":
		step, s.Rows, s.Std = Scaling, c.N, c.SigmaMin
		shift, sd := twoHeaps(c.N, c.S)
		g.Near(t, "σ", sd, c.SigmaMin)
		g.Near(t, "shift", shift, c.Shift)
	case "M_G x dedup": // the exact shift has Δ = 2; each row deleted on one side moves it by 1
		step, s.Columns, s.Cluster, s.Sensitivity, printed = Dedup, c.D, c.M, 2, c.PaperC2
		// Two rows, z1 and z2, and all but one of each of K_d clusters on either side.
		g.Near(t, "shift", 2+2*clustersTouched(c.D)*float64(c.M-1), c.Shift)
	default:
		t.Fatalf("unknown kind %q", c.Kind)
	}
	s = must(s.check())
	g.Near(t, "exact", c.Shift*c.Shift/(2*s.Sensitivity*s.Sensitivity), c.Exact)
	mg := cell(t, s, Gaussian, step)
	unit := s.Order * s.Epsilon * s.Epsilon
	g.Near(t, "printed", mg.Printed.Value()/unit, printed)
	golden.Within(t, "direct", mg.Direct.Value()/unit, c.Corrected, 1e-8, 1e-9)
	if !mg.False || !(printed < c.Exact) || !(c.Exact <= mg.Direct.Value()/unit) {
		t.Errorf("exact %v, printed %v, direct %v", c.Exact, printed, mg.Direct.Value()/unit)
	}
	if step == Scaling { // the same rows as gradients
		if gd := cell(t, s, GD, step); !gd.False || !(c.Exact <= gd.Direct.Value()/unit) {
			t.Errorf("gradient descent: exact %v, printed %v, direct %v", c.Exact, gd.Printed.Value()/unit, gd.Direct.Value()/unit)
		}
	}
}

// twoHeaps are n rows, half at −1 and half at −1 + 2s, with the last 1 or −1 + s: how far the sum of min(|y|, 1) of the scaled rows
// moves, and the lesser standard deviation.
func twoHeaps(n int, s float64) (shift, least float64) {
	x := make([]float64, n)
	for i := range x {
		if x[i] = -1; i >= (n-1)/2 {
			x[i] = -1 + 2*s
		}
	}
	var sums, spreads [2]float64
	for k, last := range []float64{1, -1 + s} {
		x[n-1] = last
		mean, sd := meanAndSpread(x)
		for _, v := range x {
			sums[k] += min(math.Abs((v-mean)/sd), 1)
		}
		spreads[k] = sd
	}
	return math.Abs(sums[0] - sums[1]), min(spreads[0], spreads[1])
}

// meanAndSpread are of n values, of two passes; the second moment is corrected for the rounding of the mean.
func meanAndSpread(x []float64) (mean, sd float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	var rest, squares float64
	for _, v := range x {
		rest += v - mean
	}
	mean += rest / n
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / n)
}

// decodePart decodes what a handler knows of a group; that the rest of it is known is for dpkit to say, whose test is strict.
func decodePart(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Errorf("%.200s: %v", raw, err)
	}
}

// imputation: the corrected bound on a row's displacement.
func (g *goldenChecks) imputation(t *testing.T, raw json.RawMessage) {
	var group struct {
		Cases []struct {
			N         float64
			NStar     float64 `json:"n_star"`
			Missing   float64 `json:"max_missing_per_row"`
			Corrected float64
		}
		Formula []struct {
			N     float64
			NStar float64       `json:"n_star"`
			DJ    golden.OrNull `json:"dJ"`
			D2    float64
		}
	}
	decodePart(t, raw, &group)
	for _, c := range group.Cases {
		g.checked["mean_imputation.corrected"]++
		g.Near(t, fmt.Sprintf("n = %g, %g values", c.N, c.NStar), imputationShift(c.N, c.NStar, c.Missing), c.Corrected)
	}
	for _, c := range group.Formula {
		g.checked["mean_imputation.formula"]++
		g.Near(t, fmt.Sprintf("n = %g, %g values, %g columns", c.N, c.NStar, float64(c.DJ)), imputationShift(c.N, c.NStar, float64(c.DJ)), c.D2)
	}
}

// pca: the corrected bound for a covariance. That for second moments is the bound of dpkit's step.
func (g *goldenChecks) pca(t *testing.T, raw json.RawMessage) {
	var group struct {
		Formula []struct {
			N, Beta, D2 float64
			Mode        string
		}
	}
	decodePart(t, raw, &group)
	for _, c := range group.Formula {
		if c.Mode == "cen" {
			g.checked["pca.cen"]++
			p := must(Setting{Rows: int(c.N), Gap: c.Beta}.pair(PCA))
			golden.Within(t, "Δ₂", p.TInf, c.D2, 1e-9, 1e-12)
		}
	}
}

// scaling: the corrected bounds for rows of the unit ball, and the printed factor beside that of its own proposition.
func (g *goldenChecks) scaling(t *testing.T, raw json.RawMessage) {
	var group struct {
		Cases []struct {
			Spec     string
			N        float64
			SigmaMin float64 `json:"sigma_min"`
			Ball     float64 `json:"corrected_ball"`
		}
		Ball []struct {
			S, N    float64
			DDoF    int
			D2, Tau float64
		} `json:"ball_formula"`
		Table2 *struct {
			Sigma float64
			Paper float64 `json:"paper_factor"`
			Own   float64 `json:"paper_own_prop6_factor"`
			Note  string
		} `json:"table2_MG"`
	}
	decodePart(t, raw, &group)
	sampleStd := func(spec string) int { // the divisor is n − 1
		if strings.Contains(spec, "sample std") || strings.Contains(spec, "ddof=1") {
			return 1
		}
		return 0
	}
	ball := func(s, n float64, ddof int) (row, total float64) {
		unit := 1.0
		if ddof == 1 {
			unit = math.Sqrt((n - 1) / n)
		}
		row, total = scalingShift(n, 1e18, unit*s)
		return unit * row, unit * total
	}
	for _, c := range group.Cases {
		g.checked["standard_scaling.corrected_ball"]++
		row, _ := ball(c.SigmaMin, c.N, sampleStd(c.Spec))
		g.Near(t, fmt.Sprintf("n = %g: row in the ball", c.N), row, c.Ball)
	}
	for _, c := range group.Ball {
		g.checked["standard_scaling.ball_formula"]++
		row, total := ball(c.S, c.N, c.DDoF)
		what := fmt.Sprintf("ball, s = %g, n = %g, ddof %d", c.S, c.N, c.DDoF)
		g.Near(t, what+": row", row, c.D2)
		g.Near(t, what+": τ", total, c.Tau)
	}
	if c := group.Table2; c != nil {
		g.checked["standard_scaling.table2_MG"]++
		s := setting()
		s.Std = c.Sigma
		unit := 1.05 * s.Order * s.Epsilon * s.Epsilon
		g.Near(t, "Table 2's factor", must(s.check()).printed(Gaussian, Scaling)/unit, c.Paper)
		own := 2/math.Pow(c.Sigma, 3) + 2/c.Sigma // its Proposition 6 has this by n
		g.Near(t, "the factor by its own proposition", 1+own*own, c.Own)
	}
}

// theorem14: one row of n is drawn in each step; the exact loss is above the printed bound and at most the direct one.
func (g *goldenChecks) theorem14(t *testing.T, raw json.RawMessage) {
	var group struct {
		Theorem14 *struct {
			N, T int
			Eps  float64
			Rows []struct{ Alpha, Exact, Paper float64 }
		} `json:"thm14_counterexample"`
	}
	if decodePart(t, raw, &group); group.Theorem14 == nil {
		return
	}
	c := group.Theorem14
	for _, r := range c.Rows {
		g.checked["thm14_counterexample.printed"]++
		s := setting()
		s.Order, s.Epsilon, s.Rows, s.Steps, s.Cluster, s.Missing = r.Alpha, c.Eps, c.N, c.T, 1, 1
		sgd := cell(t, s, SGDSampled, NoStep)
		g.Near(t, "printed", sgd.Printed.Value(), r.Paper)
		if !sgd.False || !(r.Paper < r.Exact) || !(r.Exact <= sgd.Direct.Value()) {
			t.Errorf("order %g: printed %v, exact %v, direct %v", r.Alpha, sgd.Printed, r.Exact, sgd.Direct)
		}
	}
}
