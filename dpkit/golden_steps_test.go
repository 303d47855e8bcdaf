package dpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenState is a pair state of a file: dfree is +Inf where it is missing or null.
type goldenState struct {
	N     int
	R     float64
	F, M  int
	T1    float64
	TF    float64
	TI    float64
	DFree *float64

	Error string
	After string // in a trace: the step that led here
}

func (s goldenState) pair() pair.State {
	p := pair.State{Neighbours: ReplaceOne, N: s.N, R: s.R, F: s.F, M: s.M, T1: s.T1, TF: s.TF, TInf: s.TI, DFree: math.Inf(1)}
	if s.DFree != nil {
		p.DFree = *s.DFree
	}
	return p
}

func (g goldenHandlers) state(t *testing.T, got pair.State, want goldenState) {
	t.Helper()
	w := want.pair()
	if got.N != w.N || got.F != w.F || got.M != w.M {
		t.Errorf("n, f, m = %d, %d, %d, want %d, %d, %d", got.N, got.F, got.M, w.N, w.F, w.M)
	}
	g.Same(t, "R", got.R, w.R)
	g.Same(t, "t1", got.T1, w.T1)
	g.Same(t, "tF", got.TF, w.TF)
	g.Same(t, "t∞", got.TInf, w.TInf)
	g.Same(t, "dfree", got.DFree, w.DFree)
}

// goldenStep is what a step's handler returns: the bounds of the table, and bounds of this package that are
// proved to be sharper.
type goldenStep struct {
	table   pair.StepBounds
	sharper []pair.StepBounds
	refused error
	freed   int // further free rows
}

