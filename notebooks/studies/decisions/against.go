package decisions

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/decisions/others"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Against is one question to one data set at one ε, answered by a default here and by another library's mechanism.
type Against struct {
	Set      string  `json:"set"`
	Question string  `json:"question"` // Fit, Quantile, Count or Mean
	Of       string  `json:"of"`       // of which column, or by which mechanism
	Epsilon  float64 `json:"epsilon"`
	// Ours and Theirs are test accuracies or errors of fits over the label's variance, as medians, or root mean squared errors in the
	// units of the column; Exact is that of the fit without noise.
	Ours   float64 `json:"ours"`
	Theirs float64 `json:"theirs"`
	// Pure is that of ours from a ledger that keeps a part of ε for releases of pure DP: counts and means.
	Pure   float64 `json:"pure,omitempty"`
	PureSE float64 `json:"pure_se,omitempty"` // of its difference to Theirs
	Exact  float64 `json:"exact,omitempty"`
	// Error of the difference: its standard deviation over runs of the study.
	SE float64 `json:"se"`
	// Alpha is the regularisation of theirs that is best in hindsight.
	Alpha float64 `json:"alpha,omitempty"`
	// Higher is better: an accuracy.
	Higher bool `json:"higher,omitempty"`
}

// Questions.
const (
	AskFit      = "fit"
	AskQuantile = "quantile"
	AskCount    = "count"
	AskMean     = "mean"
)

// Worse says that ours is worse by more than chance explains: two standard errors of the difference.
func (a Against) Worse() bool {
	if a.Higher {
		return a.Theirs-a.Ours > 2*a.SE
	}
	return a.Ours-a.Theirs > 2*a.SE
}

// WorseIfPure is Worse of the release from a ledger with a part for pure DP.
func (a Against) WorseIfPure() bool { return a.Pure > 0 && a.Pure-a.Theirs > 2*a.PureSE }

// rival is a data set with the column and the condition that are asked about.
type rival struct {
	source  string // its name among the sources
	chain   string // public steps in front of fits
	column  string
	q       float64
	where   []dpkit.Condition
	holds   func(row []float64, at func(string) int) bool
	missing bool // cells are filled with the middle of their bounds
}

// is says whether a row has that level of a category.
func is(column string, level float64) func([]float64, func(string) int) bool {
	return func(row []float64, at func(string) int) bool { return row[at(column)] == level }
}

func between(column string, lo, hi float64) func([]float64, func(string) int) bool {
	return func(row []float64, at func(string) int) bool { v := row[at(column)]; return v >= lo && v <= hi }
}

var rivals = []rival{
	{
		source: "adult", chain: `OneHot().ClipColumns(0, 20000, "capital-gain").Impute(Midpoint{}).Scale()`, column: "age", q: 0.5,
		where: []dpkit.Condition{dpkit.Is("sex", "Female")}, holds: is("sex", 0),
	},
	{
		source: "credit", chain: `OneHot().Scale()`, column: "BILL_AMT1", q: 0.5,
		where: []dpkit.Condition{dpkit.Between("AGE", 18, 30)}, holds: between("AGE", 18, 30),
	},
	{
		source: "kidney", chain: `OneHot().Impute(Midpoint{}).Scale()`, column: "bgr", q: 0.5, missing: true,
		where: []dpkit.Condition{dpkit.Is("appet", "poor")}, holds: is("appet", 1),
	},
	{
		source: "bike", chain: `OneHot().Scale()`, column: "hum", q: 0.9,
		where: []dpkit.Condition{dpkit.Is("holiday", "1")}, holds: is("holiday", 1),
	},
	{
		source: "wine", chain: `Scale()`, column: "alcohol", q: 0.5,
		where: []dpkit.Condition{dpkit.Between("pH", 3, 3.3)}, holds: between("pH", 3, 3.3),
	},
}

// againstOthers asks every question of every set.
func (s Settings) againstOthers(ctx context.Context, progress func(string)) (out []Against, err error) {
	for _, r := range rivals {
		src := sources[slices.IndexFunc(sources, func(src source) bool { return src.name == r.source })]
		f, _, err := src.load()
		if err != nil {
			return nil, err
		}
		asked, err := s.statistics(ctx, r, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.source, err)
		}
		out = append(out, asked...)
		if asked, err = s.fits(ctx, r, src); err != nil {
			return nil, fmt.Errorf("%s: %w", r.source, err)
		}
		out = append(out, asked...)
		if progress != nil {
			progress(r.source + ", against others")
		}
	}
	return out, nil
}

