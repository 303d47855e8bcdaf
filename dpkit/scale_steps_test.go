package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestFittedMaps checks the maps of the fitted steps on small exact cases.
func TestFittedMaps(t *testing.T) {
	one := must(frames.NewSchema(frames.Numeric("x", -4, 4)))
	two := must(frames.NewSchema(frames.Numeric("x", -3, 3), frames.Numeric("y", -4, 4)))
	root := math.Sqrt
	for _, c := range []struct {
		name   string
		schema frames.Schema
		step   stage.Preprocessor
		rows   [][]float64
		want   [][]float64
	}{
		{"centre", two, steps.Centering{}, [][]float64{{1, 2}, {3, -2}, {2, 0}}, [][]float64{{-1, 2}, {1, -2}, {0, 0}}},
		{"largest values", two, steps.MaxAbs{Floor: 4}, [][]float64{{1, 2}, {8, -2}, {2, 0}}, [][]float64{{0.125, 0.5}, {1, -0.5}, {0.25, 0}}},
		{
			"standard above the floor (R = 4): sd 2 becomes 1", one,
			steps.Standardize{How: Standard{Floor: 0.25}, Columns: nil},
			[][]float64{{1}, {-3}},
			[][]float64{{1}, {-1}},
		},
		{
			"standard below the floor: sd 2 is divided by 3", one,
			steps.Standardize{How: Standard{Floor: 0.75, Gain: 0.25}, Columns: nil},
			[][]float64{{1}, {-3}},
			[][]float64{{2. / 3}, {-2. / 3}},
		},
		{
			"standard with a gain: sd 2 becomes 6, clipped to R", one,
			steps.Standardize{How: Standard{Floor: 0.25, Gain: 1.5}, Columns: nil},
			[][]float64{{1}, {-3}},
			[][]float64{{4}, {-4}},
		},
		{
			"rms of one column (R = 5)", two,
			steps.Standardize{How: RMS{Floor: 0.2}, Columns: steps.ColumnSet{"y"}},
			[][]float64{{1, 2}, {3, -2}},
			[][]float64{{1, 1}, {3, -1}},
		},
		{
			"rms below the floor passes", two,
			steps.Standardize{How: RMS{Floor: 0.9}, Columns: nil},
			[][]float64{{1, 2}, {3, -2}},
			[][]float64{{1, 2}, {3, -2}},
		},
		{
			"rms with a gain, clipped to the ball of radius 5", two,
			steps.Standardize{How: RMS{Floor: 0.2, Gain: 1}, Columns: nil},
			[][]float64{{3, 4}, {3, 4}},
			[][]float64{{5 / root(2), 5 / root(2)}, {5 / root(2), 5 / root(2)}},
		},
		{
			"soft selection at √λ·R = 1: rms 2 keeps a half, rms 1 nothing", two,
			steps.SoftSelection{SoftSelect: SoftSelect{Lambda: 0.04}},
			[][]float64{{1, 2}, {-1, -2}},
			[][]float64{{0, 1}, {0, -1}},
		},
		{
			"soft threshold of two orthogonal directions at 1", two,
			steps.Spectral{SpectralFit: steps.SpectralFit{Filter: SoftThreshold{Lambda: 0.04}}},
			[][]float64{{root(2) * 2, 0}, {0, root(2)}},
			[][]float64{{root(2), 0}, {0, 0}},
		},
		{
			"ramp from 1 to 9: variances 5 and 1", two,
			steps.Spectral{SpectralFit: steps.SpectralFit{Filter: Ramp{Start: 1. / 25, Width: 8. / 25}}},
			[][]float64{{root(10), 0}, {0, root(2)}},
			[][]float64{{root(10) / 2, 0}, {0, 0}},
		},
		{
			"ramp, beyond its end", two,
			steps.Spectral{SpectralFit: steps.SpectralFit{Filter: Ramp{Start: 0, Width: 0.1}}},
			[][]float64{{3, 0}, {3, 0}},
			[][]float64{{3, 0}, {3, 0}},
		},
		{
			"centred Tikhonov: variance 4 against λ = 1", two,
			steps.CentredSpectral{SpectralFit: steps.SpectralFit{Filter: Tikhonov{Lambda: 0.04, Centered: true}}},
			[][]float64{{1, 3}, {1, -1}},
			[][]float64{{0, 1.6}, {0, -1.6}},
		},
		{
			"winsorised: the window [0, 1/2] averages the two least of four", one,
			steps.SmoothWinsor{SmoothedQuantile: SmoothedQuantile{Q: 0.249, Window: 0.498}, Columns: steps.ColumnSet{"x"}},
			[][]float64{{-4}, {0}, {1}, {4}},
			[][]float64{{(-4*0.25 + 0*0.248) / 0.498}, {0}, {1}, {(4*0.25 + 1*0.248) / 0.498}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &rows.Matrix{Domain: c.schema, Cols: len(c.schema.Features())}
			for _, row := range c.rows {
				m.X = append(m.X, row...)
			}
			st := stage.Stage{In: c.schema, Before: must(pair.Start(len(c.rows), stage.StartRadius(c.schema), ReplaceOne))}
			st.Out = must(c.step.Check(c.schema))
			pr := must(c.step.Propagate(st))
			st.After = pr.Pair
			got := transformWith(t, c.step, st, m)
			for i, want := range c.want {
				for j, v := range got.Row(i) {
					if !(math.Abs(v-want[j]) <= 1e-9) {
						t.Errorf("row %d is %v, want %v", i, got.Row(i), want)
						break
					}
				}
			}
		})
	}
}