// goldenStepTable maps names of steps to the bounds functions of this package. Only the norm of a row is known,
// in which a chain knows its columns too: these make the constants of a chain smaller.
// rOut is the norm bound after the step where a file states it beside the name, else NaN.
func goldenStepTable() map[string]func(c *goldenCall, p pair.State, rOut float64) goldenStep {
	type handler = func(c *goldenCall, p pair.State, rOut float64) goldenStep
	public := func(k, r float64) goldenStep {
		return goldenStep{table: pair.StepBounds{K: k, KF: k, R: r}}
	}
	clip := func(c *goldenCall, p pair.State, _ float64) goldenStep {
		return public(1, min(p.R, c.number(0, "c|r|R", math.NaN())))
	}
	mean := func(kappa float64) handler {
		return func(c *goldenCall, p pair.State, rOut float64) goldenStep {
			// A mid-mean is written with its κ alone; its other parameters are those of the reference.
			omega, n0, rows := c.number(0, "omega", 1), c.number(1, "N0|n0", 900), c.whole(2, "p", 80)
			b := steps.MeanBounds(p, omega, n0, rows, c.number(3, "kappa", kappa))
			b.R = c.number(4, "Rout|R", imputedNorm(rOut))
			return goldenStep{table: b}
		}
	}
	lambda := func(c *goldenCall, p pair.State) float64 {
		return c.number(0, "lam|lambda", math.NaN()) / (p.R * p.R)
	}
	ramp := func(c *goldenCall, p pair.State) SpectralFilter {
		r2 := p.R * p.R
		return Ramp{Start: c.number(0, "a0|start", math.NaN()) / r2, Width: c.number(1, "w|width", math.NaN()) / r2}
	}
	filter := func(of func(*goldenCall, pair.State) SpectralFilter) handler {
		return func(c *goldenCall, p pair.State, _ float64) goldenStep {
			return goldenStep{table: steps.SpectralBounds(p, of(c, p).Constants(p.R))}
		}
	}
	centred := func(of func(*goldenCall, pair.State) SpectralFilter) handler {
		return func(c *goldenCall, p pair.State, _ float64) goldenStep {
			return goldenStep{table: steps.CentredSpectralBounds(p, of(c, p).Constants(p.R))}
		}
	}
	svt := func(c *goldenCall, p pair.State) SpectralFilter { return SoftThreshold{Lambda: lambda(c, p)} }
	tik := func(c *goldenCall, p pair.State) SpectralFilter { return Tikhonov{Lambda: lambda(c, p)} }
	// Soft selection has the constants of soft-thresholded singular values.
	selection := func(c *goldenCall, p pair.State, _ float64) goldenStep {
		q := min(math.Sqrt2*p.R*p.R, 2*p.R*p.D())
		return goldenStep{table: steps.SoftSelectBounds(p, lambda(c, p)*p.R*p.R, q, p.R)}
	}
	ranked := func(b pair.StepBounds, p pair.State, r float64) goldenStep {
		b.R = r
		return goldenStep{table: b, refused: domain.CleanKeys(stage.Stage{Taint: stage.Taint{"x": p.Displaced()}}, []string{"x"})}
	}
	affine := func(c *goldenCall, p pair.State, _ float64) goldenStep {
		k := c.number(0, "op|opnorm", math.NaN())
		return public(k, k*p.R+c.number(1, "shift", 0))
	}
	winsorise := func(c *goldenCall, p pair.State, rOut float64) goldenStep {
		w := steps.Winsor{
			Two: c.number(0, "w2", math.NaN()), One: c.number(1, "w1", math.NaN()), Columns: c.number(2, "d", math.NaN()),
			Q: c.number(3, "q", math.NaN()), Window: c.number(4, "h", math.NaN()),
		}
		if w.Radius = c.number(5, "Rout|R", rOut); math.IsNaN(w.Radius) {
			w.Radius = w.Two // of a box that holds 0
		}
		b := steps.WinsorBounds(p, w)
		return goldenStep{table: b, sharper: []pair.StepBounds{steps.OneTransport(b)}}
	}
	center := func(_ *goldenCall, p pair.State, _ float64) goldenStep {
		return goldenStep{table: steps.CenterBounds(p)}
	}
	dedup := func(c *goldenCall, p pair.State, _ float64) goldenStep {
		// The set of keys has one free row, rows that keep a payload two for each.
		s := ranked(pair.StepBounds{K: 1, KF: 1}, p, p.R)
		if c.number(0, "payload", 1) != 0 {
			s.freed = p.F
		}
		return s
	}
	all := map[string]handler{
		"public_affine": affine,
		"clip_ball":     clip,
		"clip":          clip,
		"center":        center,
		"std_scale": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			fl := c.number(0, "fl|floor", math.NaN())
			return goldenStep{table: steps.StdBounds(p, steps.Spread{
				Floor: fl, Gain: c.number(1, "gain|g", fl), Cell: 2 * p.R, Centred: true,
				Q: c.number(2, "Q", min(4*p.R*p.R, 4*p.R*p.D())),
			})}
		},
		"rms_scale": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			fl := c.number(0, "fl|floor", math.NaN())
			return goldenStep{table: steps.RmsBounds(p, steps.Spread{
				Floor: fl, Gain: c.number(1, "gain|g", fl), Cell: p.R,
				Q: c.number(2, "Q0|Q", min(math.Sqrt2*p.R*p.R, 2*p.R*p.D())),
			})}
		},
		"mean_impute":    mean(1),
		"midmean_impute": mean(math.NaN()),
		"median_impute": func(c *goldenCall, p pair.State, rOut float64) goldenStep {
			b := steps.MedianBounds(p, c.whole(2, "d", 1), c.whole(1, "p", 80), c.number(0, "omega", 1))
			b.R = c.number(3, "Rout|R", imputedNorm(rOut))
			return goldenStep{table: b}
		},
		"ridge_impute": func(c *goldenCall, p pair.State, rOut float64) goldenStep {
			lam, b := c.number(0, "lam", math.NaN()), c.number(1, "b", math.NaN())
			y := steps.RidgeBound{Width: math.Inf(1), B: b, Beta: b / (2 * math.Sqrt(lam))}
			r := p.R*y.Beta + b
			// The reference takes a free row that moves by D for one that keeps its mask, in its gradient too.
			y.Grad = min(p.R*r, (r+p.R*math.Sqrt(1+y.Beta*y.Beta))*p.D()/2)
			n0 := c.number(2, "N0|n0", math.NaN())
			q := steps.RidgeConstants{
				Rz: p.R, Lambda: lam, M0: n0, Strong: lam * n0, Average: lam, Fixed: true, Targets: []steps.RidgeBound{y}, Displaced: true, Moving: true,
			}
			s := steps.RidgeBounds(p, q, c.whole(3, "p", 80))
			s.ResetFree = false // the reference keeps the bound on the free row's image, which the step gives up
			s.R = c.number(4, "Rout|R", rOut)
			return goldenStep{table: s}
		},
		"svt":                filter(svt),
		"tik":                filter(tik),
		"ramp":               filter(ramp),
		"col_soft_threshold": selection,
		"hard_pca": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			return goldenStep{table: steps.HardBounds(p, c.whole(0, "k", 0), c.number(1, "gap", math.NaN()))}
		},
		"center_svt":  centred(svt),
		"center_tik":  centred(tik),
		"center_ramp": centred(ramp),
		"center_hard": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			return goldenStep{table: centredHard(p, c.number(0, "k", math.NaN()), c.number(1, "gap", math.NaN()))}
		},
		"grid": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			return goldenStep{table: steps.GridBounds(p, c.number(0, "eta|width", math.NaN()), c.whole(1, "d", 1))}
		},
		"smooth_winsor": winsorise,
		"target_encode": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			b := steps.GroupMeanBounds(p, 1, c.number(0, "w", math.NaN()), c.number(1, "kappa", math.NaN()))
			// The reference lets the label move by the whole displacement; here it is always clean.
			still := b
			still.R = p.R
			b.H1, b.HF, b.HInf, b.R = p.T1, p.T1, p.T1, p.R
			return goldenStep{table: b, sharper: []pair.StepBounds{still}}
		},
		"freq_encode": func(_ *goldenCall, p pair.State, _ float64) goldenStep {
			b := steps.CountBounds(p, 1)
			b.R = p.R
			return goldenStep{table: b} // the key is another column
		},
		"rank_transform": func(c *goldenCall, p pair.State, _ float64) goldenStep {
			c.word("clean")
			return ranked(steps.CountBounds(p, 1), p, 1)
		},
		"dedup_key": dedup,
	}
	for alias, name := range map[string]string{
		"centre": "center", "std": "std_scale", "rms": "rms_scale", "impute": "mean_impute", "hardpca": "hard_pca", "hard": "hard_pca",
		"winsor": "smooth_winsor", "midmean": "midmean_impute", "quantize": "grid", "rank": "rank_transform",
	} {
		all[alias] = all[name]
	}
	return all
}

