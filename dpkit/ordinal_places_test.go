package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// wards are 60 rows of a category of five levels with missing cells, one of four and one of two, and a number.
func wards(t testing.TB) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(
		frames.Category("ward", "north", "east", "south", "west", "other").MayMiss(),
		frames.Category("size", "s", "m", "l", "xl").MayMiss(),
		frames.Category("smoker", "no", "yes").MayMiss(),
		frames.Category("known", "a", "b"),
		frames.Numeric("pay", 0, 10).MayMiss(),
		frames.Label("y", "no", "yes"),
	))
	nan := math.NaN()
	var rows [][]float64
	for i := range 60 {
		row := []float64{float64(i % 5), float64(i % 4), float64(i % 2), float64(i % 2), float64(i % 10), float64(i % 2)}
		for j, every := range []int{3, 7, 4, 61, 5} {
			if i%every == every-1 {
				row[j] = nan
			}
		}
		rows = append(rows, row)
	}
	return frameOf(t, s, rows)
}

// TestFixedIsNoLevel: behind Ordinal a missing cell is not filled by the number of a level, in whatever units the column is by then.
func TestFixedIsNoLevel(t *testing.T) {
	s := demo(t, wards(t))
	data := s.Data()
	if err := RegisterFunc("ordinal places test", "1", func(x []float64) float64 { return 1 + x[0] }); err != nil {
		t.Fatal(err)
	}
	mutated := MutateOptions{From: []string{"ward"}, Func: "ordinal places test", Version: "1", Lo: 0, Hi: 2}
	scaled := must(data.Ordinal("ward").Select("ward").Scale().Schema())
	ward, _ := scaled.Column("ward")
	for name, c := range map[string]struct {
		p     Pipeline
		level string // in the refusal; "" if the number is none's
	}{
		"zero value":          {data.Ordinal("ward").Impute(Fixed{}, "ward"), "north"},
		"all columns":         {data.Ordinal().Impute(Fixed{}), "north"},
		"a later column":      {data.Ordinal("size").Impute(Fixed{Value: 1}, "pay", "size"), "xl"},
		"last level":          {data.Ordinal("ward").Impute(Fixed{Value: 1}, "ward"), "other"},
		"middle level":        {data.Ordinal("ward").Impute(Fixed{Value: 0.5}, "ward"), "south"},
		"thirds":              {data.Ordinal("size").Impute(Fixed{Value: 2. / 3}, "size"), "l"},
		"thirds, rounded":     {data.Ordinal("size").Impute(Fixed{Value: 0.6666667}, "size"), "l"},
		"two levels":          {data.Ordinal("smoker").Impute(Fixed{}, "smoker"), "no"},
		"two levels, the one": {data.Ordinal("smoker").Impute(Fixed{Value: 1}, "smoker"), "yes"},
		"steps between":       {data.Ordinal("ward").Indicate("ward").Drop("pay").Impute(Fixed{}, "ward"), "north"},
		"other columns":       {data.Ordinal("ward").OneHot("size").Impute(Midpoint{}, "size").Impute(Fixed{}, "ward"), "north"},
		"scaled":              {data.Ordinal("ward").Select("ward").Scale().Impute(Fixed{Value: ward.Lo}), "north"},
		"scaled, the middle":  {data.Ordinal("ward").Select("ward").Scale().Impute(Fixed{}), "south"},
		"clamped":             {data.Ordinal("ward").ClipColumns(0.1, 0.6, "ward").Impute(Fixed{Value: 0.1}, "ward"), "north"},
		"quantized":           {data.Ordinal("ward").Quantize(0.2, "ward").Impute(Fixed{Value: 0.1}, "ward"), "north"},
		"clipped":             {data.Ordinal("ward").Select("ward").ClipNorm(0.5).Impute(Fixed{Value: 0.5}), "south"},
		"winsorized":          {data.Ordinal("ward").Winsorize(PublicQuantiles{Lo: []float64{0}, Hi: []float64{1}}, "ward").Impute(Fixed{}, "ward"), "north"},
		"bins":                {data.Bin([]float64{2, 5}, "pay").Ordinal("pay").Impute(Fixed{}, "pay"), "below 2"},
		"levels of levels":    {data.Ordinal("ward").Bin([]float64{0.3}, "ward").Ordinal("ward").Impute(Fixed{Value: 1}, "ward"), "0.3 and above"},

		"between levels":          {data.Ordinal("ward").Impute(Fixed{Value: 0.1}, "ward"), ""},
		"between two levels":      {data.Ordinal("smoker").Impute(Fixed{Value: 0.5}, "smoker"), ""},
		"scaled, the middle of 2": {data.Ordinal("smoker").Select("smoker").Scale().Impute(Fixed{}), ""},
		"a number":                {data.Ordinal("ward").Impute(Fixed{}, "pay"), ""},
		"filled before":           {data.Ordinal("ward").Impute(Midpoint{}, "ward").Impute(Fixed{}, "pay"), ""},
		"a number in its place":   {data.Ordinal("ward").Mutate("ward", mutated).Impute(Fixed{}, "ward"), ""},
		"no cell may miss":        {data.Ordinal("known").Impute(Fixed{}, "pay"), ""},
		"a level of frequencies":  {data.FrequencyEncode("ward").Impute(Fixed{}, "ward"), ""},
	} {
		_, err := c.p.Schema()
		if c.level == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), fmt.Sprintf("the level %q", c.level)) || !strings.Contains(err.Error(), "Indicate") {
			t.Errorf("%s: got %v, want a refusal that names %q", name, err, c.level)
		}
	}
}

