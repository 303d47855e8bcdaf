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

// scalingBounds are the corrected bounds for a standard deviation of at least s in one column of width w: the displacement of a row
// and of all rows together. ddof = 1 is the divisor n − 1.
func scalingBounds(w, s, n float64, ddof int) (row, total float64) {
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
	return unit * b.AInf, unit * math.Sqrt(n) * b.AF
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
		Ball   json.RawMessage `json:"ball_formula"`
		Table2 json.RawMessage `json:"table2_MG"`
		MinMax *struct {
			N            int
			Spec         string
			Displacement float64
		} `json:"minmax_counterexample"`
		Restricted string `json:"minmax_restricted"`
	}
	golden.Decode(t, raw, &group)
	elsewhere(t, "standard_scaling.ball_formula")
	elsewhere(t, "standard_scaling.table2_MG")
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
			row, total := scalingBounds(2, least, c.N, ddof)
			g.Near(t, "σ", least, c.SigmaMin)
			g.Near(t, "observed", observed, c.Observed)
			g.Near(t, "observed τ", tau, c.ObservedTau)
			g.Near(t, "the paper's", paperScaling(least, c.N), c.Paper)
			g.Near(t, "bound", row, c.Corrected)
			elsewhere(t, "standard_scaling.corrected_ball")
			g.Near(t, "bound on τ", total, c.CorrectedTau)
			g.AtMost(t, "observed", observed, row)
			g.AtMost(t, "observed τ", tau, total)
			if !(observed > c.Paper) {
				t.Errorf("observed %g does not break the paper's %g", observed, c.Paper)
			}
		})
	}
	for _, c := range group.Formula {
		row, total := scalingBounds(c.W, c.S, c.N, c.DDoF)
		what := fmt.Sprintf("w = %g, s = %g, n = %g, ddof %d", c.W, c.S, c.N, c.DDoF)
		g.Near(t, what+": row", row, c.Feat)
		g.Near(t, what+": τ", total, c.Tau1D)
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