// statistics are quantiles, counts and means of all rows of a set. Theirs are drawn as often as ours, from seeds of their own.
func (s Settings) statistics(ctx context.Context, r rival, f *frames.Frame) (out []Against, err error) {
	demo, err := dpkit.Demo(f, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return nil, err
	}
	features := f.Schema().Features()
	at := func(name string) int {
		return slices.IndexFunc(features, func(c frames.Column) bool { return c.Name == name })
	}
	column := features[at(r.column)]
	rows, _, err := rowsOf(ctx, frames.Public(f))
	if err != nil {
		return nil, err
	}
	count, sum, values := 0, 0.0, make([]float64, len(rows))
	for i, row := range rows {
		if r.holds(row, at) {
			count++
		}
		if values[i] = row[at(r.column)]; math.IsNaN(values[i]) {
			values[i] = (column.Lo + column.Hi) / 2
		}
		sum += values[i]
	}
	sorted := others.Sorted(values)
	chain := func(s *dpkit.Session) dpkit.Pipeline {
		p := s.Data().Select(r.column)
		if r.missing {
			p = p.Impute(dpkit.Midpoint{})
		}
		return p
	}
	for i, epsilon := range s.Rival {
		random := rand.New(rand.NewPCG(s.Seed, uint64(i)))
		t := dpkit.Target{Epsilon: epsilon, Delta: s.Delta}
		kept, err := demo.WithPure(epsilon)
		if err != nil {
			return nil, err
		}
		for _, q := range []struct {
			question, of string
			exact        float64
			ours         func(s *dpkit.Session) ([]float64, error)
			theirs       func() float64
		}{
			{
				AskQuantile, fmt.Sprintf("%g of %s", r.q, r.column), others.ExactQuantile(sorted, r.q),
				func(on *dpkit.Session) ([]float64, error) {
					return drawn(ctx, chain(on).Quantile(t, r.q, r.column), s.Demonstrations, func(e dpkit.QuantileEstimate) float64 { return e.Value })
				},
				func() float64 { return others.Quantile(random, sorted, r.q, column.Lo, column.Hi, epsilon) },
			},
			{
				AskCount, fmt.Sprint(r.where[0]), float64(count),
				func(on *dpkit.Session) ([]float64, error) {
					return drawn(ctx, on.Data().Count(t, r.where...), s.Demonstrations, func(e dpkit.Estimates) float64 { return e.Values[0] })
				},
				func() float64 { return others.Count(random, count, epsilon) },
			},
			{
				AskMean, r.column, sum / float64(len(values)),
				func(on *dpkit.Session) ([]float64, error) {
					return drawn(ctx, chain(on).Mean(t), s.Demonstrations, func(e dpkit.Estimates) float64 { return e.Values[0] })
				},
				func() float64 { return others.Mean(random, values, column.Lo, column.Hi, epsilon) },
			},
		} {
			draws, err := q.ours(demo)
			if err != nil {
				return nil, err
			}
			a := Against{Set: r.source, Question: q.question, Of: q.of, Epsilon: epsilon}
			ours, seOurs := rootMeanSquare(draws, q.exact)
			draws = make([]float64, s.Demonstrations)
			for i := range draws {
				draws[i] = q.theirs()
			}
			theirs, seTheirs := rootMeanSquare(draws, q.exact)
			a.Ours, a.Theirs, a.SE = lab.Round(ours), lab.Round(theirs), lab.Round(math.Hypot(seOurs, seTheirs))
			if q.question != AskQuantile {
				if draws, err = q.ours(kept); err != nil {
					return nil, err
				}
				pure, se := rootMeanSquare(draws, q.exact)
				a.Pure, a.PureSE = lab.Round(pure), lab.Round(math.Hypot(se, seTheirs))
			}
			out = append(out, a)
		}
	}
	return out, nil
}

func drawn[V any](ctx context.Context, plan dpkit.Plan[V], releases int, value func(V) float64) ([]float64, error) {
	draws, err := plan.Replicate(ctx, releases)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(draws))
	for i, d := range draws {
		out[i] = value(d)
	}
	return out, nil
}

