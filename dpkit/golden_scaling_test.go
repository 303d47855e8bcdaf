package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// scalingBounds are the corrected bounds for a standard deviation of at least s in a column of width w: for one
// column the displacement of a row and of all rows together, and the same for rows of the unit ball with any
// number of columns. ddof = 1 is the divisor n − 1.
func scalingBounds(w, s, n float64, ddof int) (row, total, ballRow, ballTotal float64) {
	unit := 1.0
	if ddof == 1 {
		unit = math.Sqrt((n - 1) / n)
		s *= unit
	}
	start := moved(ReplaceOne, w/2, 1, 0, 0)
	start.N, start.M, start.DFree = int(n), 0, w
	one := steps.Spread{Floor: s, Gain: 1, Q: w * w, Cell: w, Centred: true, Widths: []float64{w}}
	b := steps.StdBounds(start, one)
	b = one.Sharpen(start, b)
	ballRow, ballTotal = scalingShift(n, 1e18, s)
	return unit * b.AInf, unit * math.Sqrt(n) * b.AF, unit * ballRow, unit * ballTotal
}

func paperScaling(s, n float64) float64 { return 2/(n*s*s*s) + 2/(n*s) }

func (g goldenHandlers) scaling(t *testing.T, raw json.RawMessage) {
	var group struct {
		Bound string
		Cases []struct {
			Name, Spec    string
			N, Ones       float64
			SigmaMin      float64 `json:"sigma_min"`
			Observed      float64
			ObservedTau   float64 `json:"observed_tau"`
			Paper         float64
			Corrected     float64
			CorrectedBall float64 `json:"corrected_ball"`
			CorrectedTau  float64 `json:"corrected_tau"`
		}
		Formula []struct {
			W, S, N     float64
			DDoF        int
			Feat, Tau1D float64
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
		MinMax *struct {
			N            int
			Spec         string
			Displacement float64
		} `json:"minmax_counterexample"`
		Restricted string `json:"minmax_restricted"`
	}
	golden.Decode(t, raw, &group)
	for _, c := range group.Cases {
		t.Run(fmt.Sprintf("%s n = %g", c.Name, c.N), func(t *testing.T) {
			rows, z := goldenRows(t, c.Spec, map[string]float64{"n": c.N, "a": c.Ones})
			ddof := 0
			if strings.Contains(c.Spec, "sample std") || strings.Contains(c.Spec, "ddof=1") {
				ddof = 1
			}
			x, y := columnOf(rows), make([][2]float64, 2)
			for k, last := range [][]float64{z["z1"], z["z2"]} {
				y[k][0], y[k][1] = meanAndSpread(append(x[:len(x):len(x)], last[0]), ddof)
			}
			observed, tau := 0.0, 0.0
			for _, v := range x {
				d := math.Abs((v-y[0][0])/y[0][1] - (v-y[1][0])/y[1][1])
				observed, tau = max(observed, d), tau+d
			}
			least := min(y[0][1], y[1][1])
			row, total, ball, _ := scalingBounds(2, least, c.N, ddof)
			g.Near(t, "σ", least, c.SigmaMin)
			g.Near(t, "observed", observed, c.Observed)
			g.Near(t, "observed τ", tau, c.ObservedTau)
			g.Near(t, "the paper's", paperScaling(least, c.N), c.Paper)
			g.Near(t, "bound", row, c.Corrected)
			g.Near(t, "bound in the ball", ball, c.CorrectedBall)
			g.Near(t, "bound on τ", total, c.CorrectedTau)
			g.AtMost(t, "observed", observed, row)
			g.AtMost(t, "observed τ", tau, total)
			if !(observed > c.Paper) {
				t.Errorf("observed %g does not break the paper's %g", observed, c.Paper)
			}
		})
	}
	for _, c := range group.Formula {
		row, total, _, _ := scalingBounds(c.W, c.S, c.N, c.DDoF)
		what := fmt.Sprintf("w = %g, s = %g, n = %g, ddof %d", c.W, c.S, c.N, c.DDoF)
		g.Near(t, what+": row", row, c.Feat)
		g.Near(t, what+": τ", total, c.Tau1D)
	}
	for _, c := range group.Ball {
		_, _, row, total := scalingBounds(2, c.S, c.N, c.DDoF)
		what := fmt.Sprintf("ball, s = %g, n = %g, ddof %d", c.S, c.N, c.DDoF)
		g.Near(t, what+": row", row, c.D2)
		g.Near(t, what+": τ", total, c.Tau)
	}
	if c := group.Table2; c != nil {
		s := paperSetting()
		s.Std = c.Sigma
		unit := 1.05 * s.Order * s.Epsilon * s.Epsilon
		g.Near(t, "Table 2's factor", withDefaults(t, s).printed(PaperGaussian, PaperScaling)/unit, c.Paper)
		own := paperScaling(c.Sigma, 1)
		g.Near(t, "the factor by its own proposition", 1+own*own, c.Own)
	}
	if c := group.MinMax; c != nil {
		rows, z := goldenRows(t, c.Spec, nil)
		x := columnOf(rows)
		if len(x) != c.N-1 {
			t.Errorf("%d common rows, want %d", len(x), c.N-1)
		}
		scaled := func(last float64) float64 {
			lo, hi := last, last
			for _, v := range x {
				lo, hi = min(lo, v), max(hi, v)
			}
			return (z["x"][0] - lo) / (hi - lo)
		}
		g.Near(t, "displacement", math.Abs(scaled(z["z1"][0])-scaled(z["z2"][0])), c.Displacement)
	}
}

func withDefaults(t *testing.T, s PaperSetting) PaperSetting {
	t.Helper()
	s, err := s.check()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func columnOf(rows [][]float64) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = row[0]
	}
	return out
}

