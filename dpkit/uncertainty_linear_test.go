package dpkit

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// mostMissed is how many of 400 intervals at 0.95 may miss: more do by chance with a probability below 1e-9.
const (
	heldRuns   = 400
	mostMissed = 46
)

// heldTally counts how often each coefficient is out of its interval, and how wide that is.
type heldTally struct {
	missed []int
	widths [][]float64
	off    [][]float64
	none   int
	reason string
}

func (h *heldTally) add(t testing.TB, u coefficient.Uncertainty, truth []float64) {
	t.Helper()
	if u.Reason != "" {
		h.none++
		h.reason = u.Reason
		return
	}
	if len(u.Intervals) != len(truth) {
		t.Fatalf("%d intervals for %d coefficients", len(u.Intervals), len(truth))
	}
	if h.missed == nil {
		h.missed, h.widths, h.off = make([]int, len(truth)), make([][]float64, len(truth)), make([][]float64, len(truth))
	}
	for j, i := range u.Intervals {
		mid, half := (i.Lo+i.Hi)/2, (i.Hi-i.Lo)/2
		if !(truth[j] >= i.Lo && truth[j] <= i.Hi) {
			h.missed[j]++
		}
		h.widths[j], h.off[j] = append(h.widths[j], half), append(h.off[j], math.Abs(mid-truth[j]))
	}
}

// check holds the counts, and tells how wide the intervals are beside what noise makes of the coefficients.
func (h *heldTally) check(t testing.TB, runs int) {
	t.Helper()
	most := mostMissed
	if runs != heldRuns {
		most = int(0.05*float64(runs) + 7.2*math.Sqrt(0.05*0.95*float64(runs)) + 8)
	}
	worst, wide := 0, []float64{}
	for j, n := range h.missed {
		worst = max(worst, n)
		if n > most {
			t.Errorf("coefficient %d is out of its interval in %d of %d releases", j, n, runs)
		}
		slices.Sort(h.off[j])
		slices.Sort(h.widths[j])
		if q := h.off[j][len(h.off[j])*95/100]; q > 0 {
			wide = append(wide, h.widths[j][len(h.widths[j])/2]/q)
		}
	}
	slices.Sort(wide)
	if len(wide) > 0 {
		t.Logf("missed %d of %d at most; %d without intervals (%s); widths are %.2f to %.2f (median %.2f) of the 95 %% quantile", worst, runs, h.none, h.reason, wide[0], wide[len(wide)-1], wide[len(wide)/2])
	} else {
		t.Logf("%d of %d without intervals: %s", h.none, runs, h.reason)
	}
}

// hostileNumbers are rows that are hard on a regression: columns that are constant, equal, tiny, at the ends and tied, with labels at
// their ends.
func hostileNumbers(t testing.TB, n int) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(frames.Numeric("constant", -1, 1), frames.Numeric("copy", -1, 1), frames.Numeric("copied", -1, 1),
		frames.Numeric("tiny", -1000, 1000), frames.Numeric("ends", -1, 1), frames.Numeric("tied", 0, 5), frames.NumericLabel("y", 0, 10)))
	rng := noise.NewDemo(3)
	text := "constant,copy,copied,tiny,ends,tied,y\n"
	for i := range n {
		c := float64(rng.Uint64n(2001))/1000 - 1
		end := float64(rng.Uint64n(2))*2 - 1
		y := 5 + 5*end
		if i%3 == 0 {
			y = 10 * float64(rng.Uint64n(2))
		}
		text += fmt.Sprintf("0.5,%g,%g,%g,%g,%d,%g\n", c, c, float64(rng.Uint64n(100))/1e5, end, rng.Uint64n(3), y)
	}
	return must(frames.ParseCSV(strings.NewReader(text), "hostile", s, frames.CSVOptions{Header: true}))
}

// numberSets are real and hostile rows with a numeric label.
func numberSets(t testing.TB) map[string]*frames.Frame {
	out := map[string]*frames.Frame{"hostile": hostileNumbers(t, 2000), "plain": linearFrame(t, 3000, 7, false)}
	if os.Getenv("DPNB_DATA") == "" {
		return out
	}
	for name, load := range map[string]func() (*frames.Frame, string, error){"housing": datasets.Housing, "wine": datasets.WineWhite, "bike": datasets.BikeHour} {
		f, _, err := load()
		if err != nil {
			t.Fatal(err)
		}
		out[name] = f
	}
	return out
}

