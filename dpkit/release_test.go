package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

func standard(s *Session, o ByGradient) Plan[LogisticModel] {
	return s.Data().OneHot().Impute(Mean{}).Scale().FitLogistic(o)
}

func TestReleaseReplays(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 60, 1)
	path := ledgerPath(t)
	budget := Budget{Epsilon: 3, Delta: 1e-5}
	target := ByGradient{Epsilon: 1, Delta: 1e-6}
	first := must(standard(private(t, f, path, budget), target).Release(ctx))
	if first.Replayed || first.NotPrivate != "" || first.Guarantee.Epsilon > 1 || first.Status.Releases != 1 {
		t.Fatalf("first release: %+v", first.Status)
	}

	// A cell that runs again is another process: another session over the same ledger.
	again := must(standard(private(t, f, path, budget), target).Release(ctx))
	if !again.Replayed || !slices.Equal(again.Value.Coef, first.Value.Coef) || again.Value.Intercept != first.Value.Intercept {
		t.Error("the same release was drawn again")
	}
	if again.Status.Spent != first.Status.Spent || again.Status.Releases != 1 {
		t.Errorf("a replay was charged: %v, then %v", first.Status.Spent, again.Status.Spent)
	}
	if again.Value.Schema.Len() == 0 || len(again.Value.Maps) == 0 {
		t.Error("a replayed model cannot read raw rows")
	}

	// Anything that changes the release makes it another one.
	other := tinyFrame(t, 60, 2)
	s := private(t, f, path, Budget{Epsilon: 3, Delta: 1e-5})
	if _, err := standard(private(t, other, path, budget), target).Release(ctx); !errors.Is(err, ledger.ErrDataset) {
		t.Errorf("other data: got %v, want ErrDataset", err)
	}
	second := must(Create(other, Options{Ledger: path, Budget: budget, Neighbours: ReplaceOne, Dataset: "test", Version: "second"}))
	defer second.Close()
	for _, c := range []struct {
		name string
		plan Plan[LogisticModel]
	}{
		{"another ε", standard(s, ByGradient{Epsilon: 0.5, Delta: 1e-6})},
		{"another parameter", standard(s, ByGradient{Epsilon: 1, Delta: 1e-6, Clip: 0.6})},
		{"another chain", s.Data().OneHot().Impute(Midpoint{}).Scale().FitLogistic(target)},
		{"a name", standard(s, target).Named("model")},
		{"fresh", standard(s, target).Fresh()},
		{"other data, named as another version", standard(second, target)},
	} {
		r, err := c.plan.Release(ctx)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Replayed {
			t.Errorf("%s: replayed, want a new draw", c.name)
		}
		if slices.Equal(r.Value.Coef, first.Value.Coef) {
			t.Errorf("%s: the same coefficients came out", c.name)
		}
	}
	// After all these, the first one replays still; a fresh one replaced it.
	if r := must(standard(s, target).Release(ctx)); !r.Replayed {
		t.Error("drawn again")
	}
}

func TestBudgetExceeded(t *testing.T) {
	ctx := context.Background()
	s := private(t, tinyFrame(t, 60, 1), ledgerPath(t), Budget{Epsilon: 1.2, Delta: 1e-5})
	if _, err := standard(s, ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx); err != nil {
		t.Fatal(err)
	}
	before := must(s.Status())
	_, err := standard(s, ByGradient{Epsilon: 1.1, Delta: 1e-6}).Release(ctx)
	for of, sentinel := range map[string]error{"dpkit": ErrBudget, "accountant": accountant.ErrBudget, "ledger": ledger.ErrBudget} {
		if !errors.Is(err, sentinel) {
			t.Fatalf("got %v, want ErrBudget of %s", err, of)
		}
	}
	after := must(s.Status())
	if before.Spent != after.Spent || before.Releases != after.Releases {
		t.Errorf("a refused release was charged: %v, then %v", before, after)
	}
	if r := must(standard(s, ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx)); !r.Replayed {
		t.Error("a spent budget stops a replay")
	}
}

