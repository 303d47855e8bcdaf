package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

func linearSchema(t testing.TB, miss bool) frames.Schema {
	t.Helper()
	a := frames.Numeric("a", -1, 1)
	if miss {
		a = a.MayMiss()
	}
	return must(frames.NewSchema(a, frames.Numeric("b", 0, 4), frames.Numeric("c", -2, 2), frames.NumericLabel("y", -10, 10)))
}

// linearFrame has y = 1 + 2a − b + c/2 and noise.
func linearFrame(t testing.TB, n int, seed uint64, miss bool) *frames.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	rows := make([][]float64, n)
	for i := range rows {
		a, b, c := 2*r.Float64()-1, 4*r.Float64(), 4*r.Float64()-2
		rows[i] = []float64{a, b, c, 1 + 2*a - b + c/2 + 0.5*r.NormFloat64()}
		if miss && r.IntN(3) == 0 {
			rows[i][0] = math.NaN()
		}
	}
	return frameOf(t, linearSchema(t, miss), rows)
}

var linearMethods = []string{models.LinearMixing, models.AdaSSP, models.OutputPerturbation, models.Sheffet2017, models.Sheffet2017Exact}

// TestLinearRecovers: with a huge ε every method gives the model that made the rows, and so does public data.
func TestLinearRecovers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := linearFrame(t, 20000, 1, false)
	predict := must(frames.NewSchema(linearSchema(t, false).Columns()...))
	grid := frames.Public(frameOf(t, predict, [][]float64{{0, 0, 0, 1}, {1, 0, 0, 3}, {0, 1, 0, 0}, {0, 0, 1, 1.5}}))
	for _, o := range []linear.Settings{
		{Method: models.LinearMixing, Rows: 20000},
		{Method: models.LinearMixing, Rows: 20000, ReleaseEigenvalue: true},
		{Method: models.LinearMixing, Rows: 20000, CoefficientsOnly: true},
		{Method: models.AdaSSP},
		{Method: models.OutputPerturbation, MaxNorm: 4, Ridge: 1e-3},
		{Method: models.Sheffet2017, Rows: 5000},
		{Method: models.Sheffet2017Exact, Rows: 20000},
		{},
	} {
		o.Epsilon, o.Delta = 20, 1e-6
		r, err := must(Demo(f, 3, AddRemove)).Data().Scale().FitLinear(linearBy(o)).Release(ctx)
		if err != nil {
			t.Errorf("%v: %v", linear.LeastSquares{Settings: o}, err)
			continue
		}
		if rmse := must(r.Value.RMSE(ctx, grid)); !(rmse < 0.25) {
			t.Errorf("%v: off by %v", linear.LeastSquares{Settings: o}, rmse)
		}
	}
	r := must(must(OnPublic(frames.Public(f))).Data().Scale().FitLinear(linearBy(linear.Settings{})).Release(ctx))
	if rmse := must(r.Value.RMSE(ctx, grid)); !(rmse < 0.05) || r.NotPrivate == "" {
		t.Errorf("public: off by %v", rmse)
	}
}

