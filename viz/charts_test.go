package viz

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// charts are the generic plots that the golden files hold.
func charts() map[string]View {
	x := []float64{0.1, 0.3, 1, 3, 10}
	curve := func(shift float64) (y, lo, hi []float64) {
		for _, e := range x {
			v := 0.5 + 0.4*e/(e+shift)
			y, lo, hi = append(y, v), append(lo, v-0.05/e), append(hi, v+0.02/math.Sqrt(e))
		}
		return y, lo, hi
	}
	utility := LineChart{
		Title: "Accuracy against ε", Note: "Bands: 95 % intervals of the mean of 20 releases.",
		X: Axis{Name: "privacy loss ε", Log: true, Loss: true}, Y: Axis{Name: "accuracy"},
		Rules: []Rule{{Name: "majority class", At: 0.76}},
	}
	for i, name := range []string{"noisy gradients", "output perturbation", "objective perturbation"} {
		y, lo, hi := curve([]float64{0.2, 1, 2}[i])
		s := Series{Name: name, X: x, Y: y, Lo: lo, Hi: hi}
		if i == 2 {
			s.Style = PointStyle
		}
		utility.Series = append(utility.Series, s)
	}
	long := LineChart{Title: "Loss of a curve", X: Axis{Name: "order α", Log: true}, Y: Axis{Name: "Rényi divergence", Unit: "nats", Log: true}}
	var many, straight, gap []float64
	for i := range 200 {
		a := 1.01 * math.Pow(1.04, float64(i))
		many, straight, gap = append(many, a), append(straight, a/200), append(gap, math.Expm1(a/60))
	}
	gap[50] = math.Inf(1)
	long.Series = []Series{{Name: "Gaussian", X: many, Y: straight}, {Name: "another", X: many[:150], Y: gap[:150], Style: StepStyle}, {Name: "reference", X: []float64{1, 1000}, Y: []float64{0.01, 0.01}, Style: ReferenceStyle}}
	counts := HistogramChart{
		Title: "Ages, released", X: Axis{Name: "age", Unit: "years"}, Y: Axis{Name: "people"},
		Edges: []float64{0, 20, 30, 40, 60, 80}, Rules: []Rule{{Name: "retirement", At: 65, Vertical: true}},
		Sets: []HistogramSet{{Counts: []float64{120, 340.5, 410, 95, -7}, Lo: []float64{100, 320.5, 390, 75, -27}, Hi: []float64{140, 360.5, 430, 115, 13}}},
	}
	two := HistogramChart{Title: "Losses of a model", X: Axis{Name: "loss"}, Y: Axis{Name: "share"}, Sets: []HistogramSet{{Name: "members"}, {Name: "others"}}}
	two.Edges = []float64{0}
	for i := range 30 {
		two.Edges = append(two.Edges, float64(i+1)/10)
		two.Sets[0].Counts = append(two.Sets[0].Counts, math.Exp(-float64(i*i)/60)/8)
		two.Sets[1].Counts = append(two.Sets[1].Counts, math.Exp(-float64((i-9)*(i-9))/70)/12)
	}
	bars := BarChart{
		Title: "Error of the coefficients", Axis: Axis{Name: "root mean square error", Unit: "1/year"},
		Bars: []Bar{
			{Label: "sufficient statistics", Value: 0.12, Lo: 0.1, Hi: 0.15, Kind: "ε = 1"},
			{Label: "sketch", Value: 0.35, Lo: 0.21, Hi: 0.5, Kind: "ε = 1"},
			{Label: "sufficient statistics", Value: 0.02, Lo: 0.01, Hi: 0.03, Kind: "ε = 10"},
			{Label: "sketch", Value: -0.05, Lo: -0.2, Hi: 0.1, Kind: "ε = 10"},
		},
	}
	left, right := utility, utility
	left.Title, right.Title, right.Y = "accuracy", "area under the curve", Axis{Name: "AUC", Range: [2]float64{0.6, 0.85}}
	left.Note, right.Note = "", ""
	return map[string]View{
		"lines":        Lines(utility),
		"lines-log":    Lines(long),
		"lines-wrong":  Lines(LineChart{Title: "Wrong", Series: []Series{{Name: "a", X: x}, {Name: "b", X: x, Y: x, Lo: x[:2]}}}),
		"lines-empty":  Lines(LineChart{Title: "Empty"}),
		"histogram":    Histogram(counts),
		"histogram-2":  Histogram(two),
		"bars":         Bars(bars),
		"panels":       Panels("Two measures of one model", "Each point is the mean of 20 releases.", left, right),
		"panels-mixed": Panels("All kinds", "", long, counts, two, bars),
		"panels-empty": Panels("Nothing", ""),
	}
}

// Every chart can be drawn with every number.
func TestChartsOfOddNumbers(t *testing.T) {
	odd := []float64{0, math.NaN(), math.Inf(1), -1e308, 1e308, 5e-324}
	for _, log := range []bool{false, true} {
		for _, a := range odd {
			for _, b := range odd {
				x, y := Axis{Log: log, Loss: log}, Axis{Log: log, Range: [2]float64{min(a, b), max(a, b)}}
				for i, c := range []Chart{
					LineChart{X: x, Y: y, Series: []Series{{X: []float64{a, b, 1}, Y: []float64{1, a, b}, Lo: []float64{0, a, a}, Hi: []float64{b, b, b}}}, Rules: []Rule{{At: a}, {At: b, Vertical: true}}},
					LineChart{X: y, Y: x, Series: []Series{{X: []float64{a, b}, Y: []float64{b, a}, Style: StepStyle}, {Y: []float64{1}, X: []float64{b}, Lo: []float64{a}, Hi: []float64{b}, Style: PointStyle}}},
					HistogramChart{X: x, Y: y, Edges: []float64{0, 1, 2}, Sets: []HistogramSet{{Counts: []float64{a, b}, Lo: []float64{a, a}, Hi: []float64{b, b}}}},
					HistogramChart{X: x, Y: y, Edges: []float64{a, b}, Sets: []HistogramSet{{Counts: []float64{a}}}},
					BarChart{Axis: x, Bars: []Bar{{Value: a, Lo: a, Hi: b}}},
				} {
					v := Panels("odd", "", c)
					p, err := newPen()
					if err != nil {
						t.Fatal(err)
					}
					p.height = v.fig.draw(p)
					r := &recorder.Canvas{}
					p.c = r
					v.fig.draw(p)
					for _, done := range r.Actions {
						if s := done.Call(); !strings.HasPrefix(s, "FillString") && (strings.Contains(s, "NaN") || strings.Contains(s, "Inf")) {
							t.Fatalf("chart %d of %v, %v: %s", i, a, b, s)
						}
					}
					_ = v.Text()
				}
			}
		}
	}
}
