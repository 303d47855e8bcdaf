package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// drawFor draws a smaller table of that kind with a label that the loss reads: a linear one with normal errors, or one of four
// classes by multinomial logistic laws.
func (p tableKind) drawFor(t testing.TB, l Loss, r *rand.Rand) (design, stage.Stage) {
	p.n /= 2
	x, st := p.draw(t, r)
	label := frames.Label("label", "no", "yes")
	switch l.(type) {
	case SquaredLoss, HuberLoss:
		label = frames.NumericLabel("label", -1, 1)
		largest := 0.0
		for i := range x.Y {
			x.Y[i] = p.bias
			for j, v := range x.Row(i) {
				x.Y[i] += v * p.coef(j)
			}
			largest = max(largest, math.Abs(x.Y[i]))
		}
		for i := range x.Y {
			x.Y[i] = num.Clamp(0.7*x.Y[i]/largest+0.15*r.NormFloat64(), -1, 1)
		}
	case SoftmaxLoss:
		label = frames.Label("label", "a", "b", "c", "d")
		for i := range x.Y {
			best := math.Inf(-1)
			for k := range 4 {
				m := -math.Log(-math.Log(r.Float64())) // the largest of margins with Gumbel errors
				for j, v := range x.Row(i) {
					m += v * p.coef(j+7*k)
				}
				if m > best {
					best, x.Y[i] = m, float64(k)
				}
			}
		}
	}
	x.Domain = must(frames.NewSchema(append(append([]frames.Column{}, st.In.Features()...), label)...))
	st.In, st.Out = x.Domain, x.Domain
	return x, st
}

// TestDefaultsOfLosses compares the default of T, η, momentum and C with a quarter and four times of C and of T, in the loss beyond
// that of the fit without noise, on simulated populations. Seeds are fixed: there are no false alarms.
func TestDefaultsOfLosses(t *testing.T) {
	t.Parallel()
	for _, l := range []Loss{SquaredHingeLoss{}, SquaredLoss{}, HuberLoss{}, SoftmaxLoss{}} {
		total, kinds := 0.0, []int{1, 2}
		for _, k := range kinds {
			r := rand.New(rand.NewPCG(uint64(k), 77))
			x, st := tableKinds[k].drawFor(t, l, r)
			label, _ := st.In.Label()
			fit := gradient.PublicFit{Loss: l, Margins: l.Margins(label), Label: gradient.LabelScaleOf(label), D: x.Cols, C: domain.InterceptHeight}
			loss := func(w []float64) float64 {
				sum, m, width := 0.0, make([]float64, fit.Margins), len(w)/fit.Margins
				for i := range x.Y {
					for k := range m {
						v := w[k*width : (k+1)*width]
						m[k] = glm.Dot(x.Row(i), v[:x.Cols]) + fit.C*v[x.Cols]
					}
					sum += l.Value(m, x.Y[i])
				}
				return sum / float64(len(x.Y))
			}
			floor := loss(must(gradient.FitPublicly(t.Context(), rows.InProcess{In: x.Matrix}, fit)))
			gap := loss(make([]float64, fit.Margins*(x.Cols+1))) - floor
			excess := func(clip, steps float64) float64 {
				g := convexFit(convexOptions{Loss: l, Epsilon: tableKinds[k].eps, Delta: 1e-6, Clip: clip * l.Defaults().Clip}.apart())
				f := must(g.Calibrate(st))
				if steps != 1 {
					g.Steps = max(int(steps*float64(f.Draws)), 1)
					f = must(g.Calibrate(st))
				}
				return loss(must(f.Descend(t.Context(), rows.InProcess{In: x.Matrix}, noise.NewDemo(3)))) - floor
			}
			def := excess(1, 1)
			best, at := def, "the default"
			for _, v := range [][2]float64{{0.25, 1}, {4, 1}, {1, 0.25}, {1, 4}} {
				if e := excess(v[0], v[1]); e < best {
					best, at = e, fmt.Sprintf("%g·C, %g·T", v[0], v[1])
				}
			}
			ratio := (def + 0.01*gap) / (best + 0.01*gap) // a hundredth of what there is to learn is good enough
			total += math.Log(ratio)
			t.Logf("%v, %s: excess %.3f of what zero coefficients have, best %.3f (%s)", l, tableKinds[k].name, def/gap, best/gap, at)
		}
		if mean := math.Exp(total / float64(len(kinds))); !(mean <= 2) {
			t.Errorf("%v: the default's excess loss is %.2f of the best's in the mean, want at most 2", l, mean)
		} else {
			t.Logf("%v: the default's excess loss is %.2f of the best's in the mean", l, mean)
		}
	}
}
