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
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// tiltedModel is a logistic model of the label by one column of the data, made by hand.
func tiltedModel(p Pipeline, column int, coef, intercept float64) LogisticModel {
	s := p.s.schema
	label, _ := s.Label()
	classes := append(slices.Clone(label.Levels), "no", "yes") // of a number: a model that it has no use for
	return LogisticModel{
		Label: label.Name, Classes: [2]string(classes), Columns: []string{s.Features()[column].Name}, Coef: []float64{coef}, Intercept: intercept,
		Reader: models.Reader{Schema: s, Maps: stage.RowMap{{Select: &stage.SelectOp{Columns: []int{column}}}}},
	}
}

// tiltedModels are models by the first column at several thresholds.
func tiltedModels(p Pipeline) []Predictor {
	c := p.s.schema.Features()[0]
	var out []Predictor
	for _, share := range []float64{0.2, 0.4, 0.5, 0.6, 0.8} {
		out = append(out, tiltedModel(p, 0, 1, -(c.Lo+share*(c.Hi-c.Lo))))
	}
	return out
}

// errorsOfModels are the errors of models on rows, in units of rows.
func errorsOfModels(t testing.TB, in frames.Source, among ...Predictor) []float64 {
	t.Helper()
	out := make([]float64, len(among))
	var lanes []func([]float64, float64) int64
	for _, m := range among {
		lanes = append(lanes, must(models.NewCandidate(m).Judge(in.Schema())).Lane())
	}
	sums := must(rows.IntegerSums(t.Context(), rows.InProcess{In: in}, len(lanes), func() func([]int64, []float64, float64) {
		return func(sums []int64, row []float64, y float64) {
			for i, lane := range lanes {
				sums[i] += lane(row, y)
			}
		}
	}))
	for i, v := range sums {
		out[i] = float64(v) / models.PenaltyUnit
	}
	return out
}

// TestChooseCountsAsModelsPredict: errors of every kind of model are those of its predictions on the same rows, had they been public.
func TestChooseCountsAsModelsPredict(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	people, prices := tinyFrame(t, 400, 5), priceFrame(t, 400)
	filled := func(f *frames.Frame) Pipeline {
		return must(Demo(f, 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale()
	}
	o := ByObjective{Epsilon: 2, Delta: 1e-6}
	p, q := filled(people), filled(prices)
	logistic := must(p.FitLogistic(ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 10}).Release(ctx)).Value
	hinge := must(p.FitHinge(HingeLoss{}, o).Release(ctx)).Value
	several := must(p.FitMultinomial(o).Release(ctx)).Value
	margin := must(p.FitConvex(LogLoss{}, ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 5}).Release(ctx)).Value
	softmax := must(p.FitConvex(SoftmaxLoss{}, ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 5}).Release(ctx)).Value
	reported := must(p.FitLogisticWithReport(o, PrivacyReport{Rho: 1e-9}).Release(ctx)).Value
	linear := must(q.FitLinear(BestLinear{Epsilon: 2, Delta: 1e-6}).Release(ctx)).Value
	squares := must(q.FitConvex(SquaredLoss{}, ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 5}).Release(ctx)).Value
	for _, c := range []struct {
		name string
		m    Predictor
		on   *frames.Frame
		want func(test *frames.PublicFrame) (float64, error) // accuracy, or RMSE
	}{
		{"logistic", logistic, people, func(f *frames.PublicFrame) (float64, error) { return logistic.Accuracy(ctx, f) }},
		{"hinge", hinge, people, func(f *frames.PublicFrame) (float64, error) { return hinge.Accuracy(ctx, f) }},
		{"multinomial", several, people, func(f *frames.PublicFrame) (float64, error) { return several.Accuracy(ctx, f) }},
		{"margins", margin, people, func(f *frames.PublicFrame) (float64, error) { return margin.Accuracy(ctx, f) }},
		{"softmax", &softmax, people, func(f *frames.PublicFrame) (float64, error) { return softmax.Accuracy(ctx, f) }},
		{"reported", reported, people, func(f *frames.PublicFrame) (float64, error) { return reported.Accuracy(ctx, f) }},
		{"linear", linear, prices, func(f *frames.PublicFrame) (float64, error) { return linear.RMSE(ctx, f) }},
		{"squares", squares, prices, func(f *frames.PublicFrame) (float64, error) { return squares.RMSE(ctx, f) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, n := must(c.want(frames.Public(c.on))), 400.
			got := errorsOfModels(t, c.on, c.m)[0]
			if c.on == people {
				want = n * (1 - want)
			} else {
				want = n * want * want / (50 * 50)
			}
			if math.Abs(got-want) > n/models.PenaltyUnit+1e-9 {
				t.Errorf("errors of %v rows, want %v", got, want)
			}
			if k := models.NewCandidate(c.m); k.Short() == "nil" || strings.Contains(k.Text(), "nil") || k.Bare().Bare().Text() != k.Bare().Text() {
				t.Errorf("candidate %v", k)
			}
		})
	}
	exact := must(must(OnPublic(frames.Public(prices))).Data().Choose(Target{}, linear, squares).Release(ctx)).Value
	if e := errorsOfModels(t, prices, linear, squares); e[exact.Index] > e[1-exact.Index] || exact.Rate != 0 || exact.Scale != 2500 {
		t.Errorf("on public rows %v of errors %v", exact, e)
	}
}

