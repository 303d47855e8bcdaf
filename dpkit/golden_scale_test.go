package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// goldenScale maps names of steps in testdata/golden/calculus.json to their bounds here, where only
// the norm of a row is known: its columns' widths make the constants of a chain smaller.
func goldenScale() map[string]func(accountant.Pair) (accountant.StepBounds, error) {
	type bounds = func(accountant.Pair) (accountant.StepBounds, error)
	std := func(floor, gain float64) bounds {
		return func(p accountant.Pair) (accountant.StepBounds, error) {
			return stdBounds(p, spread{floor: floor, gain: gain, q: min(4*p.R*p.R, 4*p.R*p.D()), cell: 2 * p.R}), nil
		}
	}
	rms := func(floor float64) bounds {
		return func(p accountant.Pair) (accountant.StepBounds, error) {
			return rmsBounds(p, spread{floor: floor, gain: floor, q: min(math.Sqrt2*p.R*p.R, 2*p.R*p.D()), cell: p.R}), nil
		}
	}
	filter := func(f SpectralFilter) bounds {
		return func(p accountant.Pair) (accountant.StepBounds, error) {
			return spectralBounds(p, f.constants(p.R)), nil
		}
	}
	centred := func(f SpectralFilter) bounds {
		return func(p accountant.Pair) (accountant.StepBounds, error) {
			return centredSpectralBounds(p, f.constants(p.R)), nil
		}
	}
	return map[string]bounds{
		"center":                  func(p accountant.Pair) (accountant.StepBounds, error) { return centerBounds(p), nil },
		"std_scale(fl=.2)":        std(.2, .2),
		"std_scale(fl=.2,gain=1)": std(.2, 1),
		"rms_scale(fl=.2)":        rms(.2),
		"rms_scale(.2)":           rms(.2),
		"svt(.05)":                filter(SoftThreshold{Lambda: .05}),
		"tik(.05)":                filter(Tikhonov{Lambda: .05}),
		"ramp(.02,.05)":           filter(Ramp{Start: .02, Width: .05}),
		"center_svt(.05)":         centred(SoftThreshold{Lambda: .05, Centered: true}),
		"center_tik(.05)":         centred(Tikhonov{Lambda: .05, Centered: true}),
		"smooth_winsor(w2=2,w1=4,d=4,q=.05,h=.08)": func(p accountant.Pair) (accountant.StepBounds, error) {
			return winsorBounds(p, winsor{two: 2, one: 4, columns: 4, q: .05, window: .08, radius: 2}), nil
		},
	}
}

// goldenPair is a pair state of the file; a missing dfree is +Inf.
type goldenPair struct {
	N          int
	R          float64
	F, M       int
	T1, TF, TI float64
	DFree      *float64
}

func (g goldenPair) pair() accountant.Pair {
	p := accountant.Pair{Neighbours: ReplaceOne, N: g.N, R: g.R, F: g.F, M: g.M, T1: g.T1, TF: g.TF, TInf: g.TI, DFree: math.Inf(1)}
	if g.DFree != nil {
		p.DFree = *g.DFree
	}
	return p
}

