package dpkit

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

func TestPipelinesShareAPrefix(t *testing.T) {
	base := demo(t, tinyFrame(t, 20, 1)).Data().OneHot()
	// Grow the backing array so that an aliasing append would overwrite.
	base = base.Impute(Mean{}).Scale()
	left, right := base.ClipNorm(0.5), base.ClipNorm(0.25)
	again := base.ClipNorm(0.75)
	for _, c := range []struct {
		name string
		p    Pipeline
		want string
	}{{"left", left, "ClipNorm(0.5)"}, {"right", right, "ClipNorm(0.25)"}, {"again", again, "ClipNorm(0.75)"}} {
		if got := kind.Describe(c.p.steps[len(c.p.steps)-1]); got != c.want {
			t.Errorf("%s ends in %s, want %s: a shared prefix aliases", c.name, got, c.want)
		}
	}
	if len(base.steps) != 3 {
		t.Errorf("the prefix has %d steps, want 3", len(base.steps))
	}
}

func TestEveryWrongStepIsReported(t *testing.T) {
	data := demo(t, tinyFrame(t, 20, 1)).Data()
	good := ByGradient{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name string
		plan Plan[LogisticModel]
		want []string // fragments, each of another line
		is   error
	}{
		{"category into the model", data.FitLogistic(good), []string{`step 1 FitLogistic`, `"work" is a category`, "OneHot"}, ErrOrder},
		{"missing cells into the model", data.OneHot().FitLogistic(good), []string{`step 2 FitLogistic`, "Impute first"}, ErrOrder},
		{"impute before encoding", data.Impute(Mean{}).FitLogistic(good), []string{"step 1 Impute(Mean{})", "encode it with OneHot before imputing"}, ErrOrder},
		{"scale before encoding", data.Scale().FitLogistic(good), []string{"step 1 Scale()", "OneHot before Scale"}, ErrOrder},
		{"clip before encoding", data.ClipNorm(1).FitLogistic(good), []string{"step 1 ClipNorm(1)"}, ErrOrder},
		{"unknown column to encode", data.OneHot("wrk").FitLogistic(good), []string{`step 1 OneHot("wrk")`, "no such column", "age, work"}, ErrColumn},
		{"a number to encode", data.OneHot("age").FitLogistic(good), []string{`column "age": got a numeric column`}, nil},
		{"unknown column to impute", data.OneHot().Impute(Mean{}, "nope").FitLogistic(good), []string{"step 2 Impute(Mean{}, \"nope\")", "no such column"}, ErrColumn},
		{"nothing to impute", data.OneHot().Impute(Mean{}).Impute(Mean{}).FitLogistic(good), []string{"step 3 Impute(Mean{})", "leave the step out"}, nil},
		{"nothing to encode", data.OneHot().OneHot().FitLogistic(good), []string{"step 2 OneHot()", "no category"}, nil},
		{"negative floor", data.OneHot().Impute(Mean{Pad: -1}).FitLogistic(good), []string{"step 2", "Pad: got -1"}, ErrParameter},
		{"no imputer", data.OneHot().Impute(nil).FitLogistic(good), []string{"step 2 Impute(nil)", "dpkit.Mean{}"}, ErrParameter},
		{"nil step", data.OneHot().With(nil).FitLogistic(good), []string{"step 2 With(nil)", "want a Preprocessor"}, ErrParameter},
		{"bad radius", data.OneHot().ClipNorm(-1).FitLogistic(good), []string{"step 2 ClipNorm(-1)", "radius: got -1"}, ErrParameter},
		{"bad trim", data.OneHot().Impute(TrimmedMean{Trim: 0.5}, "pay").FitLogistic(good), []string{"step 2 Impute(TrimmedMean{Trim: 0.5}", "Trim: got 0.5"}, ErrParameter},
		{"trimmed category", data.OneHot().Impute(TrimmedMean{Trim: 0.1}).FitLogistic(good), []string{"step 2", `"work" encodes a category`}, ErrColumn},
		{"indicate before encoding", data.Indicate("work").FitLogistic(good), []string{`step 1 Indicate("work")`, "is a category"}, ErrOrder},
		{"nothing to indicate", data.Select("age").Indicate().FitLogistic(good), []string{"step 2 Indicate()", "leave the step out"}, nil},
		{"drop nothing", data.Drop().FitLogistic(good), []string{"step 1 Drop()", "name at least one"}, ErrParameter},
		{"drop everything", data.Drop("age", "work", "pay", "home").FitLogistic(good), []string{"no feature is left"}, ErrParameter},
		{"select unknown", data.Select("ag").FitLogistic(good), []string{`step 1 Select("ag")`, "no such column"}, ErrColumn},
		{"clamp outside", data.ClipColumns(5, 6, "pay").FitLogistic(good), []string{`step 1 ClipColumns(5, 6, "pay")`, "nothing inside"}, ErrParameter},
		{"clamp NaN", data.ClipColumns(math.NaN(), 6, "pay").FitLogistic(good), []string{"bounds: got [NaN, 6]"}, ErrParameter},
		{"clamp a category", data.OneHot().ClipColumns(0, 1, "work=a").FitLogistic(good), []string{"a category or a part of one"}, ErrColumn},
		{"bad cell", data.Quantize(0, "pay").FitLogistic(good), []string{"step 1 Quantize(0", "cell width: got 0"}, ErrParameter},
		{"PCA before encoding", data.PCA(Tikhonov{Lambda: 0.1}).FitLogistic(good), []string{"step 1 PCA(Tikhonov{Lambda: 0.1})", "OneHot before PCA"}, ErrOrder},
		{"PCA before imputing", data.OneHot().PCA(Tikhonov{Lambda: 0.1}).FitLogistic(good), []string{"step 2 PCA", "Impute before PCA"}, ErrOrder},
		{"PCA threshold", data.OneHot().Impute(Mean{}).PCA(SoftThreshold{Lambda: 1}).FitLogistic(good), []string{"step 3 PCA(SoftThreshold{Lambda: 1})", "Lambda: got 1"}, ErrParameter},
		{"no filter", data.OneHot().Impute(Mean{}).PCA(nil).FitLogistic(good), []string{"step 3 PCA(nil)"}, ErrParameter},
		{"bad ε", data.OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Epsilon: -1, Delta: 1e-6}), []string{"step 4 FitLogistic", "epsilon: got -1"}, accountant.ErrEpsilon},
		{"no ε", data.OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Delta: 1e-6}), []string{"epsilon: got 0"}, accountant.ErrEpsilon},
		{"bad δ", data.OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1}), []string{"delta: got 1"}, accountant.ErrDelta},
		{"bad W", data.OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, MaxNorm: -2}), []string{"MaxNorm: got -2"}, ErrParameter},
		{
			"several", data.Scale().OneHot("wrk").ClipNorm(0).FitLogistic(ByGradient{}),
			[]string{"step 1 Scale()", `step 2 OneHot("wrk")`, "step 3 ClipNorm(0)", "step 4 FitLogistic"},
			ErrColumn,
		},
		{"zero pipeline", Pipeline{}.OneHot().FitLogistic(good), []string{"want one that Session.Data returned"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, costErr := c.plan.Cost()
			_, explainErr := c.plan.Explain()
			_, releaseErr := c.plan.Release(context.Background())
			for name, err := range map[string]error{"Cost": costErr, "Explain": explainErr, "Release": releaseErr} {
				if err == nil {
					t.Fatalf("%s: got no error", name)
				}
				for _, w := range c.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("%s: error lacks %q:\n%v", name, w, err)
					}
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("%s: error is not %v", name, c.is)
				}
			}
		})
	}
}

