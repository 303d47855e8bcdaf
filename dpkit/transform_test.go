package dpkit

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func TestRowMaps(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		m    stage.RowMap
		in   []float64
		want []float64
	}{
		{"nothing", stage.RowMap{}, []float64{1, 2}, []float64{1, 2}},
		{"one-hot", stage.RowMap{{OneHot: &stage.OneHotOp{Levels: []int{0, 3}}}}, []float64{5, 1}, []float64{5, 0, 1, 0}},
		{"one-hot of a missing cell", stage.RowMap{{OneHot: &stage.OneHotOp{Levels: []int{2}}}}, []float64{nan}, []float64{nan, nan}},
		{"fill", stage.RowMap{{Fill: &stage.FillOp{Columns: []int{1}, Values: []float64{9}}}}, []float64{nan, nan}, []float64{nan, 9}},
		{"indicate", stage.RowMap{{Indicate: &stage.IndicateOp{Columns: []int{1, 0}}}}, []float64{5, nan}, []float64{5, nan, 1, 0}},
		{"affine", stage.RowMap{{Affine: &stage.AffineOp{Shift: []float64{1, 0}, Scale: []float64{2, 3}}}}, []float64{2, 2}, []float64{2, 6}},
		{"clip", stage.RowMap{{Clip: &stage.ClipOp{R: 1}}}, []float64{3, 4}, []float64{0.6, 0.8}},
		{"clip inside", stage.RowMap{{Clip: &stage.ClipOp{R: 6}}}, []float64{3, 4}, []float64{3, 4}},
		{"clip beside a missing cell", stage.RowMap{{Clip: &stage.ClipOp{R: 1}}}, []float64{2, nan}, []float64{1, nan}},
		{"select", stage.RowMap{{Select: &stage.SelectOp{Columns: []int{2, 0}}}}, []float64{1, 2, 3}, []float64{3, 1}},
		{"clamp", stage.RowMap{{Clamp: &stage.ClampOp{Columns: []int{0, 1, 2}, Lo: 0, Hi: 1}}}, []float64{-1, 5, nan}, []float64{0, 1, nan}},
		{"grid", stage.RowMap{{Grid: &stage.GridOp{Columns: []int{0, 1, 2}, Lo: []float64{0, 0, 0}, Hi: []float64{1, 1, 1}, Width: 0.4}}}, []float64{0.1, 0.9, nan}, []float64{0.2, 1, nan}},
		{"two", stage.RowMap{{Select: &stage.SelectOp{Columns: []int{1}}}, {Clip: &stage.ClipOp{R: 1}}}, []float64{1, 5}, []float64{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, width, err := c.m.Transform(len(c.in))
			if err != nil || width != len(c.want) {
				t.Fatalf("width %d, %v", width, err)
			}
			got := make([]float64, width)
			f.Map(got, c.in, 1)
			for j := range got {
				if !(math.Abs(got[j]-c.want[j]) < 1e-15) && !(math.IsNaN(got[j]) && math.IsNaN(c.want[j])) {
					t.Fatalf("got %v, want %v", got, c.want)
				}
			}
		})
	}
	for name, op := range map[string]stage.RowOp{
		"unknown":          {},
		"one-hot width":    {OneHot: &stage.OneHotOp{Levels: []int{1}}},
		"indicate":         {Indicate: &stage.IndicateOp{Columns: []int{2}}},
		"fill values":      {Fill: &stage.FillOp{Columns: []int{0}, Values: nil}},
		"fill position":    {Fill: &stage.FillOp{Columns: []int{2}, Values: []float64{1}}},
		"affine width":     {Affine: &stage.AffineOp{Shift: []float64{1}, Scale: []float64{1}}},
		"clip radius":      {Clip: &stage.ClipOp{}},
		"select position":  {Select: &stage.SelectOp{Columns: []int{-1}}},
		"clamp position":   {Clamp: &stage.ClampOp{Columns: []int{7}, Lo: 0, Hi: 1}},
		"levels position":  {Levels: &stage.LevelsOp{Column: 2}},
		"levels twice":     {Levels: &stage.LevelsOp{Codes: []float64{1, 1}, Levels: []int{0, 1}}},
		"levels lengths":   {Levels: &stage.LevelsOp{Codes: []float64{1}}},
		"levels below 0":   {Levels: &stage.LevelsOp{Other: -1}},
		"grid width":       {Grid: &stage.GridOp{Columns: []int{0}, Lo: []float64{0}, Hi: []float64{1}}},
		"grid bounds":      {Grid: &stage.GridOp{Columns: []int{0}, Width: 1}},
		"grid position":    {Grid: &stage.GridOp{Columns: []int{3}, Lo: []float64{0}, Hi: []float64{1}, Width: 1}},
		"grid NaN as zero": {Grid: &stage.GridOp{Columns: []int{0}, Lo: []float64{0}, Hi: []float64{1}, Width: math.NaN()}},
	} {
		if _, _, err := (stage.RowMap{op}).Transform(2); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