// imputedNorm is the norm bound of the reference's imputed rows, 1.2, which its names leave out; a file that
// states the bound of the rows after the step has the say.
func imputedNorm(stated float64) float64 {
	if math.IsNaN(stated) {
		return 1.2
	}
	return stated
}

// centredHard is the table's projector onto leading directions of the covariance. No step of this package takes
// it, so that its bounds are the table's own.
func centredHard(p pair.State, k, gap float64) pair.StepBounds {
	n, r, d, f := float64(p.N), p.R, p.D(), float64(p.F)
	e := f*min(4*r*r, 4*r*d)*(n-1)/(n*n) + min(4*r*p.T1/n, 2*r*p.TF/math.Sqrt(n))
	turn, mu := min(1, e/gap), (f*d+p.T1)/n
	all := math.Sqrt(n) * r * turn
	if rest := gap - e; rest > 0 {
		all = min(all, math.Sqrt(n)*e*math.Sqrt(r*r/(k+1)+rest)/rest)
	}
	return pair.StepBounds{
		K: 1, H1: min(n*2*r*turn, math.Sqrt(n)*all) + (n-1)*mu, HF: all + math.Sqrt(n-1)*mu, HInf: 2*r*turn + mu,
		Affected: p.N - p.F, R: 2 * r,
	}
}

// goldenApply takes the steps that a name lists.
func goldenApply(t *testing.T, p pair.State, names string, want goldenState) (pair.State, error) {
	t.Helper()
	calls, err := parseCalls(names)
	if err != nil {
		t.Fatal(err)
	}
	table := goldenStepTable()
	for i, c := range calls {
		step, ok := table[c.name]
		if !ok {
			t.Fatalf("no bounds for step %q", c.name)
		}
		rOut := math.NaN()
		if i == len(calls)-1 && want.R > 0 {
			rOut = want.R
		}
		s := step(c, p, rOut)
		if err := c.unread(); err != nil {
			t.Fatal(err)
		}
		if s.refused != nil {
			return p, s.refused
		}
		next, err := p.Propagate(s.table)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, b := range s.sharper {
			sharp, err := p.Propagate(b)
			if err != nil {
				t.Fatal(err)
			}
			const rounding = 1 + 1e-14
			if !(sharp.T1 <= next.T1*rounding) || !(sharp.TF <= next.TF*rounding) || !(sharp.TInf <= next.TInf*rounding) || sharp.M > next.M {
				t.Errorf("%s: sharpened to %v, above %v", c.name, sharp, next)
			}
		}
		if s.freed > 0 {
			free := next.DFree
			if next, err = next.Group(s.freed); err != nil {
				t.Fatal(err)
			}
			if !(next.DFree >= free) {
				t.Errorf("%s: the free rows' images are bounded by %v, which held before alone", c.name, next.DFree)
			}
			next.DFree = free // of the reference, which does not reset it
		}
		p = next
	}
	return p, nil
}

