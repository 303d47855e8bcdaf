package steps

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// behind prices steps one after the other, and returns the population and the stage behind them.
func behind(t *testing.T, n int, mu float64, in frames.Schema, all ...stage.Preprocessor) (Reference, stage.Stage) {
	t.Helper()
	p, err := pair.Start(n, stage.StartRadius(in), accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	st, r := stage.Stage{In: in, Before: p}, NewReference(in)
	for _, s := range all {
		if st.Out, err = s.Check(st.In); err != nil {
			t.Fatal(err)
		}
		pr, err := s.Propagate(st)
		if err != nil {
			t.Fatal(err)
		}
		st.After = pr.Pair
		r = r.Behind(s, st, mu)
		st = stage.Stage{In: st.Out, Before: pr.Pair, Taint: pr.Taint}
	}
	return r, st
}

// TestReference: what steps make of the population, in cases that are known by hand. A mechanism predicts 0.01, and 0.1 of a model that says
// nothing.
func TestReference(t *testing.T) {
	schema := func(cols ...frames.Column) frames.Schema {
		s, err := frames.NewSchema(cols...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	even := schema(frames.Numeric("a", -1, 1), frames.Numeric("b", -1, 1))
	uneven := schema(frames.Numeric("a", -1, 1), frames.Numeric("b", -1e6, 1e6))
	missing := schema(frames.Numeric("a", -1, 1).MayMiss(), frames.Numeric("b", -1, 1))
	const e, most = 0.01, 0.1
	lost := func(share float64) float64 { return share*most + (1-share)*e }
	for _, c := range []struct {
		name  string
		in    frames.Schema
		steps []stage.Preprocessor
		want  float64
	}{
		{"bounds as they are", even, nil, e},
		{"scaled", uneven, []stage.Preprocessor{Scale{}}, e},
		{"of other units: one column is lost, the other has the ball to itself", uneven, nil, most/2 + e/4},
		{"midpoints: 1 + 1 of a twentieth of one column of two", missing, []stage.Preprocessor{MidpointImpute{}}, lost(0.05)},
		{"midpoints with an indicator, in one column of three", missing, []stage.Preprocessor{Indicate{}, MidpointImpute{}, Scale{}}, lost(0.05 / 3)},
		{"means", missing, []stage.Preprocessor{MeanImpute{Mean{Pad: 51}, nil}}, lost(0.025)},
		{"a floor below every spread, and columns that only shrink to it", even, []stage.Preprocessor{Scale{}, Standardize{How: Standard{Floor: 0.01}}}, 0},
		{"a ball that cuts nothing off", even, []stage.Preprocessor{Scale{}, ClipNorm{2}}, e},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, end := behind(t, 100, 0.3, c.in, c.steps...)
			got := r.Error(e, most, end)
			if c.want > 0 && math.Abs(got/c.want-1) > 1e-3 {
				t.Errorf("got an error of %g, want %g", got, c.want)
			}
			if !(got > 0 && got <= most) {
				t.Errorf("got an error of %g, want one up to %g", got, most)
			}
		})
	}
}

// TestReferenceOfComponents: directions that the noise on a second moment covers keep what random ones would, and nothing more is lost
// with less noise.
func TestReferenceOfComponents(t *testing.T) {
	var cols []frames.Column
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		cols = append(cols, frames.Numeric(name, -1, 1))
	}
	in, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	last := 1.0
	for _, n := range []int{100, 1000, 10000, 1000000} {
		r, _ := behind(t, n, 0.3, in, Scale{}, PrivatePCA{PrivateComponents{K: 4, Share: 0.1}})
		if !(r.Lost <= last) {
			t.Errorf("%d rows: %g of the signal is lost, with fewer %g", n, r.Lost, last)
		}
		last = r.Lost
	}
	shares := NewReference(in).spectrum(8)
	if want := 1 - shares[0] - shares[1] - shares[2]; math.Abs(last-want) > 1e-12 {
		t.Errorf("without noise %g is lost, want %g outside three directions and the mean", last, want)
	}
	if r, _ := behind(t, 100, 0.3, in, Scale{}, PrivatePCA{PrivateComponents{K: 4, Share: 0.1}}); math.Abs(r.Lost-5./8) > 0.1 {
		t.Errorf("by noise alone %g is lost, want about 5/8", r.Lost)
	}
}

// TestCategoriesSpread: a category has no spread of its own, and the block that encodes it has that of the population.
func TestCategoriesSpread(t *testing.T) {
	in, err := frames.NewSchema(frames.Numeric("a", -1, 1), frames.Category("c", "x", "y", "z"))
	if err != nil {
		t.Fatal(err)
	}
	r, end := behind(t, 100, 0.3, in, OneHot{}, Scale{})
	if got := r.Error(0.01, 0.1, end); math.Abs(got/0.01-1) > 1e-3 {
		t.Errorf("got an error of %g, want the mechanism's own, 0.01", got)
	}
}

// TestEvenDirections: in front of a regression k components keep their share of d directions, and a filter does to all what it does to one.
func TestEvenDirections(t *testing.T) {
	var cols []frames.Column
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		cols = append(cols, frames.Numeric(name, -1, 1))
	}
	in, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReference(in)
	r.Even = true
	_, st := behind(t, 1000000, 0.3, in, Scale{})
	for _, c := range []struct {
		name string
		step stage.Preprocessor
		want float64
	}{
		{"four components, one of them the mean", PrivatePCA{PrivateComponents{K: 4, Share: 0.1}}, 1 - 3./8},
		{"a filter above every eigenvalue", FilterBy(SoftThreshold{Lambda: 0.9}), 1},
	} {
		if got := r.Behind(c.step, st, 0.3).Lost; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g of the signal is lost, want %g", c.name, got, c.want)
		}
	}
}