// TestLinearChains: every method is priced within the target and released on undisplaced and displaced rows, on rows that
// were removed, and in both relations, or is refused with a remedy.
func TestLinearChains(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := linearFrame(t, 400, 2, true)
	chains := []struct {
		name    string
		build   func(Pipeline) Pipeline
		refused []string
	}{
		{"public", func(p Pipeline) Pipeline { return p.Impute(Midpoint{}).Scale() }, nil},
		{"displaced", func(p Pipeline) Pipeline { return p.Impute(Mean{}).Scale() }, []string{models.Sheffet2017, models.Sheffet2017Exact}},
		{"removed", func(p Pipeline) Pipeline {
			return p.Impute(Midpoint{}).Quantize(0.5, "a", "b", "c").Dedup(Exact{}).Scale()
		}, linearMethods[:0]},
		{
			"private steps", func(p Pipeline) Pipeline {
				return p.Impute(Midpoint{}).Scale().PCA(PrivateComponents{K: 2, Share: 0.2})
			},
			[]string{models.LinearMixing, models.Sheffet2017, models.Sheffet2017Exact},
		},
	}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, c := range chains {
			for _, method := range append(slices.Clone(linearMethods), models.BestLinear) {
				name := fmt.Sprintf("%v, %s, %q", rel, c.name, method)
				plan := c.build(must(Demo(f, 1, rel)).Data()).FitLinear(linearBy(linear.Settings{Epsilon: 2, Delta: 1e-6, Method: method}))
				cost, err := plan.Cost()
				if slices.Contains(c.refused, method) || (method == models.Sheffet2017 && rel == ReplaceOne) {
					if !errors.Is(err, ErrOrder) && !errors.Is(err, ErrParameter) {
						t.Errorf("%s: got %v, want a refusal", name, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				g := cost.Guarantee
				if !(g.Epsilon <= 2 && g.Delta <= 1e-6) || (g.Epsilon < 1.9 && method != models.Sheffet2017) { // its constants are loose
					t.Errorf("%s: guarantee %v", name, g)
				}
				if a := cost.Release.Amplification(); a < 1 || (a > 1+1e-9) != (c.name == "displaced") {
					t.Errorf("%s: amplification %v", name, a)
				}
				r, err := plan.Release(ctx)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, v := range append(slices.Clone(r.Value.Coef), r.Value.Intercept) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s: coefficients %v", name, r.Value.Coef)
					}
				}
			}
		}
	}
}

func TestLinearBadInput(t *testing.T) {
	f := linearFrame(t, 50, 1, false)
	good := linear.Settings{Epsilon: 1, Delta: 1e-6, Method: models.LinearMixing}
	for _, c := range []struct {
		name  string
		spoil func(*linear.Settings)
		want  error
	}{
		{"no ε", func(l *linear.Settings) { l.Epsilon = 0 }, accountant.ErrEpsilon},
		{"NaN ε", func(l *linear.Settings) { l.Epsilon = math.NaN() }, accountant.ErrEpsilon},
		{"no δ", func(l *linear.Settings) { l.Delta = 0 }, accountant.ErrDelta},
		{"few rows", func(l *linear.Settings) { l.Rows = 5 }, ErrParameter},
		{"negative rows", func(l *linear.Settings) { l.Rows = -1 }, ErrParameter},
		{"many rows", func(l *linear.Settings) { l.Rows = linear.MaxSketchRows + 1 }, ErrParameter},
		{"NaN scale", func(l *linear.Settings) { l.LabelScale = math.NaN() }, ErrParameter},
		{"negative scale", func(l *linear.Settings) { l.LabelScale = -1 }, ErrParameter},
		{"infinite ridge", func(l *linear.Settings) { l.Method, l.Ridge = models.OutputPerturbation, math.Inf(1) }, ErrParameter},
		{"tiny norm", func(l *linear.Settings) { l.Method, l.MaxNorm = models.OutputPerturbation, 1e-9 }, ErrParameter},
		{"two modes", func(l *linear.Settings) { l.CoefficientsOnly, l.ReleaseEigenvalue = true, true }, ErrParameter},
	} {
		o := good
		c.spoil(&o)
		if _, err := must(Demo(f, 1, AddRemove)).Data().Scale().FitLinear(linearBy(o)).Cost(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	for name, how := range map[string]LinearMethod{"no method": nil, "a method of somebody's own": ownMethod{AdaSSP{Epsilon: 1, Delta: 1e-6}}} {
		_, err := demo(t, f).Data().Scale().FitLinear(how).Cost()
		if _, public := must(OnPublic(frames.Public(f))).Data().Scale().FitLinear(how).Release(t.Context()); !errors.Is(err, ErrParameter) || !errors.Is(public, ErrParameter) {
			t.Errorf("%s: got %v, on public rows %v", name, err, public)
		}
	}
	if _, err := demo(t, f).Data().Scale().FitLinear(&AdaSSP{Epsilon: 1, Delta: 1e-6}).Cost(); err != nil {
		t.Errorf("a pointer to a method: %v", err)
	}
	if _, err := demo(t, tinyFrame(t, 50, 1)).Data().OneHot().Impute(Midpoint{}).FitLinear(linearBy(good)).Cost(); !errors.Is(err, ErrColumn) {
		t.Errorf("a label with classes: got %v", err)
	}
	if _, err := demo(t, linearFrame(t, 50, 1, true)).Data().FitLinear(linearBy(good)).Cost(); !errors.Is(err, ErrOrder) {
		t.Errorf("missing cells: got %v", err)
	}
	st := stage.Stage{In: linearSchema(t, false), Before: must(pair.Start(50, 1, ReplaceOne))}
	st.Before.F = 2
	if _, err := (linear.LeastSquares{Settings: good}).Prepare(st); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "AdaSSP") {
		t.Errorf("two free rows: got %v", err)
	}
	o := good
	o.Method = models.AdaSSP
	if _, err := (linear.LeastSquares{Settings: o}).Prepare(st); err != nil {
		t.Errorf("AdaSSP on two free rows: %v", err)
	}
}

// ownMethod claims less than it spends.
type ownMethod struct{ AdaSSP }

func (m ownMethod) Settings() linear.Settings {
	s := m.AdaSSP.Settings()
	s.Delta = 0.5
	return s
}

// TestLinearDegenerateRows: collinear and constant columns, fewer rows than columns, and one value of the label
// give finite
func TestLinearDegenerateRows(t *testing.T) {
	ctx := context.Background()
	schema := linearSchema(t, false)
	sets := map[string][][]float64{"two rows": {{0, 0, 0, 0}, {1, 4, 2, 10}}}
	for i := range 200 {
		v := float64(i)/100 - 1
		sets["collinear"] = append(sets["collinear"], []float64{v, 2 + 2*v, 2 * v, v})
		sets["constant"] = append(sets["constant"], []float64{0, 2, 0, v})
		sets["one label"] = append(sets["one label"], []float64{v, 2 - v, v, 3})
		sets["zeros"] = append(sets["zeros"], []float64{0, 2, 0, 0})
	}
	for name, rows := range sets {
		f := frameOf(t, schema, rows)
		for _, method := range append(slices.Clone(linearMethods), models.BestLinear) {
			for _, eps := range []float64{0.1, 10} {
				r, err := must(Demo(f, 1, AddRemove)).Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: eps, Delta: 1e-6, Method: method})).Release(ctx)
				if err != nil {
					t.Errorf("%s, %q: %v", name, method, err)
					continue
				}
				for _, v := range append(slices.Clone(r.Value.Coef), r.Value.Intercept) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s, %q: %v", name, method, r.Value.Coef)
					}
				}
			}
		}
		if _, err := must(OnPublic(frames.Public(f))).Data().Scale().FitLinear(linearBy(linear.Settings{})).Release(ctx); err != nil {
			t.Errorf("%s, public: %v", name, err)
		}
	}
}