func TestScaleStepsRefuse(t *testing.T) {
	data := demo(t, tinyFrame(t, 20, 1)).Data()
	full := data.OneHot().Impute(Midpoint{}).Scale()
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		p    Pipeline
		says string
		is   error
	}{
		{"centre a category", data.Center(), `"work" is a category; encode it with OneHot`, ErrOrder},
		{"centre missing cells", data.OneHot().Center(), "Impute first", ErrOrder},
		{"largest values of a category", data.MaxAbs(1), "is a category", ErrOrder},
		{"largest values of missing cells", data.OneHot().MaxAbs(1), "Impute first", ErrOrder},
		{"no least divisor", full.MaxAbs(0), "floor: got 0", ErrParameter},
		{"least divisor NaN", full.MaxAbs(nan), "floor: got NaN", ErrParameter},
		{"infinite least divisor", full.MaxAbs(inf), "floor: got +Inf", ErrParameter},
		{"standardise a category", data.Standardize(RMS{Floor: 0.1}), "is a category", ErrOrder},
		{"no standardiser", full.Standardize(nil), "dpkit.RMS", ErrParameter},
		{"no floor", full.Standardize(RMS{}), "Floor: got 0", ErrParameter},
		{"floor NaN", full.Standardize(Standard{Floor: nan}), "Floor: got NaN", ErrParameter},
		{"floor 1", full.Standardize(Standard{Floor: 1}), "Floor: got 1", ErrParameter},
		{"tiny floor", full.Standardize(Standard{Floor: 1e-300}), "Floor: got 1e-300", ErrParameter},
		{"negative gain", full.Standardize(RMS{Floor: 0.1, Gain: -1}), "Gain: got -1", ErrParameter},
		{"infinite gain", full.Standardize(RMS{Floor: 0.1, Gain: inf}), "Gain: got +Inf", ErrParameter},
		{"unknown column", full.Standardize(RMS{Floor: 0.1}, "wrk"), `"wrk"; the features here are`, ErrColumn},
		{"rows too small", full.ClipNorm(1e-90).Standardize(RMS{Floor: 0.1}), "radius: got 1e-90", ErrParameter},
		{"no selector", full.SelectFeatures(nil), "dpkit.SoftSelect", ErrParameter},
		{"no λ", full.SelectFeatures(SoftSelect{}), "Lambda: got 0", ErrParameter},
		{"λ NaN", full.SelectFeatures(SoftSelect{Lambda: nan}), "Lambda: got NaN", ErrParameter},
		{"λ above every column", full.SelectFeatures(SoftSelect{Lambda: 0.9}), "no column can pass", ErrParameter},
		{"select before encoding", data.SelectFeatures(SoftSelect{Lambda: 0.1}), "is a category", ErrOrder},
		{"no winsoriser", full.Winsorize(nil, "pay"), "dpkit.SmoothedQuantile", ErrParameter},
		{"window wider than 2Q", full.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.3}, "pay"), "Q and Window: got 0.1 and 0.3", ErrParameter},
		{"windows that overlap", full.Winsorize(SmoothedQuantile{Q: 0.4, Window: 0.2}, "pay"), "Q and Window", ErrParameter},
		{"no window", full.Winsorize(SmoothedQuantile{Q: 0.1}, "pay"), "Q and Window", ErrParameter},
		{"Q NaN", full.Winsorize(SmoothedQuantile{Q: nan, Window: 0.1}, "pay"), "Q and Window", ErrParameter},
		{"winsorise nothing", full.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}), "name at least one", ErrParameter},
		{"winsorise a category", full.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "work=a"), "a category or a part of one", ErrColumn},
		{"winsorise missing cells", data.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "pay"), "Impute first", ErrOrder},
		{"public bounds of another number of columns", data.Winsorize(PublicQuantiles{Lo: []float64{0}, Hi: []float64{1, 2}}, "pay"), "got 1 and 2 numbers for 1 columns", ErrParameter},
		{"public bounds upside down", data.Winsorize(PublicQuantiles{Lo: []float64{3}, Hi: []float64{1}}, "pay"), "bounds: got [3, 1]", ErrParameter},
		{"public bounds of no column", data.Winsorize(PublicQuantiles{}), "name at least one", ErrParameter},
		{"ramp without a width", full.PCA(Ramp{Start: 0.1}), "Start and Width: got 0.1 and 0", ErrParameter},
		{"ramp beyond R²", full.PCA(Ramp{Start: 0.5, Width: 0.6}), "Start + Width ≤ 1", ErrParameter},
		{"ramp NaN", full.PCA(Ramp{Start: nan, Width: 0.1}), "Start and Width", ErrParameter},
		{"centred threshold", full.PCA(Tikhonov{Lambda: 2, Centered: true}), "PCA(Tikhonov{Lambda: 2, Centered: true}): threshold Lambda: got 2", ErrParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.p.Explain()
			if err == nil || !strings.Contains(err.Error(), c.says) || !errors.Is(err, c.is) {
				t.Errorf("got %v, want %v about %q", err, c.is, c.says)
			}
		})
	}
}

