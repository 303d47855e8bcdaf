package stage_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestBlocksOfRowsAreRows: the image of a row has the same bits whichever rows are mapped with it, for every operation and for maps of several, on
// cells that are missing, of either zero, at bounds and of sizes whose squares leave float64.
func TestBlocksOfRowsAreRows(t *testing.T) {
	if err := stage.RegisterFunc("test.block", "1", func(x []float64) float64 { return math.Sqrt(x[0]) * x[1] }); err != nil {
		t.Fatal(err)
	}
	const in = 5
	linear := &stage.LinearOp{Rows: 3, Columns: in, Matrix: make([]float64, 3*in)}
	for i := range linear.Matrix {
		linear.Matrix[i] = math.Sin(float64(i + 1))
	}
	ops := map[string]stage.RowMap{
		"nothing":  {},
		"one-hot":  {{OneHot: &stage.OneHotOp{Levels: []int{3, 0, 0, 2, 0}}}},
		"indicate": {{Indicate: &stage.IndicateOp{Columns: []int{4, 0}}}},
		"fill":     {{Fill: &stage.FillOp{Columns: []int{0, 3}, Values: []float64{0.5, -2}}}},
		"affine":   {{Affine: &stage.AffineOp{Shift: []float64{0, 1, -1, 1e-9, 3}, Scale: []float64{1, 1. / 3, -2, 1e9, 0}}}},
		"clip":     {{Clip: &stage.ClipOp{R: 1.5}}},
		"select":   {{Select: &stage.SelectOp{Columns: []int{1, 2, 0, 4}}}},
		"none":     {{Select: &stage.SelectOp{}}},
		"clamp":    {{Clamp: &stage.ClampOp{Columns: []int{0, 4}, Lo: -0.5, Hi: 0.25}}},
		"grid":     {{Grid: &stage.GridOp{Columns: []int{1, 3}, Lo: []float64{-1, 0}, Hi: []float64{1, 2}, Width: 0.3}}},
		"linear":   {{Linear: linear}},
		"bin":      {{Bin: &stage.BinOp{Columns: []int{2}, Edges: []float64{-1, 0, 1, 2}}}},
		"mutate":   {{Mutate: &stage.MutateOp{From: []int{0, 1}, Into: in, Func: "test.block", Version: "1", Lo: -1, Hi: 1, Fill: true}}},
		"replace":  {{Mutate: &stage.MutateOp{From: []int{0, 1}, Into: 1, Func: "test.block", Version: "1", Lo: -1, Hi: 1}}},
		"levels":   {{Levels: &stage.LevelsOp{Column: 0, Codes: []float64{2, 0}, Levels: []int{1, 0}, Other: 2}}},
		"join":     {{Join: &stage.JoinOp{On: 0, Values: [][]float64{{1, 2, 3}, {-1, 0, 4}}, Missing: [][]int{{1}, nil}}}},
	}
	ops["several"] = append(append(append(append(stage.RowMap{}, ops["fill"]...), ops["one-hot"]...), stage.RowOp{Clip: &stage.ClipOp{R: 2}}), stage.RowOp{Select: &stage.SelectOp{Columns: []int{7, 3, 1}}})
	rng := rand.New(rand.NewPCG(26, 11))
	odd := []float64{math.NaN(), 0, math.Copysign(0, -1), 1, -1, 2, 1e200, -1e-200, 0.25, 1.5}
	for name, op := range ops {
		t.Run(name, func(t *testing.T) {
			f, out, err := op.Transform(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 1, 3, 4, 6, 70, 1500} {
				src := make([]float64, n*in)
				for i := range src {
					src[i] = odd[rng.IntN(len(odd))]
					switch k := rng.IntN(3); {
					case k == 0:
						src[i] = rng.NormFloat64()
					case i%in == 0 && k == 1: // codes
						src[i] = float64(rng.IntN(3))
					}
				}
				got, want := make([]float64, n*out), make([]float64, n*out)
				f.Map(got, src, n)
				for i := range n {
					f.Map(want[i*out:(i+1)*out], src[i*in:(i+1)*in], 1)
				}
				for i := range want {
					if g, w := got[i], want[i]; math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
						t.Fatalf("%d rows: cell %d is %v, by itself %v", n, i, g, w)
					}
				}
			}
		})
	}
}

// TestByRow calls a function for every row, which sees its own cells alone.
func TestByRow(t *testing.T) {
	reverse := stage.ByRow(func(dst, src []float64) {
		if len(src) != 2 || cap(src) != 2 || cap(dst) != 3 {
			t.Fatalf("got a row of %d cells (%d) for %d", len(src), cap(src), cap(dst))
		}
		dst[0], dst[1], dst[2] = src[1], src[0], 0
	})
	got := make([]float64, 6)
	reverse.Map(got, []float64{1, 2, 3, 4}, 2)
	if want := [6]float64{2, 1, 0, 4, 3, 0}; [6]float64(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	reverse.Map(nil, nil, 0)
}