// rootMeanSquare is that of the differences, and its standard error.
func rootMeanSquare(draws []float64, exact float64) (rms, se float64) {
	n, squares, fourths := float64(len(draws)), 0.0, 0.0
	for _, v := range draws {
		e := (v - exact) * (v - exact)
		squares, fourths = squares+e/n, fourths+e*e/n
	}
	rms = math.Sqrt(squares)
	if rms > 0 {
		se = math.Sqrt(max(fourths-squares*squares, 0)/n) / (2 * rms)
	}
	return rms, se
}

// alphas are the regularisations that theirs are tried with, over the least that the mechanism has at small ε.
var alphas = []float64{0.01, 1, 3, 10, 30, 100, 300, 1000}

// fits compare models: both get the same rows, which public steps lead to, of norm at most 1.
func (s Settings) fits(ctx context.Context, r rival, src source) (out []Against, err error) {
	train, test, err := src.parted()
	if err != nil {
		return nil, err
	}
	scores, err := newScorer(ctx, src.task, frames.Public(test))
	if err != nil {
		return nil, err
	}
	demo, err := dpkit.Demo(train, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return nil, err
	}
	d, err := newDesign(ctx, r.chain, src.task, train, test)
	if err != nil {
		return nil, err
	}
	moments := others.Moments{}
	if src.task == Numbers {
		moments = others.MomentsOf(d.train)
	}
	for i, epsilon := range s.Rival {
		theirs, least := Way{}, 0.0
		if src.task == Numbers {
			random := rand.New(rand.NewPCG(s.Seed, uint64(i)))
			theirs.summarise(d.scores(s.Releases, func() ([]float64, float64, error) {
				coef, intercept, _ := moments.Functional(random, epsilon)
				return coef, intercept, nil
			}))
		} else {
			for k, times := range alphas {
				alpha := times * 0.25 / math.Expm1(epsilon/4)
				random := rand.New(rand.NewPCG(s.Seed, uint64(i*len(alphas)+k)))
				one := Way{}
				values, err := d.scores(s.RivalFits, func() ([]float64, float64, error) { return others.Logistic(random, d.train, epsilon, alpha) })
				if one.summarise(values, err); err != nil {
					return nil, err
				}
				if k == 0 || one.Median > theirs.Median {
					theirs, least = one, lab.Round(alpha)
				}
			}
		}
		for _, end := range defaults[src.task] {
			a := Against{Set: src.name, Question: AskFit, Of: end[:strings.IndexByte(end, '{')], Epsilon: epsilon, Exact: d.exact, Alpha: least, Higher: src.task == Classes}
			a.Of = a.Of[strings.IndexByte(a.Of, '(')+1:]
			if strings.Contains(end, "Alone") {
				a.Of += ", Alone"
			}
			w := Way{Plan: r.chain + "." + fmt.Sprintf(end, fmt.Sprintf("Epsilon: %g, Delta: %g", epsilon, s.Delta))}
			if err := scores.score(ctx, demo, &w, s.Releases); err != nil {
				return nil, err
			}
			if w.Refused != "" {
				return nil, fmt.Errorf("%s: %s", w.Plan, w.Refused)
			}
			a.Ours, a.Theirs = w.Median, theirs.Median
			a.SE = lab.Round(math.Hypot(w.se(s.Releases), theirs.se(s.RivalFits)))
			out = append(out, a)
		}
	}
	return out, nil
}

// defaults are the fits that are compared, with all parameters but ε and δ left to their defaults; and objective perturbation as it is priced
// by itself, which needs an eighth less noise.
var defaults = map[string][]string{
	Classes: {"FitLogistic(ByGradient{%s})", "FitLogistic(ByObjective{%s})", "FitLogistic(ByObjective{%s, Alone: true})"},
	Numbers: {"FitLinear(BestLinear{%s})"},
}

// summarise stores the median and the quartiles.
func (w *Way) summarise(values []float64, err error) {
	if err != nil || len(values) == 0 {
		return
	}
	slices.Sort(values)
	w.Low, w.Median, w.High = lab.Round(at(values, 0.25)), lab.Round(at(values, 0.5)), lab.Round(at(values, 0.75))
}

// se is about the standard error of the median of so many draws: 1.25 deviations over the root, 1.35 of which are between the quartiles of a
// normal law.
func (w Way) se(draws int) float64 { return 1.25 * (w.High - w.Low) / 1.35 / math.Sqrt(float64(draws)) }