// TestGoldenScale: testdata/golden/calculus.json was computed by the reference implementation of the
// stability calculus (numpy, float64).
func TestGoldenScale(t *testing.T) {
	raw, err := os.ReadFile("../testdata/golden/calculus.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Steps []struct {
			Step    string
			In, Out goldenPair
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	steps := goldenScale()
	seen := map[string]bool{}
	for i, e := range golden.Steps {
		bounds, ok := steps[e.Step]
		if !ok {
			continue // the step of another file, or of the accountant's own table
		}
		seen[e.Step] = true
		t.Run(fmt.Sprintf("%02d %s", i, e.Step), func(t *testing.T) {
			p := e.In.pair()
			b, err := bounds(p)
			if err != nil {
				t.Fatal(err)
			}
			goldenClose(t, p, b, e.Out.pair())
			if e.Step == "svt(.05)" { // §3: soft selection has the constants of soft-thresholded singular values
				q := min(math.Sqrt2*p.R*p.R, 2*p.R*p.D())
				goldenClose(t, p, softSelectBounds(p, .05*p.R*p.R, q, p.R), e.Out.pair())
			}
		})
	}
	// Two names of one step: chains of the file write rms_scale without "fl=".
	if len(seen) < 10 {
		t.Errorf("%d steps were checked, want 10 of %d", len(seen), len(steps))
	}
}

func goldenClose(t *testing.T, p accountant.Pair, b accountant.StepBounds, want accountant.Pair) {
	t.Helper()
	got, err := p.Propagate(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.N != want.N || got.F != want.F || got.M != want.M {
		t.Errorf("n, f, m = %d, %d, %d, want %d, %d, %d", got.N, got.F, got.M, want.N, want.F, want.M)
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"R", got.R, want.R}, {"t1", got.T1, want.T1}, {"tF", got.TF, want.TF}, {"tInf", got.TInf, want.TInf}, {"dfree", got.DFree, want.DFree}} {
		if c.got != c.want && !(math.Abs(c.got-c.want) <= 1e-9*math.Abs(c.want)) {
			t.Errorf("%s = %.17g, want %.17g to 1e-9", c.what, c.got, c.want)
		}
	}
}

// TestDerivedConstants: a chain reads the constants of §3 off its columns. Where a ball is all that
// is known they are those of the table; narrow columns make them smaller; a floor that no column
// can pass leaves nothing to fit.
func TestDerivedConstants(t *testing.T) {
	start := must(accountant.Start(1000, 1, ReplaceOne))
	columns := func(d int, half float64) subset {
		s := subset{radius: math.Inf(1), diameter: math.Inf(1)}
		for range d {
			s.lo, s.hi, s.at = append(s.lo, -half), append(s.hi, half), append(s.at, len(s.at))
		}
		return s
	}
	for _, c := range []struct {
		name  string
		cols  subset
		scale columnScale
		q     float64
		cell  float64
	}{
		{"ball, centred", columns(9, 1), newColumnScale(0.2, 0.2, true), 4, 2},
		{"ball, public centre", columns(9, 1), newColumnScale(0.2, 0.2, false), math.Sqrt2, 1},
		{"narrow columns, centred: l4 norm of the widths", columns(4, 0.3), newColumnScale(0.2, 0.2, true), 0.36 * 2, 0.6},
		{"narrow columns, public centre: l4 norm of the heights", columns(4, 0.3), newColumnScale(0.2, 0.2, false), 0.09 * 2, 0.3},
		{"many narrow columns, centred: width times norm", columns(400, 0.3), newColumnScale(0.2, 0.2, true), 0.6 * math.Sqrt2 * 2, 0.6},
		{"many narrow columns, public centre", columns(400, 0.3), newColumnScale(0.2, 0.2, false), 0.3 * math.Sqrt2, 0.3},
		{"columns below the floor, centred", columns(4, 0.19), newColumnScale(0.2, 0.2, true), 0, 0},
		{"columns below the floor, public centre", columns(4, 0.19), newColumnScale(0.2, 0.2, false), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := c.scale.spreadOf(c.cols, c.cols.pair(start))
			if !(math.Abs(w.q-c.q) <= 1e-9) || !(math.Abs(w.cell-c.cell) <= 1e-9) {
				t.Errorf("Q, cell = %v, %v, want %v, %v", w.q, w.cell, c.q, c.cell)
			}
			b := w.bounds(start)
			if err := b.Validate(); err != nil {
				t.Error(err)
			}
			if table := stdBounds(start, w); c.scale.centred && !(b.A1 <= table.A1 && b.AF <= table.AF && b.AInf <= table.AInf) {
				t.Errorf("sharpened to %+v, above the table's %+v", b, table)
			}
		})
	}
}