// TestChooseOddRows: a row of which a model makes no number is wrong, and no error; wherever it is, errors are between 0 and 1.
func TestChooseOddRows(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.NumericLabel("y", 0, 1)))
	f := frameOf(t, s, [][]float64{{nan, 0}, {nan, 1}, {0, 0.5}, {1, 1}})
	reader := models.Reader{Schema: s}
	line := func(coef, at float64) LinearModel {
		return LinearModel{Label: "y", Hi: 1, Columns: []string{"x"}, Coef: []float64{coef}, Intercept: at, Reader: reader}
	}
	got := errorsOfModels(t, f, line(0, 0), line(1, 0), line(-1e308, -1e308), RateModel{Label: "y", MaxCount: 1e300, Columns: []string{"x"}, Coef: []float64{5000}, Reader: reader})
	if want := []float64{3.25, 2.25, 3.25, 2.25}; !slices.Equal(got, want) {
		t.Errorf("errors %v, want %v", got, want)
	}
	overflows := line(1e308, 0)
	overflows.Maps = stage.RowMap{{Affine: &stage.AffineOp{Shift: []float64{0}, Scale: []float64{1e308}}}}
	overflows.Intercept = math.Inf(-1)
	if _, err := models.NewCandidate(overflows).Judge(s); err == nil || !strings.Contains(err.Error(), "no finite numbers") {
		t.Errorf("an intercept of −∞: %v", err)
	}
	overflows.Intercept = -1
	if e := errorsOfModels(t, f, overflows)[0]; !(e >= 2 && e <= 4) {
		t.Errorf("a model that overflows: %v", e)
	}
}