// TestScaleStepsAtPredictionTime: a model that reads rows cannot be released behind fitted scales
// and means; behind denoising it can, and statistics can behind both.
func TestScaleStepsAtPredictionTime(t *testing.T) {
	t.Parallel()
	data := func() Pipeline {
		return private(t, tinyFrame(t, 60, 3), ledgerPath(t), Budget{Epsilon: 5, Delta: 1e-5}).Data().OneHot().Impute(Midpoint{}).Scale()
	}
	fit := ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5}
	for _, c := range []struct {
		name   string
		build  func(Pipeline) Pipeline
		role   stage.Role
		deploy bool
	}{
		{"centre", Pipeline.Center, stage.RoleDeployed, false},
		{"standard", func(p Pipeline) Pipeline { return p.Standardize(Standard{Floor: 0.3}, "work", "pay") }, stage.RoleDeployed, false},
		{"rms", func(p Pipeline) Pipeline { return p.Standardize(RMS{Floor: 0.3}) }, stage.RoleDeployed, false},
		{"centred filter", func(p Pipeline) Pipeline { return p.PCA(SoftThreshold{Lambda: 0.05, Centered: true}) }, stage.RoleDeployed, false},
		{"ramp", func(p Pipeline) Pipeline { return p.PCA(Ramp{Start: 0.01, Width: 0.1}) }, stage.RoleNonPrivate, true},
		{"soft selection", func(p Pipeline) Pipeline { return p.SelectFeatures(SoftSelect{Lambda: 0.05}) }, stage.RoleNonPrivate, true},
		{"winsorised", func(p Pipeline) Pipeline { return p.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "pay", "age") }, stage.RoleNonPrivate, true},
		{"public bounds", func(p Pipeline) Pipeline {
			return p.Winsorize(PublicQuantiles{Lo: []float64{-0.2, -0.3}, Hi: []float64{0.2, 0.3}}, "pay", "age")
		}, stage.RolePublic, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.build(data())
			stages, _, err := p.trace()
			if err != nil {
				t.Fatal(err)
			}
			if last := stages[len(stages)-1]; last.Role != c.role {
				t.Errorf("got the role %q, want %q", last.Role, c.role)
			}
			if _, err := p.FitLogistic(fit).Cost(); err != nil {
				t.Error(err)
			}
			if r, err := p.Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background()); err != nil || len(r.Value.Values) != 7 {
				t.Errorf("means: got %v, %v", r.Value, err)
			}
			r, err := p.FitLogistic(fit).Release(context.Background())
			switch {
			case c.deploy && err != nil:
				t.Error(err)
			case c.deploy && len(r.Value.Coef) != 7:
				t.Errorf("got %d coefficients, want 7", len(r.Value.Coef))
			case !c.deploy && (!errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "needed at prediction time")):
				t.Errorf("got %v, want the release refused", err)
			}
			if r, err := p.FitLogistic(fit).WithoutPrediction().Release(context.Background()); err != nil || len(r.Value.Coef) != 7 {
				t.Errorf("coefficients alone: got %v, %v", r.Value, err)
			}
		})
	}
}