// scaledChain is the chain of a fit on any of the sets.
func scaledChain(s *Session) Pipeline {
	for _, c := range s.schema.Features() {
		if c.Kind == frames.KindCategory {
			return s.Data().OneHot().Scale()
		}
	}
	return s.Data().Scale()
}

// ridgeTruth is ridge regression on exact sums, with the ridge and the centre that a release chose.
func ridgeTruth(m *linear.NormalEquations, ridge float64, to []float64) []float64 {
	e := &linear.NormalEquations{Size: m.Size, Sum: slices.Clone(m.Sum)}
	p := m.Size - 1
	for i := range p {
		for j, v := range to {
			e.Sum[i*m.Size+p] -= e.Sum[i*m.Size+j] * v
		}
	}
	w := must(e.Solve(ridge)).W
	for j, v := range to {
		w[j] += v
	}
	return w
}

// TestLinearUncertainty: intervals of every method of linear regression hold what the same fit gives without noise.
func TestLinearUncertainty(t *testing.T) {
	t.Parallel()
	for name, f := range numberSets(t) {
		s := must(Demo(f, 1, AddRemove))
		stages, st, err := scaledChain(s).trace()
		if err != nil {
			t.Fatal(err)
		}
		fitted := must(quote{stages: stages, end: st}.apply(t.Context(), f, nil))
		for _, epsilon := range []float64{0.3, 3, 30} {
			if !nightly() && epsilon != 3 {
				continue
			}
			for _, method := range []string{models.AdaSSP, models.LinearMixing, models.OutputPerturbation, models.RelativeGaussianDescent, "centred", "only"} {
				t.Run(fmt.Sprintf("%s, %s, ε = %g", name, method, epsilon), func(t *testing.T) {
					coverLinear(t, st, fitted.rows, method, epsilon)
				})
			}
		}
	}
}

func coverLinear(t *testing.T, st stage.Stage, in frames.Source, method string, epsilon float64) {
	o := linear.Settings{Epsilon: epsilon, Delta: 1e-6, Method: method}
	switch method {
	case "centred":
		o.Method = models.AdaSSP
	case "only":
		o.Method, o.CoefficientsOnly = models.LinearMixing, true
	}
	fit, err := linear.LeastSquares{Settings: o}.Prepare(st)
	if err != nil {
		t.Skip(err)
	}
	if method == "centred" {
		fit = &linear.CentredFit{AdaSSPFit: fit.(*linear.AdaSSPFit)}
	}
	m := must(fit.Domain().NormalEquations(t.Context(), rows.InProcess{In: in}))
	var h heldTally
	rng := noise.NewDemo(17)
	for range heldReleases() {
		c := must(fit.Fit(m, rng))
		var truth []float64
		switch f := fit.(type) {
		case *linear.SketchFit:
			truth = ridgeTruth(m, f.Variance()+f.Share, nil)
		case *linear.AdaSSPFit, *linear.CentredFit:
			truth = ridgeTruth(m, c.Ridge, c.To)
		case *linear.OutputFit:
			truth = f.Minimiser(m)
		case *linear.RelativeDescent:
			truth = descent(m, f, rng)
		}
		model := fit.Domain().Model(st.In, c)
		at := fit.Domain().Model(st.In, linear.Coefficients{W: truth})
		h.add(t, must(model.Uncertainty(0.95)), append(at.Coef, at.Intercept))
	}
	h.check(t, heldReleases())
}

// descent is what a relative descent comes to without noise.
func descent(m *linear.NormalEquations, r *linear.RelativeDescent, rng *noise.Source) []float64 {
	rho, draw, err := r.Begin(m, rng)
	if err != nil {
		panic(err)
	}
	theta := make([]float64, r.Coefficients())
	tau := 1 / ((1 + float64(len(theta))*draw.Gamma) * r.Lipschitz())
	for range r.Steps() {
		for j, g := range r.At(m, theta) {
			theta[j] -= tau * g
		}
		linear.Project(theta, r.Ball(rho))
	}
	return theta
}