// TestAttackChoose searches for neighbours on which the exact law of the choice breaks the price: the log ratios of all models span
// 2ηΔ at most. Models are wild, rows are missing, tied, removed, and displaced by steps.
func TestAttackChoose(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 7))
	class := must(frames.NewSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.Label("y", "no", "yes")))
	number := must(frames.NewSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.NumericLabel("y", -2, 2)))
	draw := func() float64 {
		switch k := r.IntN(8); {
		case k < 6:
			return float64(k) / 5
		case k == 6:
			return math.NaN()
		}
		return r.Float64()
	}
	for _, s := range []frames.Schema{class, number} {
		label, _ := s.Label()
		row := func() []float64 {
			if len(label.Levels) > 0 {
				return []float64{draw(), float64(r.IntN(2))}
			}
			return []float64{draw(), label.Lo + float64(r.IntN(5))}
		}
		for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
			p := must(Demo(frameOf(t, s, slices.Repeat([][]float64{{0, 0}}, 2000)), 1, rel)).Data()
			displaced := p.Impute(Mean{MaxMissing: Declare(3)}, "x")
			for name, chain := range map[string]Pipeline{"clean": p, "displaced": displaced} {
				var among []Predictor
				for _, coef := range []float64{-1e9, -1, 0, 1, 1e9} {
					if len(label.Levels) > 0 {
						among = append(among, tiltedModel(p, 0, coef, -coef/2+1e-9*(1+coef)))
					} else {
						among = append(among, LinearModel{Label: "y", Lo: -2, Hi: 2, Columns: []string{"x"}, Coef: []float64{coef}, Intercept: coef / 7, Reader: models.Reader{Schema: s}})
					}
				}
				plan := chain.Choose(Target{Epsilon: 2000}, among...).plan() // so that ever so many displaced rows leave a choice
				q := must(plan.quote())
				eta, bound := q.price.Cost.Constants[1].Value, q.price.Event.(accountant.Exponential).Epsilon
				worst, many := 0.0, q.end.Before.M
				for range 200 {
					n := 8
					x := make([][]float64, n)
					for i := range x {
						x[i] = row()
					}
					y := slices.Clone(x)
					y[0] = row()
					if name == "displaced" { // a fill moves cells, never labels
						for i := 1; i <= min(many, n-1); i++ {
							x[i] = slices.Clone(x[i])
							y[i] = slices.Clone(x[i])
							x[i][0], y[i][0] = float64(r.IntN(2)), float64(r.IntN(2))
						}
					}
					removed := make([]bool, n)
					for i := 1; i < n; i++ {
						removed[i] = r.IntN(4) == 0
					}
					of := func(rows_ [][]float64, without bool) *rows.Matrix {
						m := matrixOf(rows_)
						m.Domain = s
						for i, gone := range removed {
							if gone || i == 0 && without {
								m.Remove(i)
							}
						}
						return m
					}
					a, b := errorsOfModels(t, of(x, rel == AddRemove || r.IntN(4) == 0), among...), errorsOfModels(t, of(y, false), among...)
					lo, hi := math.Inf(1), math.Inf(-1)
					for k := range a {
						lo, hi = min(lo, (a[k]-b[k])*eta), max(hi, (a[k]-b[k])*eta)
					}
					worst = max(worst, (hi-lo)/bound)
				}
				t.Logf("%s, %v, %s: worst observed/bound %.3f", label.Name+fmt.Sprint(label.Levels), rel, name, worst)
				if !(worst <= 1) || name == "clean" && worst < 0.5 {
					t.Errorf("%v, %v, %s: observed/bound is %v", label.Levels, rel, name, worst)
				}
			}
		}
	}
}

// TestChooseCost: at δ = 0 the range is the target, and rows that steps displace are paid for where models read what is displaced.
func TestChooseCost(t *testing.T) {
	data := func(rel accountant.Neighbours) Pipeline { return must(Demo(tinyFrame(t, 2000, 5), 1, rel)).Data() }
	of := func(p Pipeline, t Target) Plan[Choice] { return p.Choose(t, tiltedModels(p)...) }
	for _, c := range []struct {
		name   string
		plan   Plan[Choice]
		lo, hi float64 // of η
	}{
		{"replace-one", of(data(ReplaceOne), Target{Epsilon: 2}), 0.9999999, 1},
		{"add/remove", of(data(AddRemove), Target{Epsilon: 2}), 1.9999999, 2},
		{"behind removed rows", of(data(ReplaceOne).Where(Between("age", 20, 60)), Target{Epsilon: 2}), 0.9999999, 1},
		{"behind a fit of another column", of(data(ReplaceOne).Impute(Mean{}, "pay"), Target{Epsilon: 2}), 0.9999999, 1},
		{"δ", of(data(ReplaceOne), Target{Epsilon: 2, Delta: 1e-6}), 1, 1.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := must(c.plan.Cost())
			if eta := cost.Release.Constants[1].Value; !(eta >= c.lo && eta <= c.hi) {
				t.Errorf("η = %v, want in [%v, %v]", eta, c.lo, c.hi)
			}
			if g := cost.Guarantee.Epsilon; !(g <= 2 && g > 1.999999) {
				t.Errorf("ε = %v, want 2 at most", g)
			}
			p := must(c.plan.Error(0.95))
			v := must(c.plan.Release(t.Context())).Value
			if m := must(v.Margin(0.95)); p.Margin[0] != m || !(math.Abs(m*v.Rate-math.Log(4)-math.Log(20)) < 1e-9) || v.Unread != "" {
				t.Errorf("predicted within %v, released %v within %v", p.Margin, v, m)
			}
		})
	}
	byPay := func(p Pipeline) []Predictor {
		return []Predictor{tiltedModel(p, 2, 1, 0), tiltedModel(p, 2, -1, 0)}
	}
	p := data(ReplaceOne)
	behind := must(p.Impute(Mean{MaxMissing: Declare(30)}, "pay").Choose(Target{Epsilon: 100}, byPay(p)...).Cost())
	if s := behind.Release; s.Sensitivity != s.FreeSensitivity+30 || !strings.Contains(s.Reference, "every displaced row") {
		t.Errorf("behind a fit of the column that models read: %+v", s)
	}
}

