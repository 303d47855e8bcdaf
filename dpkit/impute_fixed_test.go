package dpkit

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestFixed(t *testing.T) {
	s := demo(t, tinyFrame(t, 50, 1))
	m := rowsBehind(t, s, s.Data().Impute(Fixed{Value: 0.5}, "pay").OneHot().Impute(Midpoint{}))
	raw := rowsBehind(t, s, s.Data().ClipColumns(17, 90, "age")) // changes nothing
	filled := 0
	for i := range m.Rows() {
		want := raw.Row(i)[2]
		if math.IsNaN(want) {
			filled++
			want = 0.5
		}
		if got := m.Row(i)[4]; got != want { // behind age and the three levels of work
			t.Errorf("row %d: got %v, want %v", i, got, want)
		}
	}
	if filled == 0 {
		t.Error("no cell was filled")
	}
	cost := must(s.Data().Impute(Fixed{Value: 0.5}, "pay").OneHot().Impute(Midpoint{}).Mean(Target{Epsilon: 1, Delta: 1e-6}).Cost())
	if a := cost.Release.Amplification(); a != 1 {
		t.Errorf("noise × %v, want a free step", a)
	}
	for name, c := range map[string]struct {
		p    Pipeline
		is   error
		want string
	}{
		"out of bounds":  {s.Data().Impute(Fixed{Value: 5}, "pay"), ErrParameter, "[-1, 4]"},
		"NaN":            {s.Data().Impute(Fixed{Value: math.NaN()}, "pay"), ErrParameter, "got NaN"},
		"a category":     {s.Data().OneHot().Impute(Fixed{Value: 0}), ErrColumn, "Midpoint{}"},
		"a raw category": {s.Data().Impute(Fixed{Value: 0}, "work"), ErrOrder, "OneHot"},
	} {
		_, err := c.p.Schema()
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %v with %q", name, err, c.is, c.want)
		}
	}
}