// TestMidpointNamesItsLevel: where the midpoint of a scale is its middle level the cost says so, and nowhere else.
func TestMidpointNamesItsLevel(t *testing.T) {
	data := demo(t, wards(t)).Data()
	for name, c := range map[string]struct {
		p    Pipeline
		said []string
	}{
		"five levels":   {data.Ordinal("ward").Impute(Midpoint{}, "ward"), []string{`in "ward" it is the level "south"`}},
		"four levels":   {data.Ordinal("size").Impute(Midpoint{}, "size"), nil},
		"two levels":    {data.Ordinal("smoker").Impute(Midpoint{}, "smoker"), nil},
		"all":           {data.Ordinal().Impute(Midpoint{}), []string{`in "ward" it is the level "south"`}},
		"scaled":        {data.Ordinal("ward").Select("ward").Scale().Impute(Midpoint{}), []string{`in "ward" it is the level "south"`}},
		"one-hot":       {data.OneHot().Impute(Midpoint{}), nil},
		"another width": {data.Ordinal("ward").ClipColumns(0, 0.6, "ward").Impute(Midpoint{}, "ward"), nil},
	} {
		text, err := c.p.Explain()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Count(text, "it is the level"); got != len(c.said) {
			t.Errorf("%s: got %d levels, want %d:\n%s", name, got, len(c.said), text)
		}
		for _, want := range c.said {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
}

// Property: where Fixed is accepted behind Ordinal, no missing cell comes out as the number that a level comes out as.
func TestFilledCellsAreNoLevel(t *testing.T) {
	f := wards(t)
	s := demo(t, f)
	accepted := 0
	for k := range 41 {
		v := float64(k) / 40
		p := s.Data().Select("ward").Ordinal("ward").Impute(Fixed{Value: v}, "ward")
		_, err := p.Schema()
		if level := k%10 == 0; level != (err != nil) {
			t.Errorf("%v: got %v", v, err)
		}
		if err != nil {
			continue
		}
		accepted++
		m := rowsBehind(t, s, p)
		var filled, present []float64
		raw := 0
		if err := f.Scan(context.Background(), func(b *frames.Block) error {
			for i := range b.Rows {
				if x := m.Row(raw)[0]; math.IsNaN(b.Row(i)[0]) {
					filled = append(filled, x)
				} else {
					present = append(present, x)
				}
				raw++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(filled) == 0 || slices.ContainsFunc(filled, func(x float64) bool { return slices.Contains(present, x) }) {
			t.Errorf("%v: missing cells %v, levels %v", v, filled, present)
		}
	}
	if accepted != 36 {
		t.Errorf("accepted %d numbers, want 36", accepted)
	}
}
