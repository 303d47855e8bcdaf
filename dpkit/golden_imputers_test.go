package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// meanFilled are rows behind an imputation by plain means.
func meanFilled(t *testing.T, rows [][]float64, bound float64) [][]float64 {
	t.Helper()
	in := make([][]float64, len(rows))
	for i, row := range rows {
		in[i] = append(append([]float64{}, row...), 0) // and a label
	}
	return oneStep(t, steps.MeanImpute{Mean: Mean{Pad: 1}}, lineSchema(len(rows[0]), -bound, bound), in)
}

// meanImputation: the datasets displace a row by as much as the reference says, more than the published bounds and
// at most the corrected one, which is the study's to compute.
func (g goldenHandlers) meanImputation(t *testing.T, raw json.RawMessage) {
	var group struct {
		Bound      string
		LeavesBall *struct {
			S       [][]golden.OrNull
			Imputed []float64 `json:"imputed_row"`
		} `json:"leaves_ball"`
		Cases []struct {
			Name         string
			N            int
			Spec         string `json:"S_spec"`
			Observed     float64
			NStar        float64  `json:"n_star"`
			Missing      float64  `json:"max_missing_per_row"`
			PaperRows    float64  `json:"paper_rows"`
			PaperEntries *float64 `json:"paper_entries"`
			Corrected    float64
		}
		Formula json.RawMessage
	}
	golden.Decode(t, raw, &group)
	elsewhere(t, "mean_imputation.formula")
	if c := group.LeavesBall; c != nil {
		var rows [][]float64
		at := -1
		for i, row := range c.S {
			var r []float64
			for _, x := range row {
				if math.IsInf(float64(x), 1) { // null
					x, at = golden.OrNull(math.NaN()), i
				}
				r = append(r, float64(x))
			}
			rows = append(rows, r)
		}
		got := meanFilled(t, rows, 1)[at]
		for j, want := range c.Imputed {
			g.Near(t, "imputed cell", got[j], want)
		}
		if !(num.Norm2(c.Imputed) > 1) {
			t.Errorf("%v is in the unit ball", c.Imputed)
		}
	}
	for i, c := range group.Cases {
		t.Run(fmt.Sprintf("%d %s n = %d", i, c.Name, c.N), func(t *testing.T) {
			rows, z := goldenRows(t, c.Spec, map[string]float64{"n": float64(c.N)})
			if len(rows) != c.N-1 {
				t.Fatalf("%d common rows, want %d", len(rows), c.N-1)
			}
			observed, most, cells, rowsMissing := 0.0, 0, 0, 0
			x, y := meanFilled(t, append(rows, z["z1"]), 1), meanFilled(t, append(rows, z["z2"]), 1)
			least := c.N
			for _, last := range [][]float64{z["z1"], z["z2"]} { // each side
				side := append(rows[:len(rows):len(rows)], last)
				all, incomplete := 0, 0
				counts := make([]int, len(last))
				for _, row := range side {
					missing := 0
					for j, v := range row {
						if math.IsNaN(v) {
							missing++
						} else {
							counts[j]++
						}
					}
					most, all = max(most, missing), all+missing
					if missing > 0 {
						incomplete++
					}
				}
				for _, k := range counts {
					least = min(least, k)
				}
				cells, rowsMissing = max(cells, all), max(rowsMissing, incomplete)
			}
			for i := range rows {
				observed = max(observed, distance(x[i], y[i]))
			}
			g.Near(t, "observed", observed, c.Observed)
			if most != int(c.Missing) || float64(least) != c.NStar {
				t.Errorf("at most %d missing cells a row and %d values a column, want %g and %g", most, least, c.Missing, c.NStar)
			}
			elsewhere(t, "mean_imputation.corrected")
			g.Near(t, "the paper's with p rows", 2/float64(c.N-rowsMissing), c.PaperRows)
			if c.PaperEntries != nil {
				g.Near(t, "the paper's with p cells", 2/float64(c.N-cells), *c.PaperEntries)
				if !(observed > *c.PaperEntries) {
					t.Errorf("observed %g does not break the paper's %g", observed, *c.PaperEntries)
				}
			}
			if !(observed > c.PaperRows) {
				t.Errorf("observed %g does not break the paper's %g", observed, c.PaperRows)
			}
			g.AtMost(t, "observed", observed, c.Corrected)
			// The chain's bound: ℓ2 norm of the widths over the number of values.
			start := must(pair.Start(c.N, 1, ReplaceOne))
			g.AtMost(t, "observed", observed, steps.MeanBounds(start, 2*math.Sqrt(c.Missing), c.NStar, c.N-1, 1).AInf)
		})
	}
}