// unreadable is a source whose rows nobody may read.
type unreadable struct{ frames.Source }

func (unreadable) Scan(context.Context, func(*frames.Block) error) error {
	return errors.New("a row was read")
}

// TestChooseWithoutReading: below n·η = 1000 the release reads no row and charges nothing, says so, and takes the model whose release
// was predicted to be off least.
func TestChooseWithoutReading(t *testing.T) {
	t.Parallel()
	s := private(t, tinyFrame(t, 3000, 5), ledgerPath(t), Budget{Epsilon: 9, Delta: 1e-5})
	d := s.Data()
	chain := d.OneHot().Impute(Midpoint{}).Scale()
	loud := must(chain.FitLogistic(ByObjective{Epsilon: 0.1, Delta: 1e-7}).Release(t.Context()))
	quiet := must(chain.FitLogistic(ByObjective{Epsilon: 2, Delta: 1e-7}).Release(t.Context()))
	narrow := must(d.Select("age").Scale().FitLogistic(ByObjective{Epsilon: 2, Delta: 1e-7}).Release(t.Context()))
	for name, r := range map[string]Result[LogisticModel]{"loud": loud, "quiet": quiet} {
		if r.Value.PredictedOf == "" || !(r.Value.Predicted > 0) {
			t.Errorf("%s: a model without what was predicted of it: %+v", name, r.Value.Provenance)
		}
	}
	before := must(s.Status())
	src := s.src
	s.src = unreadable{src}
	plan := d.Choose(Target{Epsilon: 0.6}, loud.Value, quiet.Value)
	r := must(plan.Release(t.Context()))
	if after := must(s.Status()); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("it was charged: %v, before %v", after, before)
	}
	if !strings.Contains(r.String(), "no row was read and nothing was charged") {
		t.Errorf("it says %v", r)
	}
	const why = "too few rows to choose by: n·η = 900, want at least 1000"
	switch g := r.Guarantee; {
	case r.Value.Index != 1 || !strings.Contains(r.Value.Unread, why) || g.Epsilon != 0 || g.Delta != 0 || r.Entry != "":
		t.Errorf("%+v", r)
	case !strings.Contains(r.Value.String(), why) || !strings.Contains(must(plan.Explain()), why) || !slices.ContainsFunc(r.Cost.Warnings, func(w string) bool { return strings.Contains(w, why) }):
		t.Errorf("it does not say so: %v\n%s\n%v", r.Value, must(plan.Explain()), r.Cost.Warnings)
	}
	if _, err := plan.Error(0.95); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("predicted: %v", err)
	}
	if _, err := r.Value.Margin(0.95); err == nil {
		t.Error("it has a margin")
	}
	if v := must(d.Choose(Target{Epsilon: 0.6}, quiet.Value, loud.Value).Release(t.Context())).Value; v.Index != 0 {
		t.Errorf("the other way round: %v", v)
	}
	if v := must(d.Choose(Target{Epsilon: 0.6}, loud.Value, narrow.Value).Release(t.Context())).Value; v.Index != 0 {
		t.Errorf("beside a model of fewer columns: %v", v)
	}
	if v := must(d.Choose(Target{Epsilon: 0.6}, tiltedModel(d, 0, 1, -50), loud.Value, quiet.Value).Release(t.Context())).Value; v.Index != 0 {
		t.Errorf("beside a model of which nothing is predicted: %v", v)
	}
	if _, err := d.Choose(Target{Epsilon: 0.7}, loud.Value, quiet.Value).Release(t.Context()); err == nil || !strings.Contains(err.Error(), "a row was read") {
		t.Errorf("with enough of ε: %v", err)
	}
	s.src = src
	within := d.Choose(Target{}.Within(8, 0.9), loud.Value, quiet.Value)
	if m := must(within.Error(0.9)).Margin[0]; !(m <= 8) {
		t.Errorf("within 8 rows: %v", m)
	}
	// Beside others under one ε it takes no part of it.
	count := d.Count(Target{}, Is("income", "high"))
	both := Together(Target{Epsilon: 0.5, Delta: 1e-7}, count, d.Choose(Target{}, loud.Value, quiet.Value))
	joint := must(both.Release(t.Context()))
	if v := must(d.Choose(Target{}, loud.Value, quiet.Value).Of(joint)).Value; v.Unread == "" || v.Index != 1 {
		t.Errorf("beside another release: %v", v)
	}
}

