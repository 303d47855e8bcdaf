package dpkit

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
)

// auditedLinear differ in the label of the one row that pulls at the model.
func auditedLinear() (out []auditCase) {
	schema := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.NumericLabel("y", -1, 1)))
	slope := tells(func(m LinearModel) float64 { return m.Coef[0] })
	for _, c := range []struct {
		name   string
		l      linear.Settings
		rel    accountant.Neighbours
		pure   bool
		draws  int
		caught float64
		why    string
	}{
		{"best", linear.Settings{LabelScale: 4}, ReplaceOne, false, 2000, 0, ""},
		{"AdaSSP", linear.Settings{Method: models.AdaSSP, LabelScale: 4}, ReplaceOne, false, 2000, 0, ""},
		{"AdaSSP, row not there", linear.Settings{Method: models.AdaSSP, LabelScale: 4}, AddRemove, false, 2000, 0, ""},
		{"output", linear.Settings{Method: models.OutputPerturbation, Ridge: 10, MaxNorm: 0.1}, ReplaceOne, false, 2000, 0, ""},
		{"output, row not there", linear.Settings{Method: models.OutputPerturbation, Ridge: 10, MaxNorm: 0.1}, AddRemove, false, 2000, 0, ""},
		{"mixing", linear.Settings{Method: models.LinearMixing, LabelScale: 1}, ReplaceOne, true, 12000, 0, ""},
		{"mixing, row not there", linear.Settings{Method: models.LinearMixing, LabelScale: 1}, AddRemove, true, 6000, 6, wholeSketch},
		{"mixing, coefficients", linear.Settings{Method: models.LinearMixing, LabelScale: 1, CoefficientsOnly: true}, ReplaceOne, true, 12000, 0, ""},
		{"mixing with an eigenvalue", linear.Settings{Method: models.LinearMixing, LabelScale: 1, ReleaseEigenvalue: true}, ReplaceOne, true, 1500, 8, misledRarely},
		{"relative", linear.Settings{Method: models.RelativeGaussianDescent, LabelScale: 1, Ridge: 1, Steps: 2}, ReplaceOne, true, 6000, 12, changingScale},
		{"relative, bounded", linear.Settings{Method: models.RelativeGaussianDescent, LabelScale: 1, Ridge: 1, Steps: 2, Strength: Bound(Tested{Share: 0.3, Delta: 0.001})}, ReplaceOne, true, 4000, 30, changingScale},
		{"relative, declared", linear.Settings{Method: models.RelativeGaussianDescent, LabelScale: 1, Ridge: 0.5, Steps: 2, Strength: Declare(0.6)}, ReplaceOne, true, 2000, 25, changingScale},
		{"Sheffet", linear.Settings{Method: models.Sheffet2017, LabelScale: 1}, AddRemove, true, 6000, 4, "the test takes two thirds of the budget, and is seen by whether the coefficients have noise"},
		{"Sheffet, exact", linear.Settings{Method: models.Sheffet2017Exact, LabelScale: 1}, ReplaceOne, true, 4000, 5, "the test takes a quarter of the budget, and does not depend on this row"},
	} {
		l := c.l
		l.Epsilon, l.Delta, l.NoIntercept = 8, 0.01, true
		if l.Method == models.LinearMixing || l.Method == models.Sheffet2017Exact {
			l.Rows = 60
		}
		if c.pure {
			l.Epsilon, l.Delta = 4, 0.05
		}
		back := times(3, 0, 0)
		if l.Method == models.RelativeGaussianDescent {
			back = times(59, 0, 0)
		}
		sides := pairOf([]float64{1, 1}, []float64{1, -1}, back...)
		if c.rel == AddRemove {
			sides[1][0] = nil
		}
		if l.Method == models.Sheffet2017 { // the row decides the test of the smallest eigenvalue, whose threshold is 24.5 rows
			l.Epsilon, l.Rows = 8, 400
			sides = pairOf([]float64{1, -1}, nil, slices.Concat(times(24, 1, -1), times(96, 1, 1))...)
		}
		out = append(out, auditCase{
			name: "linear, " + c.name, schema: schema, rel: c.rel, sides: sides,
			plan: func(p Pipeline) *plan { return p.FitLinear(linearBy(l)).plan() },
			told: slope, pure: c.pure, draws: c.draws, caught: c.caught, why: c.why,
		})
	}
	for _, o := range []local.Training{{Noise: models.ClippedNoise, Clip: 0.5}, {Noise: models.RelativeNoise}} {
		o.Epsilon, o.Delta, o.Rounds, o.Ridge, o.NoIntercept = 8, 0.01, 2, 1, true
		c := auditCase{
			name: "local, " + string(o.Noise), schema: schema, rel: ReplaceOne, sides: pairOf([]float64{1, 1}, []float64{1, -1}, times(59, 0, 0)...),
			plan: func(p Pipeline) *plan { return p.TrainLocally(o, frozenPoints(0)).plan() },
			told: tells(func(m models.LocalModel) (sum float64) {
				for _, a := range m.Answers {
					sum -= a[0]
				}
				return sum
			}), draws: 2000,
		}
		if o.Noise == models.RelativeNoise {
			c.pure, c.caught, c.why = true, 14, changingScale
		}
		out = append(out, c)
	}
	return out
}