func TestNonPrivateCannotLeave(t *testing.T) {
	secret := stage.Hide([]float64{4711.5625, 815.4375}) // no address of a function reads like them
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%q", "%g", "%T"} {
		if got := fmt.Sprintf(verb, secret); strings.Contains(got, "4711.") || strings.Contains(got, "815.") {
			t.Errorf("%s prints the value: %s", verb, got)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		held := struct {
			P stage.NonPrivate[[]float64]
			q stage.NonPrivate[[]float64]
		}{secret, secret}
		if got := fmt.Sprintf(verb, held); strings.Contains(got, "4711.") || strings.Contains(got, "815.") {
			t.Errorf("%s of a struct that holds it prints the value: %s", verb, got)
		}
	}
	if _, err := json.Marshal(secret); !errors.Is(err, stage.ErrNonPrivate) {
		t.Errorf("JSON: got %v, want ErrNonPrivate", err)
	}
	if err := gob.NewEncoder(io.Discard).Encode(secret); !errors.Is(err, stage.ErrNonPrivate) {
		t.Errorf("gob: got %v, want ErrNonPrivate", err)
	}
	if _, err := secret.MarshalText(); !errors.Is(err, stage.ErrNonPrivate) {
		t.Errorf("text: got %v, want ErrNonPrivate", err)
	}
}