// TestWholeBudget: a release may ask for all that the ledger has, once.
func TestWholeBudget(t *testing.T) {
	ctx := context.Background()
	for _, b := range []Budget{{Epsilon: 1, Delta: 1e-6}, {Epsilon: 0.01, Delta: 1e-9}, {Epsilon: 8, Delta: 1e-3}} {
		s := private(t, tinyFrame(t, 60, 1), ledgerPath(t), b)
		if _, err := standard(s, ByGradient{Epsilon: b.Epsilon, Delta: b.Delta}).Release(ctx); err != nil {
			t.Errorf("%v: %v", b, err)
		}
		if _, err := standard(s, ByGradient{Epsilon: b.Epsilon / 1000, Delta: b.Delta}).Release(ctx); !errors.Is(err, ledger.ErrBudget) {
			t.Errorf("%v: after all was spent: got %v, want ErrBudget", b, err)
		}
	}
}

func TestSessions(t *testing.T) {
	f := tinyFrame(t, 20, 1)
	budget := Budget{Epsilon: 1, Delta: 1e-5}
	path := ledgerPath(t)
	good := Options{Ledger: path, Budget: budget, Neighbours: ReplaceOne, Dataset: "test"}
	if s := must(Create(f, good)); s.Close() != nil {
		t.Fatal("close")
	}
	with := func(change func(*Options)) Options { o := good; change(&o); return o }
	damaged := filepath.Join(t.TempDir(), "damaged.ledger")
	if err := os.WriteFile(damaged, []byte("{\"format\":\"dpnb-ledger\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		open func() (*Session, error)
		want error
		text string
	}{
		{"the same options", func() (*Session, error) { return Create(f, good) }, nil, ""},
		{"open", func() (*Session, error) { return Open(f, path) }, nil, ""},
		{"another budget", func() (*Session, error) {
			return Create(f, with(func(o *Options) { o.Budget.Epsilon = 2 }))
		}, ledger.ErrConfig, ""},
		{"another relation", func() (*Session, error) {
			return Create(f, with(func(o *Options) { o.Neighbours = AddRemove }))
		}, ledger.ErrConfig, ""},
		{"no path", func() (*Session, error) { return Create(f, with(func(o *Options) { o.Ledger = "" })) }, ErrParameter, "Ledger"},
		{"no relation", func() (*Session, error) { return Create(f, with(func(o *Options) { o.Neighbours = 0 })) }, nil, "Options.Neighbours is not set"},
		{"no relation: what one of them says", func() (*Session, error) { return Create(f, with(func(o *Options) { o.Neighbours = 0 })) }, nil, "AddRemove (one row is zeroed out and contributes nothing; the number of rows stays public, and no row is deleted from the file)"},
		{"an unknown relation", func() (*Session, error) { return Create(f, with(func(o *Options) { o.Neighbours = 7 })) }, nil, "not deleted from the file"},
		{"no frame", func() (*Session, error) { return Create(nil, good) }, ErrParameter, "frame"},
		{"missing ledger", func() (*Session, error) { return Open(f, path+".none") }, ledger.ErrMissing, ""},
		{"damaged ledger", func() (*Session, error) { return Open(f, damaged) }, ledger.ErrDamaged, ""},
		{"create over a damaged ledger", func() (*Session, error) {
			return Create(f, with(func(o *Options) { o.Ledger = damaged }))
		}, ledger.ErrDamaged, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.open()
			switch {
			case c.want == nil && c.text == "":
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			case err == nil:
				t.Fatal("got no error")
			case c.want != nil && !errors.Is(err, c.want):
				t.Errorf("got %v, want %v", err, c.want)
			case !strings.Contains(err.Error(), c.text):
				t.Errorf("got %v, want it to name %q", err, c.text)
			}
		})
	}
}

func TestNotPrivateResultsSaySo(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 60, 1)
	target := ByGradient{Epsilon: 1, Delta: 1e-6}
	a := must(standard(must(Demo(f, 7, ReplaceOne)), target).Release(ctx))
	b := must(standard(must(Demo(f, 7, ReplaceOne)), target).Release(ctx))
	if !slices.Equal(a.Value.Coef, b.Value.Coef) {
		t.Error("a demonstration is not reproducible")
	}
	c := must(standard(must(OnPublic(frames.Public(f))), ByGradient{}).Release(ctx))
	for name, r := range map[string]Result[LogisticModel]{"demo": a, "public": c} {
		if r.NotPrivate == "" || !strings.Contains(r.String(), "NOT PRIVATE") || r.Guarantee.Epsilon != 0 {
			t.Errorf("%s: %q claims a guarantee", name, r)
		}
	}
	if _, err := must(Demo(f, 7, ReplaceOne)).Status(); err == nil {
		t.Error("a demonstration has a ledger")
	}
}