func meanAndSpread(x []float64, ddof int) (mean, sd float64) {
	var sum rows.Neumaier
	for _, v := range x {
		sum.Add(v)
	}
	mean = sum.Sum() / float64(len(x))
	var squares rows.Neumaier
	for _, v := range x {
		squares.Add((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(squares.Sum() / float64(len(x)-ddof))
}

// endToEnd: releases whose exact divergence is above the printed bound and at most the direct one.
func (g goldenHandlers) endToEnd(t *testing.T, raw json.RawMessage) {
	var list []struct {
		Kind, Spec string
		N, D, M    int
		S, Shift   float64
		SigmaMin   float64 `json:"sigma_min"`
		Exact      float64 `json:"exact_over_alpha_eps2"`
		Table2     float64
		PaperC2    float64 `json:"paper_c2"`
		Corrected  float64 `json:"corrected_direct"`
	}
	golden.Decode(t, raw, &list)
	for i, c := range list {
		t.Run(fmt.Sprintf("%d %s", i, c.Kind), func(t *testing.T) {
			s := paperSetting()
			s.Columns = 1
			printed := c.Table2
			var step PaperStep
			switch c.Kind {
			case "M_G x standard scaling":
				step, s.Rows, s.Std = PaperScaling, c.N, c.SigmaMin
				low := make([]float64, c.N-1)
				for i := range low {
					if low[i] = -1; i >= (c.N-1)/2 {
						low[i] = -1 + 2*c.S
					}
				}
				var sums, spreads [2]float64
				for k, last := range []float64{1, -1 + c.S} {
					x := append(low[:len(low):len(low)], last)
					mean, sd := meanAndSpread(x, 0)
					for _, v := range x {
						sums[k] += min(math.Abs((v-mean)/sd), 1)
					}
					spreads[k] = sd
				}
				g.Near(t, "σ", min(spreads[0], spreads[1]), c.SigmaMin)
				g.Near(t, "shift", math.Abs(sums[0]-sums[1]), c.Shift)
			case "M_G x dedup": // the exact shift has Δ = 2; each row deleted on one side moves it by 1
				step, s.Columns, s.Cluster, s.Sensitivity, printed = PaperDedup, c.D, c.M, 2, c.PaperC2
				// Two rows, z1 and z2, and all but one of each of K_d clusters on either side.
				g.Near(t, "shift", 2+2*rows.Packing(c.D)*float64(c.M-1), c.Shift)
			default:
				t.Fatalf("unknown kind %q", c.Kind)
			}
			s = withDefaults(t, s)
			g.Near(t, "exact", c.Shift*c.Shift/(2*s.Sensitivity*s.Sensitivity), c.Exact)
			cell := paperCell(t, s, PaperGaussian, step)
			unit := s.Order * s.Epsilon * s.Epsilon
			g.Near(t, "printed", cell.Printed.Value()/unit, printed)
			golden.Within(t, "direct", cell.Direct.Value()/unit, c.Corrected, 1e-8, 1e-9)
			if !cell.False || !(printed < c.Exact) || !(c.Exact <= cell.Direct.Value()/unit) {
				t.Errorf("exact %v, printed %v, direct %v", c.Exact, printed, cell.Direct.Value()/unit)
			}
			if step == PaperScaling { // the same rows as gradients
				gd := paperCell(t, s, PaperGD, step)
				if !gd.False || !(c.Exact <= gd.Direct.Value()/unit) {
					t.Errorf("gradient descent: exact %v, printed %v, direct %v", c.Exact, gd.Printed.Value()/unit, gd.Direct.Value()/unit)
				}
			}
		})
	}
}