// TestLinearMomentsAreExact: the same numbers come out at any order of the rows and any split into blocks, a row beyond the
// norm bound counts as clipped, and one that is not finite as zero.
func TestLinearMomentsAreExact(t *testing.T) {
	ctx := context.Background()
	stages, st, err := demo(t, linearFrame(t, 5000, 4, false)).Data().Scale().trace()
	if err != nil {
		t.Fatal(err)
	}
	dom := must(linear.LinearDomainOf(st, 0.5, true))
	fitted := must(quote{stages: stages, end: st}.apply(ctx, linearFrame(t, 5000, 4, false), nil))
	m := must(rows.Materialise(ctx, fitted.rows, st.In, rows.SameRow))
	want := must(dom.NormalEquations(ctx, rows.InProcess{In: m}))
	r := rand.New(rand.NewPCG(1, 1))
	shuffled := &rows.Matrix{Domain: m.Domain, Cols: m.Cols}
	for _, i := range r.Perm(m.Rows()) {
		shuffled.X, shuffled.Y = append(shuffled.X, m.Row(i)...), append(shuffled.Y, m.Y[i])
	}
	if got := must(dom.NormalEquations(ctx, rows.InProcess{In: shuffled})); !slices.Equal(got.Sum, want.Sum) {
		t.Error("the sums depend on the order of the rows")
	}
	// Near the products of the rows themselves.
	var exact float64
	for i := range m.Rows() {
		exact += m.Row(i)[0] * m.Row(i)[1]
	}
	if got := want.Sum[1]; math.Abs(got-exact) > 4*float64(m.Rows())*dom.H {
		t.Errorf("got %v, want %v", got, exact)
	}
	odd := &rows.Matrix{Domain: m.Domain, Cols: m.Cols, X: []float64{30, -40, 0, math.NaN(), 0, 0, math.Inf(1), 0, 0, 0, 0, 0}, Y: []float64{1e9, 0, 0, math.NaN()}}
	got := must(dom.NormalEquations(ctx, rows.InProcess{In: odd}))
	var trace float64
	for i := range got.Size {
		trace += got.Sum[i*got.Size+i]
	}
	if want := dom.Rows.R * dom.Rows.R; !(trace <= want) || trace < 0.99*want {
		t.Errorf("a row beyond the bound and rows that are no numbers: trace %v, want one row of %v", trace, want)
	}
}