func TestZeroResultClaimsNothing(t *testing.T) {
	s := private(t, tinyFrame(t, 60, 1), ledgerPath(t), Budget{Epsilon: 1, Delta: 1e-5})
	r, err := standard(s, ByGradient{Epsilon: 2, Delta: 1e-5}).Release(context.Background())
	if !errors.Is(err, ledger.ErrBudget) {
		t.Fatalf("got %v, want ErrBudget", err)
	}
	if got := r.String(); got != "no release" {
		t.Errorf("beside an error the result prints %q", got)
	}
}

// TestPredictRefusesOtherLevels: codes of other levels, or of the same in another order, would be
// read as the model's without a sign.
func TestPredictRefusesOtherLevels(t *testing.T) {
	ctx := context.Background()
	r := must(standard(must(Demo(tinyFrame(t, 60, 1), 7, ReplaceOne)), ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx))
	row := [][]float64{{30, 0, 1, 0, 1}}
	columns := func(change func([]frames.Column)) *frames.PublicFrame {
		cols := slices.Clone(tinySchema(t).Columns())
		change(cols)
		return frames.Public(frameOf(t, must(frames.NewSchema(cols...)), row))
	}
	for _, c := range []struct {
		name    string
		data    *frames.PublicFrame
		predict error
		score   error
	}{
		{"the same", columns(func([]frames.Column) {}), nil, nil},
		{"other bounds", columns(func(c []frames.Column) { c[0].Hi = 120 }), nil, nil},
		{"levels in another order", columns(func(c []frames.Column) { c[1].Levels = []string{"b", "a", "c"} }), ErrColumn, ErrColumn},
		{"a level more", columns(func(c []frames.Column) { c[3].Levels = []string{"x", "y", "z"} }), ErrColumn, ErrColumn},
		{"a number for a category", columns(func(c []frames.Column) { c[1] = frames.Numeric("work", 0, 2).MayMiss() }), ErrColumn, ErrColumn},
		{"classes in another order", columns(func(c []frames.Column) { c[4].Levels = []string{"high", "low"} }), nil, ErrColumn},
		{"no frame", nil, ErrParameter, ErrParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := r.Value.Predict(ctx, c.data); !errors.Is(err, c.predict) {
				t.Errorf("Predict: got %v, want %v", err, c.predict)
			}
			if _, err := r.Value.Accuracy(ctx, c.data); !errors.Is(err, c.score) {
				t.Errorf("Accuracy: got %v, want %v", err, c.score)
			}
		})
	}
}