// median and trimmed: what one replaced, missing or observed value can do to the statistic of given common values.
func (g goldenHandlers) median(t *testing.T, raw json.RawMessage) {
	var group struct {
		Bound string
		Cases []struct {
			A     []float64
			Value float64
		}
		Even *struct {
			S1, S2  []float64
			Medians [2]float64
			Paper   float64 `json:"paper_floor_reading"`
		} `json:"paper_even_counterexample"`
	}
	golden.Decode(t, raw, &group)
	for _, c := range group.Cases {
		far := 2 * num.Norm2(append([]float64{1}, c.A...))
		a, b, none := steps.MedianOf(with(c.A, -far)), steps.MedianOf(with(c.A, far)), steps.MedianOf(with(c.A))
		got := max(b-a, b-none, none-a)
		g.Near(t, "median", got, c.Value)
		width := with(c.A)[len(c.A)-1] - with(c.A)[0]
		start := must(pair.Start(len(c.A)+1, 1, ReplaceOne))
		g.AtMost(t, "median", got, steps.MedianBounds(start, 1, len(c.A), width).AInf)
	}
	if c := group.Even; c != nil {
		g.Near(t, "median", steps.MedianOf(with(c.S1)), c.Medians[0])
		g.Near(t, "median", steps.MedianOf(with(c.S2)), c.Medians[1])
		if !(math.Abs(c.Medians[0]-c.Medians[1]) > c.Paper) {
			t.Errorf("medians %v do not break the paper's %g", c.Medians, c.Paper)
		}
	}
}

func (g goldenHandlers) trimmed(t *testing.T, raw json.RawMessage) {
	var group struct {
		Bound string
		Cases []struct {
			A     []float64
			M     int
			Value float64
		}
		Sign *struct {
			S1, S2    []float64
			M         int
			Numerator float64 `json:"paper_numerator"`
			Observed  float64
		} `json:"paper_sign_counterexample"`
	}
	golden.Decode(t, raw, &group)
	for _, c := range group.Cases {
		n := float64(len(c.A) + 1)
		far := 2 * num.Norm2(append([]float64{1}, c.A...))
		q := float64(c.M) / n
		mean := func(values []float64) float64 { // it is of values in [-1, 1]
			scaled := make([]float64, len(values))
			for i, x := range values {
				scaled[i] = x / far
			}
			return trimmed(t, scaled, q) * far
		}
		got := mean(with(c.A, far)) - mean(with(c.A, -far))
		g.Near(t, "trimmed mean", got, c.Value)
		width := with(c.A)[len(c.A)-1] - with(c.A)[0]
		start := must(pair.Start(len(c.A)+1, 1, ReplaceOne))
		g.AtMost(t, "trimmed mean", got, steps.MeanBounds(start, width, n, len(c.A), 1/(1-2*q)).AInf)
	}
	if c := group.Sign; c != nil {
		q := float64(c.M) / float64(len(c.S1))
		got := math.Abs(trimmed(t, with(c.S1), q) - trimmed(t, with(c.S2), q))
		g.Near(t, "observed", got, c.Observed)
		// The paper's numerator x_(m)^max − x_(n−m)^min, of either dataset's order statistics.
		a, b := with(c.S1), with(c.S2)
		n := len(a)
		numerator := max(a[c.M-1], b[c.M-1]) - min(a[n-c.M-1], b[n-c.M-1])
		g.Near(t, "the paper's numerator", numerator, c.Numerator)
		if !(numerator/float64(n-2*c.M) < got) {
			t.Errorf("observed %g does not break the paper's %g", got, numerator/float64(n-2*c.M))
		}
	}
}

func (g goldenHandlers) ridge(t *testing.T, raw json.RawMessage) {
	var group struct {
		Bound string
		Cases []struct {
			W, Value float64
			Lambda   float64 `json:"lam_loo"`
		}
		Reading *struct {
			S               string
			Observed, Paper float64
		} `json:"regressor_only_reading"`
	}
	golden.Decode(t, raw, &group)
	// One row leaves and one comes, each with a gradient of at most (W + √(1+W²))/2 in the unit ball.
	bound := func(w, lambda float64) float64 { return 2 * steps.JointGradient(1, w) / lambda }
	for _, c := range group.Cases {
		g.Near(t, "bound", bound(c.W, c.Lambda), c.Value)
	}
	if c := group.Reading; c != nil {
		rows, z := goldenRows(t, c.S, nil)
		var xx, xy float64
		for _, row := range rows {
			xx, xy = xx+row[0]*row[0], xy+row[0]*row[1]
		}
		var slopes, squares [2]float64
		for k, last := range [][]float64{z["z1"], z["z2"]} {
			squares[k] = xx + last[0]*last[0]
			slopes[k] = (xy + last[0]*last[1]) / squares[k]
		}
		observed := math.Abs(slopes[0] - slopes[1])
		least, most := min(squares[0], squares[1]), max(squares[0], squares[1])
		paper := most*most/((most+1)*least*least) + 1/least
		golden.Within(t, "observed", observed, c.Observed, 1e-6, 1e-6) // the spec is printed to six digits
		g.Near(t, "the paper's", paper, c.Paper)
		if corrected := bound(xy/xx, xx); !(observed > paper) || !(observed <= corrected) {
			t.Errorf("observed %g, want above the paper's %g and at most %g", observed, paper, corrected)
		}
	}
}
