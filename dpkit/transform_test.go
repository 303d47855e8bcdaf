package dpkit

import (
	"math"
	"testing"
)

func TestRowMaps(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		m    RowMap
		in   []float64
		want []float64
	}{
		{"nothing", RowMap{}, []float64{1, 2}, []float64{1, 2}},
		{"one-hot", RowMap{{OneHot: &OneHotOp{[]int{0, 3}}}}, []float64{5, 1}, []float64{5, 0, 1, 0}},
		{"one-hot of a missing cell", RowMap{{OneHot: &OneHotOp{[]int{2}}}}, []float64{nan}, []float64{nan, nan}},
		{"fill", RowMap{{Fill: &FillOp{[]int{1}, []float64{9}}}}, []float64{nan, nan}, []float64{nan, 9}},
		{"indicate", RowMap{{Indicate: &IndicateOp{[]int{1, 0}}}}, []float64{5, nan}, []float64{5, nan, 1, 0}},
		{"affine", RowMap{{Affine: &AffineOp{[]float64{1, 0}, []float64{2, 3}}}}, []float64{2, 2}, []float64{2, 6}},
		{"clip", RowMap{{Clip: &ClipOp{1}}}, []float64{3, 4}, []float64{0.6, 0.8}},
		{"clip inside", RowMap{{Clip: &ClipOp{6}}}, []float64{3, 4}, []float64{3, 4}},
		{"clip beside a missing cell", RowMap{{Clip: &ClipOp{1}}}, []float64{2, nan}, []float64{1, nan}},
		{"select", RowMap{{Select: &SelectOp{[]int{2, 0}}}}, []float64{1, 2, 3}, []float64{3, 1}},
		{"clamp", RowMap{{Clamp: &ClampOp{[]int{0, 1, 2}, 0, 1}}}, []float64{-1, 5, nan}, []float64{0, 1, nan}},
		{"grid", RowMap{{Grid: &GridOp{[]int{0, 1, 2}, []float64{0, 0, 0}, []float64{1, 1, 1}, 0.4}}}, []float64{0.1, 0.9, nan}, []float64{0.2, 1, nan}},
		{"two", RowMap{{Select: &SelectOp{[]int{1}}}, {Clip: &ClipOp{1}}}, []float64{1, 5}, []float64{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, width, err := c.m.transform(len(c.in))
			if err != nil || width != len(c.want) {
				t.Fatalf("width %d, %v", width, err)
			}
			got := make([]float64, width)
			f(got, c.in)
			for j := range got {
				if !(math.Abs(got[j]-c.want[j]) < 1e-15) && !(math.IsNaN(got[j]) && math.IsNaN(c.want[j])) {
					t.Fatalf("got %v, want %v", got, c.want)
				}
			}
		})
	}
	for name, op := range map[string]RowOp{
		"unknown":          {},
		"one-hot width":    {OneHot: &OneHotOp{[]int{1}}},
		"indicate":         {Indicate: &IndicateOp{[]int{2}}},
		"fill values":      {Fill: &FillOp{[]int{0}, nil}},
		"fill position":    {Fill: &FillOp{[]int{2}, []float64{1}}},
		"affine width":     {Affine: &AffineOp{[]float64{1}, []float64{1}}},
		"clip radius":      {Clip: &ClipOp{}},
		"select position":  {Select: &SelectOp{[]int{-1}}},
		"clamp position":   {Clamp: &ClampOp{[]int{7}, 0, 1}},
		"grid width":       {Grid: &GridOp{Columns: []int{0}, Lo: []float64{0}, Hi: []float64{1}}},
		"grid bounds":      {Grid: &GridOp{Columns: []int{0}, Width: 1}},
		"grid position":    {Grid: &GridOp{Columns: []int{3}, Lo: []float64{0}, Hi: []float64{1}, Width: 1}},
		"grid NaN as zero": {Grid: &GridOp{Columns: []int{0}, Lo: []float64{0}, Hi: []float64{1}, Width: math.NaN()}},
	} {
		if _, _, err := (RowMap{op}).transform(2); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