// TestLinearModel: a model survives JSON, predicts within the label's bounds, and its intervals have names.
func TestLinearModel(t *testing.T) {
	ctx := context.Background()
	f := linearFrame(t, 2000, 5, false)
	for _, method := range []string{models.LinearMixing, models.AdaSSP, models.OutputPerturbation} {
		r := must(demo(t, f).Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6, Method: method})).Release(ctx))
		raw := must(json.Marshal(r.Value))
		var back LinearModel
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		a, b := must(r.Value.Predict(ctx, frames.Public(f))), must(back.Predict(ctx, frames.Public(f)))
		if !slices.Equal(a, b) || slices.Min(a) < -10 || slices.Max(a) > 10 {
			t.Errorf("%s: predictions differ or leave the bounds", method)
		}
		signs, _ := must(r.Value.Uncertainty(0.95)).Readable()
		want := fmt.Sprintf("linear model of y on 3 columns; the signs of %d of 3 coefficients can be read at 0.95; NOT PRIVATE: %s", signs, demoReason)
		if fmt.Sprint(r.Value) != want {
			t.Errorf("got %q, want %q", fmt.Sprint(r.Value), want)
		}
		in, err := back.Intervals(0.9)
		if err != nil || len(in) != 4 || in[3].Name != "(intercept)" || in[0].Name != "a" || !(in[0].Lo < back.Coef[0] && back.Coef[0] < in[0].Hi) {
			t.Errorf("%s: intervals %v, %v", method, in, err)
		}
		if _, err := back.Intervals(1); !errors.Is(err, ErrParameter) {
			t.Errorf("level 1: got %v", err)
		}
	}
	blind := must(demo(t, f).Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6})).WithoutPrediction().Release(ctx))
	if _, err := blind.Value.Predict(ctx, frames.Public(f)); !errors.Is(err, ErrOrder) {
		t.Errorf("a blind model predicts: %v", err)
	}
	if _, err := blind.Value.RMSE(ctx, frames.Public(tinyFrame(t, 50, 1))); !errors.Is(err, ErrColumn) {
		t.Errorf("another label: %v", err)
	}
}

// TestLinearLedger: a ledger charges every method, LinearMixing and the baselines only with a Reserve for their
// failure, and replays.
func TestLinearLedger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := linearFrame(t, 300, 6, false)
	without := private(t, f, ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	if _, err := without.Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6, Method: models.LinearMixing})).Release(ctx); !errors.Is(err, ledger.ErrBudget) {
		t.Errorf("without a reserve: got %v, want ErrBudget", err)
	}
	if _, err := without.Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 3, Delta: 1e-5, Method: models.AdaSSP})).Release(ctx); err != nil {
		t.Errorf("AdaSSP with all of the budget: %v", err)
	}
	s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 6, Delta: 1e-5}, Neighbours: AddRemove, Dataset: "test", Reserve: 5e-6}))
	t.Cleanup(func() { _ = s.Close() })
	for _, method := range linearMethods {
		plan := s.Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6, Method: method}))
		first, err := plan.Release(ctx)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		if again := must(plan.Release(ctx)); !again.Replayed || !slices.Equal(again.Value.Coef, first.Value.Coef) {
			t.Errorf("%s: drawn again", method)
		}
	}
	if st := must(s.Status()); !(st.Spent.Epsilon > 1.5 && st.Spent.Epsilon <= 6) || st.Releases != len(linearMethods) {
		t.Errorf("spent %v in %d releases", st.Spent, st.Releases)
	}
}

