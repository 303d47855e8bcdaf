package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

func TestRegisterFunc(t *testing.T) {
	fn := func(x []float64) float64 { return x[0] }
	for _, c := range []struct {
		name          string
		as, version   string
		fn            func([]float64) float64
		want          error
		wantFragments string
	}{
		{"no name", "", "1", fn, ErrParameter, "want both"},
		{"no version", "test.first", "", fn, ErrParameter, "want both"},
		{"no function", "test.first", "1", nil, ErrParameter, "got no function"},
		{"new", "test.first", "1", fn, nil, ""},
		{"again", "test.first", "1", fn, ErrParameter, "registered already"},
		{"another version", "test.first", "2", fn, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := RegisterFunc(c.as, c.version, c.fn)
			if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.wantFragments) {
				t.Errorf("got %v, want %v %q", err, c.want, c.wantFragments)
			}
		})
	}
}

// TestRegisterFuncSource: in a notebook the source of a function is a part of a step's identity, elsewhere its name and version are all.
func TestRegisterFuncSource(t *testing.T) {
	register := func(name string, fn func([]float64) float64) string {
		t.Helper()
		if err := RegisterFunc(name, "1", fn); err != nil {
			t.Fatal(err)
		}
		return steps.Mutation{MutateOptions: MutateOptions{Func: name, Version: "1"}}.Code()
	}
	t.Setenv("GONB_TMP_DIR", "")
	if got := register("test.source.compiled", func(x []float64) float64 { return x[0] }); got != "" {
		t.Errorf("outside a notebook: got %q", got)
	}
	t.Setenv("GONB_TMP_DIR", t.TempDir())
	one := register("test.source.one", func(x []float64) float64 { return x[0] + 1 })
	two := register("test.source.two", func(x []float64) float64 { return x[0] + 2 })
	if len(one) != 64 || len(two) != 64 || one == two {
		t.Errorf("two functions of a notebook: %q and %q", one, two)
	}
	step := func(name string) stepIdentity {
		m := steps.Mutation{MutateOptions: MutateOptions{Func: name, Version: "1"}}
		return stepIdentity{Code: codeOf(m)}
	}
	if a, b := hashOf(step("test.source.one")), hashOf(step("test.source.two")); a == b {
		t.Error("functions of two sources have one identity")
	}
}

// TestMutateScope: on clean columns the declared constant is not looked at; on displaced ones the
// guarantee says that it rests on it.
func TestMutateScope(t *testing.T) {
	data := demo(t, tinyFrame(t, 50, 1)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	o := MutateOptions{From: []string{"age", "pay"}, Func: "test.slope", Version: "1", Lo: -4, Hi: 4}
	declared := o
	declared.Lipschitz = 2
	finish := func(p Pipeline) Cost { return must(p.OneHot().Impute(Midpoint{}).Scale().Mean(target).Cost()) }

	clean, ignored := finish(data.Mutate("w", o)), finish(data.Mutate("w", declared))
	for _, c := range []Cost{clean, ignored} {
		if c.Guarantee.Scope.Kind != accountant.Unconditional || c.Release.Amplification() != 1 {
			t.Errorf("on clean columns: %v, amplification %v, want unconditional and 1", c.Guarantee.Scope, c.Release.Amplification())
		}
	}
	before, after := finish(data.Impute(Mean{}, "pay")), finish(data.Impute(Mean{}, "pay").Mutate("w", declared))
	if after.Guarantee.Scope.Kind != accountant.Conditional || !strings.Contains(after.Guarantee.Scope.String(), `"test.slope" version "1"`) {
		t.Errorf("on displaced columns: scope %v, want it conditional on the function", after.Guarantee.Scope)
	}
	k := after.Steps[1].Displacement / before.Steps[0].Displacement
	if math.Abs(k-math.Sqrt(5)) > 1e-6 {
		t.Errorf("the displacement grows by %v, want √(1 + L²) = √5", k)
	}
	i := slices.IndexFunc(after.Steps[1].Constants, func(c stage.Constant) bool { return c.Symbol == "L" })
	if i < 0 || after.Steps[1].Constants[i].Origin != stage.FromDeclaration {
		t.Errorf("the constant L is not listed as declared: %v", after.Steps[1].Constants)
	}
}

// TestDisplacementDecidesNoMask: a NaN of a displaced column is a number, or a common row could miss
// a cell on one side only, which no imputation pays for.
func TestDisplacementDecidesNoMask(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("u", 0, 2).MayMiss(), frames.Label("y", "no", "yes")))
	step := steps.Mutation{Name: "w", MutateOptions: MutateOptions{From: []string{"u"}, Func: "test.log", Version: "1", Lo: 0, Hi: 3, Lipschitz: 1}}
	st := stage.Stage{In: s, Out: must(step.Check(s)), Taint: stage.Taint{"u": true}}
	f, _, err := must(step.Deploy(st)).Transform(1)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 2)
	if f.Map(dst, []float64{0.5}, 1); dst[1] != 1.5 {
		t.Errorf("a NaN became %v, want the midpoint", dst[1])
	}
	if f.Map(dst, []float64{nan}, 1); !math.IsNaN(dst[1]) {
		t.Errorf("of a missing cell: got %v, want a missing cell", dst[1])
	}
}