// TestChooseFindsTheBetter: at level 0.95 the chosen model is within the margin in at least 95 % of the releases; of 400 fewer than 88 %
// are with probability below 1e-9 (binomial).
func TestChooseFindsTheBetter(t *testing.T) {
	f := tinyFrame(t, 3000, 9)
	d := must(Demo(f, 3, AddRemove)).Data()
	among := tiltedModels(d)
	errs := errorsOfModels(t, f, among...)
	plan := d.Choose(Target{Epsilon: 0.4}, among...)
	within, hits := must(plan.Error(0.95)).Margin[0], 0
	found := map[int]bool{}
	for _, v := range must(plan.Replicate(t.Context(), 400)) {
		found[v.Index] = true
		if errs[v.Index]-slices.Min(errs) <= within {
			hits++
		}
	}
	if hits < 352 || len(found) < 2 {
		t.Errorf("%d of 400 within %v rows; chosen %v of errors %v", hits, within, found, errs)
	}
}

// TestChooseIdentity: where a model came from tells no releases apart, what it predicts does; and a stored choice replays.
func TestChooseIdentity(t *testing.T) {
	s := private(t, tinyFrame(t, 2000, 5), ledgerPath(t), Budget{Epsilon: 60, Delta: 1e-5})
	d := s.Data()
	among := tiltedModels(d)
	first := must(d.Choose(Target{Epsilon: 2}, among...).Release(t.Context()))
	named := tiltedModels(d)
	other := named[0].(LogisticModel)
	other.Provenance = Provenance{Release: "FitLogistic(ε = 1, δ = 1e-06)", NotPrivate: "made by hand"}
	named[0] = other
	again := must(d.Choose(Target{Epsilon: 2}, named...).Release(t.Context()))
	if !again.Replayed || again.Value.Index != first.Value.Index || again.Entry != first.Entry {
		t.Errorf("got %v, want a replay of %v", again, first)
	}
	parsed := must(Parse[Choice](s, d.Choose(Target{Epsilon: 2}, named...).String()))
	if r := must(parsed.Release(t.Context())); !r.Replayed {
		t.Errorf("the plan that was read back was drawn anew: %v", r)
	}
	other.Coef = []float64{math.Nextafter(1, 2)}
	named[0] = other
	if r := must(d.Choose(Target{Epsilon: 2}, named...).Release(t.Context())); r.Replayed {
		t.Error("another model replayed")
	}
	for i, r := range []Result[Choice]{first, parsedOf(t, s, among[:2], "a demonstration", Provenance{NotPrivate: demoReason})} {
		if g := r.Guarantee.Scope; g.Kind != accountant.Conditional || len(g.On) != []int{5, 2}[i] || !strings.Contains(g.On[0], "model 1 of the choice") {
			t.Errorf("models that no private release made: %v", g)
		}
	}
	released := Provenance{Guarantee: &first.Guarantee}
	if g := parsedOf(t, s, among[:2], "released", released).Guarantee.Scope; g.Kind != accountant.Unconditional {
		t.Errorf("models of private releases: %v", g)
	}
	others := first.Guarantee
	others.Unit = accountant.PerPerson // a person's rows may have moved it, each of them by its own ε
	if g := parsedOf(t, s, among[:2], "of people", Provenance{Guarantee: &others}).Guarantee.Scope; g.Kind != accountant.Conditional || !strings.Contains(g.On[0], "private per person") {
		t.Errorf("models that are private per person, chosen among per row: %v", g)
	}
	if g := must(demo(t, tinyFrame(t, 2000, 5)).Data().Choose(Target{Epsilon: 2}, from(among[0], Provenance{NotPrivate: demoReason}), from(among[1], Provenance{NotPrivate: demoReason})).Cost()).Guarantee; g.Scope.Kind != accountant.Unconditional {
		t.Errorf("in a demonstration: %v", g)
	}
	var back Choice
	if err := json.Unmarshal(must(json.Marshal(first.Value)), &back); err != nil || back.String() != first.Value.String() {
		t.Errorf("%v, %v", back, err)
	}
}