// TestPublicFitIsTheOptimum: the gradient of the penalised loss vanishes there.
func TestPublicFitIsTheOptimum(t *testing.T) {
	ctx := context.Background()
	s := must(OnPublic(frames.Public(tinyFrame(t, 300, 1))))
	stages, end, err := s.Data().OneHot().Impute(Mean{}).Scale().trace()
	if err != nil {
		t.Fatal(err)
	}
	q := quote{stages: stages, end: end}
	fitted, err := q.apply(ctx, s.src, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := fitted.rows.(*rows.Matrix)
	for name, o := range map[string]ByGradient{"with an intercept": {}, "without": {NoIntercept: true}} {
		r := must(standard(s, o).Release(ctx))
		if o.NoIntercept && r.Value.Intercept != 0 {
			t.Errorf("%s: the intercept is %v", name, r.Value.Intercept)
		}
		grad := make([]float64, len(r.Value.Coef)+1)
		for i := range x.Rows() {
			m := r.Value.Intercept + glm.Dot(x.Row(i), r.Value.Coef)
			g := models.Sigmoid(m) - x.Y[i]
			for j, v := range x.Row(i) {
				grad[j] += g * v / float64(x.Rows())
			}
			grad[len(grad)-1] += g / float64(x.Rows())
		}
		same := must(s.Data().OneHot().Impute(Mean{}).Scale().FitConvex(LogLoss{}, ByGradient{NoIntercept: o.NoIntercept}).Release(ctx)).Value
		if !slices.Equal(same.Coef[0], r.Value.Coef) || same.Intercept[0] != r.Value.Intercept {
			t.Errorf("%s: FitConvex has another optimum, %v and %v", name, same.Coef, same.Intercept)
		}
		c := domain.InterceptHeight * end.Before.R
		for j, g := range grad {
			switch {
			case j < len(r.Value.Coef):
				g += domain.PublicRidge * r.Value.Coef[j]
			case o.NoIntercept:
				continue
			default:
				g = g*c + domain.PublicRidge*r.Value.Intercept/c
			}
			if math.Abs(g) > 1e-12 {
				t.Errorf("%s, coordinate %d: gradient %v", name, j, g)
			}
		}
	}
}

func TestModelSurvivesJSON(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 60, 1)
	// Every kind of public row operation stands in this chain.
	r := must(must(Demo(f, 7, ReplaceOne)).Data().ClipColumns(0, 3, "pay").Quantize(0.5, "age").OneHot().Indicate().Impute(Mean{}, "work").
		Impute(TrimmedMean{Trim: 0.1}, "pay").Impute(Midpoint{}).Drop("home").Scale().ClipNorm(0.9).PCA(SoftThreshold{Lambda: 0.01}).
		FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx))
	var m LogisticModel
	if err := json.Unmarshal(must(json.Marshal(r.Value)), &m); err != nil {
		t.Fatal(err)
	}
	want, got := must(r.Value.Predict(ctx, frames.Public(f))), must(m.Predict(ctx, frames.Public(f)))
	if !slices.Equal(want, got) {
		t.Error("predictions differ after a round trip")
	}
	for _, p := range got {
		if !(p >= 0 && p <= 1) {
			t.Fatalf("probability %v", p)
		}
	}
	other, err := frames.NewSchema(frames.Numeric("x", 0, 1), frames.Label("income", "low", "high"))
	if err != nil {
		t.Fatal(err)
	}
	g := frameOf(t, other, [][]float64{{0.5, 1}})
	if _, err := m.Predict(ctx, frames.Public(g)); !errors.Is(err, ErrColumn) {
		t.Errorf("rows of another schema: got %v, want ErrColumn", err)
	}
}

// initialised runs while this test binary's variables are set up, as a notebook's cell may.
var initialised = func() bool { return calledFromInitialiser() }()

// fresh is what a named release with Fresh says there: it would pay in every later cell.
var fresh = func() error {
	s := must(frames.NewSchema(frames.Numeric("x", 0, 1), frames.Label("y", "no", "yes")))
	f := must(frames.FromBlock(s, &frames.Block{Rows: 2, Cols: 1, X: []float64{0, 1}, Y: []float64{0, 1}}))
	_, err := must(Demo(f, 1, ReplaceOne)).Data().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Named("m").Fresh().Release(context.Background())
	return err
}()

func TestInitialiserIsRecognised(t *testing.T) {
	if !errors.Is(fresh, ErrInitialiser) {
		t.Errorf("a fresh release in an initialiser: got %v, want ErrInitialiser", fresh)
	}
	if !initialised {
		t.Error("a variable initialiser was not recognised")
	}
	if calledFromInitialiser() {
		t.Error("a test was taken for an initialiser")
	}
}

// TestIdentityVersionPinsTheLaw: a stored value is replayed for as long as the identity stays, so
// that a change of a default or of a bound, which changes what is drawn, needs another version.
func TestIdentityVersionPinsTheLaw(t *testing.T) {
	c := must(standard(demo(t, tinyFrame(t, 50, 1)), ByGradient{Epsilon: 1, Delta: 1e-6}).Cost())
	got := fmt.Sprint(identityVersion, " ", gradient.LogisticFit{}.Kind().Law, " ", c.Release.Event, " W, W_J, C, μ, T, η, m:")
	for _, k := range c.Release.Constants[:7] {
		got += fmt.Sprintf(" %.6g", k.Value)
	}
	const want = "6 2 Repeat(DiscreteGaussian(sensitivity 10.1594, sigma 135.726 = 3.82033e+16 grid steps, 8 coordinates, replace-one), 10) W, W_J, C, μ, T, η, m: 24 20.7846 0.7 6.32023 10 6.4 0"
	if got != want {
		t.Errorf("the law of a plan changed: raise the law of its kind and pin what it is now\n got %s\nwant %s", got, want)
	}
}