func init() {
	if err := RegisterFunc("test.log", "1", func(x []float64) float64 { return math.Log(x[0] - 1) }); err != nil {
		panic(err)
	}
}

// TestPublicMapsReachTheModel: ordinal codes, public bins and functions are part of a model, survive
// JSON, and refuse levels in another order and functions that the program does not know.
func TestPublicMapsReachTheModel(t *testing.T) {
	ctx := context.Background()
	data := must(Demo(tinyFrame(t, 60, 1), 7, ReplaceOne)).Data()
	o := MutateOptions{From: []string{"pay"}, Func: "test.wave", Version: "1", Lo: -1, Hi: 1}
	r := must(data.Ordinal("work").Mutate("wave", o).Bin([]float64{30, 50}, "age").OneHot().Impute(Midpoint{}).Scale().
		FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}).Release(ctx))
	raw := must(json.Marshal(r.Value))
	var back LogisticModel
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if want := []string{"age=below 30", "age=30 to 50", "age=50 and above", "work", "pay", "home=x", "home=y", "wave"}; !slices.Equal(back.Columns, want) {
		t.Errorf("columns %q, want %q", back.Columns, want)
	}
	read, _, err := back.Maps.Transform(len(tinySchema(t).Features()))
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, len(back.Coef))
	read.Map(z, []float64{50, 1, 0.5, nan}, 1)
	units := math.Sqrt(5) // age, work, pay, home, wave
	for j, want := range []float64{0, 0, 1, 0, (0.5 - 1.5) / 2.5, 0.5, 0.5, math.Sin(0.5)} {
		if got := z[j] * units; math.Abs(got-want) > 1e-12 {
			t.Errorf("column %s = %v, want %v", back.Columns[j], got, want)
		}
	}
	cols := tinySchema(t).Columns()
	cols[1].Levels = []string{"c", "b", "a"}
	other := frames.Public(frameOf(t, must(frames.NewSchema(cols...)), [][]float64{{30, 0, 1, 0, 1}}))
	if _, err := back.Predict(ctx, other); !errors.Is(err, ErrColumn) {
		t.Errorf("levels in another order: got %v, want ErrColumn", err)
	}
	var stranger LogisticModel
	err = json.Unmarshal([]byte(strings.ReplaceAll(string(raw), "test.wave", "test.unknown")), &stranger)
	if !errors.Is(err, ErrModelFile) || !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "RegisterFunc") {
		t.Errorf("a function that this program does not know: got %v", err)
	}
}

// TestPublicEncoderMapsAreChecked: a model that was tampered with does not reach a row.
func TestPublicEncoderMapsAreChecked(t *testing.T) {
	good := stage.MutateOp{From: []int{0}, Into: 1, Func: "test.wave", Version: "1", Lo: 0, Hi: 1}
	change := func(f func(*stage.MutateOp)) stage.RowOp { o := good; f(&o); return stage.RowOp{Mutate: &o} }
	for name, op := range map[string]stage.RowOp{
		"bin position":    {Bin: &stage.BinOp{Columns: []int{2}, Edges: []float64{1}}},
		"no edges":        {Bin: &stage.BinOp{Columns: []int{0}, Edges: nil}},
		"falling edges":   {Bin: &stage.BinOp{Columns: []int{0}, Edges: []float64{2, 1}}},
		"mutate position": change(func(o *stage.MutateOp) { o.From = []int{-1} }),
		"mutate target":   change(func(o *stage.MutateOp) { o.Into = 3 }),
		"mutate negative": change(func(o *stage.MutateOp) { o.Into = -1 }),
		"mutate function": change(func(o *stage.MutateOp) { o.Version = "0" }),
		"mutate bounds":   change(func(o *stage.MutateOp) { o.Hi = nan }),
	} {
		if _, _, err := (stage.RowMap{op}).Transform(2); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, width, err := (stage.RowMap{change(func(*stage.MutateOp) {})}).Transform(2); err != nil || width != 2 {
		t.Errorf("in place: width %d, %v, want 2", width, err)
	}
}