// from is a model that came from there.
func from(m Predictor, o Provenance) Predictor {
	l := m.(LogisticModel)
	l.Provenance = o
	return l
}

// parsedOf releases a choice among models that came from there, by its text.
func parsedOf(t *testing.T, s *Session, among []Predictor, name string, o Provenance) Result[Choice] {
	t.Helper()
	plan := s.Data().Choose(Target{Epsilon: 2}, from(among[0], o), from(among[1], o)).Named(name)
	return must(must(Parse[Choice](s, plan.String())).Release(t.Context()))
}

// TestChooseMistakes: each is reported with its position and what to do, and nothing of the rows.
func TestChooseMistakes(t *testing.T) {
	d := must(Demo(tinyFrame(t, 2000, 5), 1, ReplaceOne)).Data()
	good, more := tiltedModel(d, 0, 1, -50), tiltedModel(d, 0, 1, -60)
	with := func(change func(m *LogisticModel)) LogisticModel {
		m := tiltedModel(d, 0, 2, -50)
		change(&m)
		return m
	}
	two := Target{Epsilon: 2}
	for _, c := range []struct {
		name string
		plan Plan[Choice]
		says string
		is   error
	}{
		{"one model", d.Choose(two, good), "want at least 2", ErrParameter},
		{"none", d.Choose(two), "want at least 2", ErrParameter},
		{"nil", d.Choose(two, good, nil), "model 2 of 2: got none", ErrParameter},
		{"a nil pointer", d.Choose(two, (*LogisticModel)(nil), good), "model 1 of 2: got none", ErrParameter},
		{"twice", d.Choose(two, good, more, &good), "model 3 of 3: it is model 1 again", ErrParameter},
		{"another label", d.Choose(two, good, with(func(m *LogisticModel) { m.Label = "home" })), `model 2 of 2: it predicts "home", which is not the label`, ErrColumn},
		{"other classes", d.Choose(two, good, with(func(m *LogisticModel) { m.Classes = [2]string{"high", "low"} })), "want [\"high\" \"low\"] in this order", ErrColumn},
		{"a number", d.Choose(two, good, LinearModel{Label: "income", Hi: 1}), "model 2 of 2", ErrColumn},
		{"without prediction", d.Choose(two, good, with(func(m *LogisticModel) { m.Reader = models.Reader{} })), "released without prediction", ErrOrder},
		{"no number", d.Choose(two, good, with(func(m *LogisticModel) { m.Coef = []float64{nan} })), "model 2 of 2: its coefficients", ErrParameter},
		{"behind Scale", d.OneHot().Impute(Midpoint{}).Scale().Choose(two, good, more), `feature "age": got bounds [-0.5, 0.5], want [17, 90]`, ErrOrder},
		{"of a column that is gone", d.Drop("age").Choose(two, good, more), `got rows without "age"`, ErrColumn},
		{"behind OneHot", d.OneHot().Choose(two, tiltedModel(d, 1, 1, 0), tiltedModel(d, 1, 2, 0)), "model 1 of 2", ErrColumn},
		{"no ε", d.Choose(Target{}, good, more), "epsilon", accountant.ErrEpsilon},
		{"noise", d.Choose(Target{Epsilon: 1, Noise: NoiseLaplace}, good, more), "want none", ErrParameter},
		{"tiny ε", d.Choose(Target{Epsilon: 1e-15}, good, more), "drawn exactly", ErrParameter},
		{"behind a private query", d.Impute(PrivateMean{Share: 0.1}, "pay").Choose(two, good, more), "steps could share", ErrOrder},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.plan.Cost()
			if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("got %v, want one that says %q and wraps %v", err, c.says, c.is)
			}
			if _, err := c.plan.Release(t.Context()); err == nil {
				t.Error("it was released")
			}
		})
	}
	if _, err := (Choice{}).Margin(1); !errors.Is(err, ErrParameter) {
		t.Errorf("level 1: %v", err)
	}
	if _, err := (Choice{Rate: 1, Models: []string{"a"}}).Margin(0.5); !errors.Is(err, ErrParameter) {
		t.Errorf("a damaged choice: %v", err)
	}
	if _, err := Parse[Choice](d.s, `Choose(ε = 1, {"format":"dpkit.Table"}, {})`); !errors.Is(err, ErrParameter) {
		t.Errorf("a table as a model: %v", err)
	}
}