// auditedUnbounded differ in one row far outside of what rows are clipped to.
func auditedUnbounded() (out []auditCase) {
	far := 1e9
	u := must(frames.NewSchema(frames.Unbounded("u")))
	line := must(frames.NewSchema(frames.Unbounded("u"), frames.UnboundedLabel("y")))
	var common, labelled [][]float64
	for i := range 700 {
		v, y := math.Cos(float64(i)), math.Sin(float64(i))
		common, labelled = append(common, []float64{v}), append(labelled, []float64{v, y})
	}
	for _, c := range []struct {
		name string
		o    UnboundedMeans
	}{
		{"Gaussian bins", UnboundedMeans{Epsilon: 5, Delta: 0.2}},
		{"Laplace bins", UnboundedMeans{Epsilon: 6, Delta: 0.01, Locator: BinsLaplace}},
		{"pure bins", UnboundedMeans{Epsilon: 6, Locator: BinsPure}},
	} {
		out = append(out, auditCase{
			name: "unbounded mean, " + c.name, schema: u, rel: ReplaceOne, sides: pairOf([]float64{far}, []float64{-far}, common[:300]...),
			plan: func(p Pipeline) *plan { return p.UnboundedMean(c.o).plan() },
			told: tells(func(e MeanEstimate) float64 { return e.Values[0] }), draws: 4000, pure: true, caught: 4, why: earlierRounds,
		})
	}
	for _, method := range []MomentMethod{MomentsAdaptive, baseline.Naive, baseline.WeakContraction} {
		o := Unbounded{Epsilon: 20, Delta: 0.01, Method: method, Smallest: 0.5, Largest: 2}
		draws, caught := 300, 7.0 // their rounds are planned anew for each release
		if method == baseline.Naive {
			draws, caught = 1000, 0
		}
		matrix := tells(func(m Moments) float64 { return m.Matrix[0] })
		out = append(out, auditCase{
			name: "second moment, " + string(method), schema: u, rel: AddRemove, sides: pairOf([]float64{far}, nil, common...),
			plan: func(p Pipeline) *plan { return p.SecondMoment(o).plan() },
			told: matrix, draws: draws, caught: caught, why: earlierRounds,
		}, auditCase{
			name: "covariance, " + string(method), schema: u, rel: AddRemove, sides: pairOf([]float64{far}, nil, common...),
			plan: func(p Pipeline) *plan { return p.Covariance(o).plan() },
			told: matrix, draws: draws, caught: caught, why: earlierRounds,
		}, auditCase{
			name: "unbounded linear, " + string(method), schema: line, rel: ReplaceOne, sides: pairOf([]float64{far, far}, []float64{far, -far}, labelled...),
			plan: func(p Pipeline) *plan {
				return p.FitUnbounded(UnboundedLinear{Unbounded: o, NoIntercept: true}).plan()
			},
			told: tells(func(m UnboundedModel) float64 { return m.Coef[0] }), draws: draws, caught: caught, why: earlierRounds,
		})
	}
	return out
}