func (g goldenHandlers) steps(t *testing.T, raw json.RawMessage) {
	var list []struct {
		Step    string
		In, Out goldenState
	}
	golden.Decode(t, raw, &list)
	for i, e := range list {
		t.Run(fmt.Sprintf("%02d %s", i, e.Step), func(t *testing.T) {
			got, err := goldenApply(t, e.In.pair(), e.Step, e.Out)
			switch {
			case e.Out.Error != "":
				if !errors.Is(err, ErrOrder) {
					t.Errorf("got %v, %v, want ErrOrder: %s", got, err, e.Out.Error)
				}
			case err != nil:
				t.Error(err)
			default:
				g.state(t, got, e.Out)
			}
		})
	}
}

func (g goldenHandlers) chains(t *testing.T, raw json.RawMessage) {
	var list []struct {
		Steps []string
		Trace []goldenState
	}
	golden.Decode(t, raw, &list)
	for k, c := range list {
		if len(c.Trace) != len(c.Steps)+1 {
			t.Errorf("chain %d: %d steps and %d states, want one more", k, len(c.Steps), len(c.Trace))
			continue
		}
		p := c.Trace[0].pair()
		for i, names := range c.Steps {
			want := c.Trace[i+1]
			t.Run(fmt.Sprintf("%d.%d %s", k, i, names), func(t *testing.T) {
				if want.After != "" && want.After != names {
					t.Fatalf("the state is said to be that after %s", want.After)
				}
				next, err := goldenApply(t, p, names, want)
				if err != nil {
					t.Fatal(err)
				}
				g.state(t, next, want)
				p = next
			})
		}
	}
}

// TestStepBoundsAreMonotone: a looser state stays looser through every step of the table, with the constants that
// the step derives from the state.
func TestStepBoundsAreMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	table := goldenStepTable()
	for _, name := range []string{
		"public_affine(op=2,shift=.5)", "clip(.7)", "center", "std_scale(.2,1)", "rms_scale(.2)", "mean_impute(1,900,80)", "midmean_impute(kappa=4)",
		"median_impute(1,80,3)", "ridge_impute(.1,1,900,80)", "svt(.05)", "tik(.05)", "ramp(.02,.05)", "hard_pca(3,.1)", "center_svt(.05)",
		"center_tik(.05)", "center_ramp(.02,.05)", "center_hard(3,.1)", "grid(.01,4)", "smooth_winsor(2,4,4,.05,.08)", "target_encode(1,10)", "freq_encode",
		"col_soft_threshold(.05)",
	} {
		call := must(parseCalls(name))[0]
		for range 100 {
			n := 30 + r.IntN(100)
			draw := func() float64 { return math.Exp(2 * r.NormFloat64()) }
			p := pair.State{Neighbours: ReplaceOne, N: n, R: 0.5 + r.Float64(), F: r.IntN(3), M: r.IntN(n - 3), T1: draw(), TF: draw(), TInf: draw(), DFree: math.Inf(1)}.Close()
			q := p
			q.M, q.T1, q.TF, q.TInf = min(p.M+3, p.N-p.F), 1.5*p.T1+0.1, p.TF+0.1, 2*p.TInf+0.1
			q = q.Close()
			a := must(p.Propagate(table[call.name](call, p, 1.5).table))
			b := must(q.Propagate(table[call.name](call, q, 1.5).table))
			const ok = 1 + 1e-12
			if a.M > b.M || a.T1 > b.T1*ok || a.TF > b.TF*ok || a.TInf > b.TInf*ok || a.D() > b.D()*ok {
				t.Fatalf("%s: %v\nto %v\nwhile %v\nto %v", name, p, a, q, b)
			}
		}
	}
}
