package viz

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
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
		"lines-dates":  Lines(dated()),
		"panels":       Panels("Two measures of one model", "Each point is the mean of 20 releases.", left, right),
		"panels-mixed": Panels("All kinds", "", long, counts, two, bars),
		"panels-empty": Panels("Nothing", ""),
	}
}

// dated is a chart of days.
func dated() LineChart {
	c := LineChart{Title: "Visits", X: Axis{Name: "day", Dates: true}, Y: Axis{Name: "visits"}, Series: []Series{{Name: "a week", Style: StepStyle}}}
	for i := range 30 {
		c.Series[0].X = append(c.Series[0].X, Day(time.Date(2025, 11, 20+7*i, 0, 0, 0, 0, time.UTC)))
		c.Series[0].Y = append(c.Series[0].Y, 100+10*math.Sin(float64(i)/3))
	}
	return c
}

func TestDateTicks(t *testing.T) {
	day := func(y, m, d int) float64 { return Day(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)) }
	for _, c := range []struct {
		name   string
		lo, hi float64
		want   string
	}{
		{"a week", day(2024, 2, 26), day(2024, 3, 2), "26 Feb 2024, 27 Feb 2024, 28 Feb 2024, 29 Feb 2024, 1 Mar 2024, 2 Mar 2024"},
		{"a month", day(2024, 12, 20), day(2025, 1, 20), "23 Dec 2024, 30 Dec 2024, 6 Jan 2025, 13 Jan 2025, 20 Jan 2025"},
		{"half a year", day(2024, 9, 15), day(2025, 2, 20), "Oct 2024, Nov 2024, Dec 2024, Jan 2025, Feb 2025"},
		{"a year", day(2025, 1, 1), day(2026, 1, 1), "Jan 2025, Apr 2025, Jul 2025, Oct 2025, Jan 2026"},
		{"before 1970", day(1899, 6, 1), day(1969, 6, 1), "1900, 1910, 1920, 1930, 1940, 1950, 1960"},
		{"hours", 0.2, 0.6, ""},
		{"beyond", 0, 1e9, ""},
		{"backwards", 3, 2, ""},
		{"none", math.NaN(), math.Inf(1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, k := range dateTicks(c.lo, c.hi) {
				got = append(got, k.label)
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	for v, want := range map[float64]string{0: "1970-01-01", -0.5: "1969-12-31 12:00", 19782: "2024-02-29", 1e300: "1e+300"} {
		if got := dateOf(v); got != want {
			t.Errorf("%g: got %s, want %s", v, got, want)
		}
	}
	if a, b := Day(time.Date(2025, 3, 1, 6, 0, 0, 0, time.FixedZone("x", 9*3600))), day(2025, 3, 1)+0.25; a != b {
		t.Errorf("got %g, want %g: the clock of its own zone", a, b)
	}
}

func TestBinEdges(t *testing.T) {
	for _, c := range []struct {
		names string
		want  []float64
	}{
		{"below 1|1 to 3|3 and above", []float64{-1, 1, 3, 5}},
		{"below -2.5|-2.5 to 1e+06|1e+06 and above", []float64{-1000005, -2.5, 1e6, 2000002.5}},
		{"below 1|1 and above", nil},
		{"below 1|1 to 3|4 and above", nil},
		{"below 1|1 to 0|0 and above", nil},
		{"below a|a to b|b and above", nil},
		{"below NaN|NaN to NaN|NaN and above", nil},
		{"clerk|smith|nurse", nil},
		{"", nil},
	} {
		if got, ok := binEdges(strings.Split(c.names, "|")); ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %t, want %v", c.names, got, ok, c.want)
		}
	}
}

// TestManyBars: a figure of many bars is no higher than a page, whatever their names and sizes.
func TestManyBars(t *testing.T) {
	for _, n := range []int{manyBars, manyBars + 1, 365, 5000} {
		p := barPanel{Title: "bars", Axis: "count"}
		for i := range n {
			v := float64(i%7) - 2
			p.Bars = append(p.Bars, bar{Label: strings.Repeat("a\"<", i%40), Spans: []span{{To: v, Color: theme.RGB(theme.Blue)}}, Whisk: whisker(v-1, v+1)})
		}
		pen, err := newPen()
		if err != nil {
			t.Fatal(err)
		}
		f := &figure{Panels: []panel{p}}
		if h := f.draw(pen); h > 1500*px {
			t.Errorf("%d bars are %.0f pixels high", n, h/px)
		}
		if _, err := f.png(); err != nil {
			t.Error(err)
		}
	}
}

func TestBySize(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   string
	}{
		{"one size", []float64{1, -20, 3}, "1 -20 3"},
		{"two sizes", []float64{50000, 0.3, -40000, 0.1}, "50000 -40000|0.3 0.1"},
		{"zeros go with the first", []float64{0, 5, 0, 1e6}, "0 5 0|1e+06"},
		{"no bars", nil, ""},
		{"no numbers", []float64{math.NaN(), math.Inf(1)}, "0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bars []bar
			for _, v := range c.values {
				bars = append(bars, bar{Spans: []span{{To: finite(v)}}})
			}
			var parts []string
			for _, p := range bySize(bars) {
				var values []string
				for _, b := range p {
					values = append(values, strconv.FormatFloat(b.Spans[0].To, 'g', -1, 64))
				}
				parts = append(parts, strings.Join(values, " "))
			}
			if got := strings.Join(parts, "|"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
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