// custom is a step of a user's own without a public stand-in.
type custom struct{}

func (custom) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (custom) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Columnwise(st, stage.Bounds{K: 1, R: st.Before.R}, "custom")
}

func (custom) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) { copy(dst, src) }), nil
}

func TestReleaseRule(t *testing.T) {
	plan := demo(t, tinyFrame(t, 20, 1)).Data().OneHot().Impute(Mean{}).Scale().With(custom{}).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6})
	if _, err := plan.Cost(); err != nil {
		t.Fatal(err)
	}
	_, err := plan.Release(context.Background())
	if err == nil || !strings.Contains(err.Error(), "step 4") || !strings.Contains(err.Error(), "not private") {
		t.Errorf("got %v, want the release rule to refuse step 4", err)
	}
}

// TestPublicStandIn: a fitted mean must not reach the model; missing cells of new rows get the
// public midpoint or centroid.
func TestPublicStandIn(t *testing.T) {
	s := tinySchema(t)
	rows := [][]float64{}
	for range 30 {
		rows = append(rows, []float64{17, 0, 4, 0, 1})
	}
	r := must(demo(t, frameOf(t, s, rows)).Data().OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Release(context.Background()))
	read, _, err := r.Value.Maps.Transform(len(s.Features()))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, len(r.Value.Coef))
	read.Map(got, []float64{17, math.NaN(), math.NaN(), math.NaN()}, 1)
	want := []float64{-0.5, 1. / 6, 1. / 6, 1. / 6, 0, 0.25, 0.25} // 4 units: ÷ 2
	for j := range want {
		if diff := got[j] - want[j]; diff > 1e-15 || diff < -1e-15 {
			t.Fatalf("a row of missing cells reads %v, want %v", got, want)
		}
	}
}

// TestDroppedDisplacement: without the imputed columns nothing that was displaced is left to pay for.
func TestDroppedDisplacement(t *testing.T) {
	data := demo(t, tinyFrame(t, 50, 1)).Data()
	o := ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 20}
	dropped := must(data.OneHot().Impute(Mean{}, "pay").Drop("pay").Impute(Midpoint{}).Scale().FitLogistic(o).Cost())
	kept := must(data.OneHot().Impute(Mean{}, "pay").Drop("work").Impute(Midpoint{}).Scale().FitLogistic(o).Cost())
	if dropped.Release.Amplification() != 1 || dropped.Steps[2].Displacement != 0 {
		t.Errorf("after the drop: amplification %v, τ = %v, want 1 and 0", dropped.Release.Amplification(), dropped.Steps[2].Displacement)
	}
	if !(kept.Release.Amplification() > 1) {
		t.Error("a displaced column that stays costs nothing")
	}
}

// TestScaleCommutesWithImputation: the order of the two does not decide the price.
func TestScaleCommutesWithImputation(t *testing.T) {
	data := demo(t, tinyFrame(t, 50, 1)).Data().OneHot()
	o := ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 20}
	for _, c := range []struct {
		name string
		fill func(Pipeline) Pipeline
	}{
		{"means", func(p Pipeline) Pipeline { return p.Impute(Mean{}) }},
		{"means with a floor", func(p Pipeline) Pipeline { return p.Impute(Mean{Pad: 10}) }},
		{"three kinds", func(p Pipeline) Pipeline {
			return p.Impute(TrimmedMean{Trim: 0.1}, "pay").Impute(Mean{}, "work").Impute(Midpoint{})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := must(c.fill(data.Scale()).FitLogistic(o).Cost()).Release.Sensitivity
			after := must(c.fill(data).Scale().FitLogistic(o).Cost()).Release.Sensitivity
			if !(after >= before*(1-1e-12)) || after > before*(1+1e-9) {
				t.Errorf("S = %v with Scale first, %v with Scale last", before, after)
			}
		})
	}
	// A step between them that does not commute keeps its price.
	between := must(data.Impute(Mean{}).ClipNorm(50).Scale().FitLogistic(o).Cost()).Release.Sensitivity
	if plain := must(data.Impute(Mean{}).Scale().FitLogistic(o).Cost()).Release.Sensitivity; between <= plain {
		t.Errorf("S = %v with a projection between, %v without", between, plain)
	}
}