// TestLinearIntervalsCover: intervals at level 1/2 and 0.95 cover the ridge solution of the rows in that share of releases, to
// 6.5 standard deviations of a binomial share: false alarm below 1e-10 for each.
func TestLinearIntervalsCover(t *testing.T) {
	ctx := context.Background()
	stages, st, err := must(Demo(linearFrame(t, 3000, 7, false), 1, AddRemove)).Data().Scale().trace()
	if err != nil {
		t.Fatal(err)
	}
	fitted := must(quote{stages: stages, end: st}.apply(ctx, linearFrame(t, 3000, 7, false), nil))
	rng := noise.New()
	const releases = 400
	for _, method := range []string{models.LinearMixing, models.AdaSSP} {
		fit := must(linear.LeastSquares{Settings: linear.Settings{Epsilon: 3, Delta: 1e-6, Method: method}}.Prepare(st))
		m := must(fit.Domain().NormalEquations(ctx, rows.InProcess{In: fitted.rows}))
		hits := map[float64]int{}
		for range releases {
			c := must(fit.Fit(m, rng))
			ridge := c.Ridge
			if f, ok := fit.(*linear.SketchFit); ok {
				ridge = f.Variance() + f.Share
			}
			target := must(m.Solve(ridge))
			model := fit.Domain().Model(st.In, c)
			at := fit.Domain().Model(st.In, linear.Coefficients{W: target.W})
			for _, level := range []float64{0.5, 0.95} {
				if in := must(model.Intervals(level))[1]; in.Lo <= at.Coef[1] && at.Coef[1] <= in.Hi {
					hits[level]++
				}
			}
		}
		for level, n := range hits {
			share, tol := float64(n)/releases, 6.5*math.Sqrt(level*(1-level)/releases)
			t.Logf("%s: %g covers in %.3f", method, level, share)
			if level-share > tol || method == models.LinearMixing && share-level > tol { // that of AdaSSP is at least the level
				t.Errorf("%s: intervals at %g cover in a share of %.3f", method, level, share)
			}
		}
	}
}

// TestBestLinearIsPublic: which method is taken, and what it costs, depends on no row.
func TestBestLinearIsPublic(t *testing.T) {
	for _, n := range []int{60, 600, 6000} {
		var costs []string
		for seed := range uint64(2) {
			cost := must(must(Demo(linearFrame(t, n, seed, false), seed, AddRemove)).Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6})).Cost())
			costs = append(costs, cost.String())
		}
		if costs[0] != costs[1] {
			t.Errorf("n = %d: %s\n%s", n, costs[0], costs[1])
		}
	}
}

func BenchmarkFitLinear(b *testing.B) {
	for _, o := range []linear.Settings{{Method: models.AdaSSP}, {Method: models.LinearMixing}, {Method: models.LinearMixing, CoefficientsOnly: true}} {
		const d, n = 50, 1000000
		cols := []frames.Column{frames.NumericLabel("y", -1, 1)}
		for j := range d {
			cols = append(cols, frames.Numeric(steps.ComponentName(j), -1, 1))
		}
		schema := must(frames.NewSchema(cols...))
		st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(n, 1, accountant.AddRemove))}
		o.Epsilon, o.Delta = 1, 1e-12
		fit := must(linear.LeastSquares{Settings: o}.Prepare(st))
		must(fit.Bill("fit"))
		z := &linear.NormalEquations{Size: d + 2, Sum: make([]float64, (d+2)*(d+2))}
		for i := range z.Size {
			z.Sum[i*z.Size+i] = n / 1e2
		}
		rng := noise.New()
		b.Run(fmt.Sprintf("draw/%s/%v", o.Method, o.CoefficientsOnly), func(b *testing.B) {
			for b.Loop() {
				must(fit.Fit(z, rng))
			}
		})
	}
}