// TestFitsStayInside: a transform prints as a function, and a step as its public parameters.
func TestFitsStayInside(t *testing.T) {
	for _, c := range []struct {
		step stage.Preprocessor
		text string
	}{
		{steps.Centering{}, "Center()"},
		{steps.MaxAbs{Floor: 0.5}, "MaxAbs(0.5)"},
		{steps.Standardize{How: Standard{Floor: 0.2}, Columns: steps.ColumnSet{"pay"}}, `Standardize(Standard{Floor: 0.2}, "pay")`},
		{steps.Standardize{How: RMS{Floor: 0.2, Gain: 1}, Columns: nil}, "Standardize(RMS{Floor: 0.2, Gain: 1})"},
		{steps.SoftSelection{SoftSelect: SoftSelect{Lambda: 0.1}}, "SelectFeatures(SoftSelect{Lambda: 0.1})"},
		{steps.SmoothWinsor{SmoothedQuantile: SmoothedQuantile{Q: 0.1, Window: 0.2}, Columns: steps.ColumnSet{"pay"}}, `Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.2}, "pay")`},
		{steps.PublicWinsor{PublicQuantiles: PublicQuantiles{Lo: []float64{0}, Hi: []float64{1}}, Columns: []string{"pay"}}, `Winsorize(PublicQuantiles{Lo: [0], Hi: [1]}, "pay")`},
		{steps.Spectral{SpectralFit: steps.SpectralFit{Filter: Ramp{Start: 0.1, Width: 0.2}}}, "PCA(Ramp{Start: 0.1, Width: 0.2})"},
		{steps.CentredSpectral{SpectralFit: steps.SpectralFit{Filter: Ramp{Start: 0.1, Width: 0.2, Centered: true}}}, "PCA(Ramp{Start: 0.1, Width: 0.2, Centered: true})"},
		{steps.CentredSpectral{SpectralFit: steps.SpectralFit{Filter: SoftThreshold{Lambda: 0.1, Centered: true}}}, "PCA(SoftThreshold{Lambda: 0.1, Centered: true})"},
	} {
		if got := kind.Describe(c.step); got != c.text {
			t.Errorf("got %s, want %s", got, c.text)
		}
	}
	secret := must(frames.NewSchema(frames.Numeric("pay", -1000, 1000)))
	m := &rows.Matrix{Domain: secret, Cols: 1, X: []float64{771.25, 771.25, -400}}
	st := stage.Stage{In: secret, Before: must(pair.Start(3, 1000, ReplaceOne))}
	for _, p := range []stage.Preprocessor{steps.Centering{}, steps.MaxAbs{Floor: 0.5}, steps.Standardize{How: Standard{Floor: 0.2}, Columns: nil}, steps.SoftSelection{SoftSelect: SoftSelect{Lambda: 0.1}}, steps.CentredSpectral{SpectralFit: steps.SpectralFit{Filter: Tikhonov{Lambda: 0.1}}}} {
		st.Out = must(p.Check(secret))
		f, err := p.Fit(context.Background(), m, st)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%v %+v", p, st); strings.Contains(text, "771") || f == nil {
			t.Errorf("prints %s", text)
		}
	}
}

// TestFreeRowThatIsEmpty: a row near 0 and its absence are close before centring, not behind it.
func TestFreeRowThatIsEmpty(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("x", -1, 1)))
	st := stage.Stage{In: schema, Before: must(pair.Start(5, 1, AddRemove))}
	st.Before.DFree = 0.1
	for _, p := range []stage.Preprocessor{steps.Centering{}, steps.Standardize{How: Standard{Floor: 0.9}, Columns: nil}, steps.CentredSpectral{SpectralFit: steps.SpectralFit{Filter: Tikhonov{Lambda: 0.1, Centered: true}}}} {
		pr := must(p.Propagate(stage.Stage{In: schema, Out: must(p.Check(schema)), Before: st.Before}))
		if !(pr.Pair.D() >= pr.Pair.R) {
			t.Errorf("%v: the free row moves by at most %v, want at least R = %v", p, pr.Pair.D(), pr.Pair.R)
		}
	}
}

// TestGramSums: blocks of rows and a rest add up to the plain sum.
func TestGramSums(t *testing.T) {
	const n = 2*rows.ChunkSize + 7
	schema := must(frames.NewSchema(frames.Numeric("x", -3, 3), frames.Numeric("y", -4, 4)))
	m := &rows.Matrix{Domain: schema, Cols: 2}
	var xx, xy, yy float64
	for i := range n {
		x, y := float64(i%7-3), float64(i%5-2)
		m.X = append(m.X, x, y)
		xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
	}
	g := must(rows.GramOf(context.Background(), m, 2, 5))
	if g.Total[0] != xx || g.Total[1] != xy || g.Total[3] != yy {
		t.Errorf("got %v, want %v, %v and %v", g.Total, xx, xy, yy)
	}
}

func transformWith(t *testing.T, p stage.Preprocessor, st stage.Stage, src *rows.Matrix) *rows.Matrix {
	t.Helper()
	f, err := p.Fit(context.Background(), src, st)
	if err != nil {
		t.Fatal(err)
	}
	return must(rows.Materialise(context.Background(), src, st.Out, f))
}