func BenchmarkLinearMoments(b *testing.B) {
	const d, n = 50, 100000
	cols := []frames.Column{frames.NumericLabel("y", -1, 1)}
	for j := range d {
		cols = append(cols, frames.Numeric(steps.ComponentName(j), -1, 1))
	}
	schema := must(frames.NewSchema(cols...))
	r := rand.New(rand.NewPCG(1, 1))
	m := &rows.Matrix{Domain: schema, Cols: d}
	for range n {
		for range d {
			m.X = append(m.X, (r.Float64()-0.5)/10)
		}
		m.Y = append(m.Y, r.Float64())
	}
	dom := must(linear.LinearDomainOf(stage.Stage{In: schema, Before: must(pair.Start(n, 1, accountant.AddRemove))}, 1, true))
	b.Run("moments", func(b *testing.B) {
		for b.Loop() {
			must(dom.NormalEquations(context.Background(), rows.InProcess{In: m}))
		}
	})
	b.Run("Gram matrix alone", func(b *testing.B) {
		for b.Loop() {
			must(rows.GramOf(context.Background(), m, d, 1))
		}
	})
}

// TestLinearAtHugeEpsilon: at ε = 31.6 a sampler's distance from the normal law counts 5e13 times, and every method has room for it.
func TestLinearAtHugeEpsilon(t *testing.T) {
	s := must(frames.NewSchema(
		frames.Numeric("a", -1, 1), frames.Numeric("b", -1, 1), frames.Numeric("c", -1, 1), frames.NumericLabel("y", -1, 1),
	))
	for _, c := range []struct {
		n     int
		delta float64
	}{{200, 1e-7}, {2000, 1e-9}, {20000, 1e-9}} {
		r := rand.New(rand.NewPCG(1, 1))
		rows := make([][]float64, c.n)
		for i := range rows {
			rows[i] = []float64{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		}
		data := must(Demo(frameOf(t, s, rows), 1, AddRemove)).Data().Scale()
		for _, method := range []string{models.BestLinear, models.AdaSSP, models.OutputPerturbation, models.LinearMixing} {
			cost, err := data.FitLinear(linearBy(linear.Settings{Epsilon: 31.6, Delta: c.delta, Method: method})).Cost()
			if err != nil || !(cost.Guarantee.Epsilon <= 31.6 && cost.Guarantee.Delta <= c.delta) {
				t.Errorf("%d rows, %q: got %v, %v", c.n, method, cost.Guarantee, err)
			}
		}
	}
}

// TestLinearsOfEarlierLawsReplay: what a ledger holds of the laws before the mean of the label, and before fewer rows of a sketch, replays.
func TestLinearsOfEarlierLawsReplay(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]LinearMethod{
		"best": BestLinear{Epsilon: 0.5, Delta: 1e-6}, "mixing": LinearMixing{Epsilon: 0.5, Delta: 1e-6},
	} {
		t.Run(name, func(t *testing.T) {
			f := linearFrame(t, 200, 3, false)
			s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 16, Delta: 5e-2}, Reserve: 1e-2, Neighbours: ReplaceOne, Dataset: "test"}))
			defer s.Close()
			of := func() Plan[LinearModel] { return s.Data().Scale().FitLinear(how) }
			// Before, the release was made by the law whose number alone is another.
			pl := of().plan()
			req := must(pl.request(t.Context(), must(pl.quote())))
			if len(req.OldIDs) == 0 {
				t.Fatal("no identity of before")
			}
			old := must(must(Demo(f, 1, ReplaceOne)).Data().Scale().FitLinear(AdaSSP{Epsilon: 0.5, Delta: 1e-6}).Release(t.Context())).Value
			old.Intercept = 0.25
			req.ID, req.OldIDs = req.OldIDs[0], nil
			must(s.ledger.Release(t.Context(), req, func(context.Context) (json.RawMessage, error) { return json.Marshal(old) }))
			if r := must(of().Release(t.Context())); !r.Replayed || r.Value.Intercept != 0.25 {
				t.Errorf("%v, replayed %v", r.Value, r.Replayed)
			}
		})
	}
}
