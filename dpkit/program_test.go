package dpkit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// program is a random schema and a random chain over it, with a generator of its rows.
type program struct {
	schema frames.Schema
	row    func(*rand.Rand) []float64
	build  func(Pipeline) Pipeline
	text   string
}

// randomProgram mixes numbers, categories and blocks that the input has already, any of which may
// miss, and appends the steps that are legal at each point in random order.
func randomProgram(t *testing.T, r *rand.Rand) program {
	var cols []frames.Column
	var draw []func(*rand.Rand) []float64
	miss := func(c frames.Column) frames.Column {
		if r.IntN(3) > 0 {
			c = c.MayMiss()
		}
		return c
	}
	for k := range 1 + r.IntN(4) {
		name := fmt.Sprint("c", k)
		switch r.IntN(3) {
		case 0:
			lo := math.Round(10*r.NormFloat64()) / 4
			c := miss(frames.Numeric(name, lo, lo+math.Exp(2*r.NormFloat64())))
			cols = append(cols, c)
			draw = append(draw, func(r *rand.Rand) []float64 {
				switch u := r.IntN(4); {
				case u == 0 && c.Missing:
					return []float64{math.NaN()}
				case u == 1:
					return []float64{c.Lo}
				case u == 2:
					return []float64{c.Hi}
				}
				return []float64{c.Lo + (c.Hi-c.Lo)*r.Float64()}
			})
		case 1:
			c := miss(frames.Category(name, "p", "q", "s"))
			cols = append(cols, c)
			draw = append(draw, func(r *rand.Rand) []float64 {
				if c.Missing && r.IntN(2) == 0 {
					return []float64{math.NaN()}
				}
				return []float64{float64(r.IntN(3))}
			})
		default:
			hi := math.Exp(r.NormFloat64())
			c := miss(frames.Numeric("", 0, hi))
			for i := range 2 {
				b := c
				b.Name, b.Block = fmt.Sprint(name, "=", i), name
				cols = append(cols, b)
			}
			draw = append(draw, func(r *rand.Rand) []float64 {
				switch u := r.IntN(4); {
				case u == 0 && c.Missing:
					return []float64{math.NaN(), math.NaN()}
				case u == 1:
					return []float64{hi, 0}
				case u == 2:
					return []float64{0, hi}
				}
				return []float64{hi * 0.6, hi * 0.7999}
			})
		}
	}
	cols = append(cols, frames.Label("label", "no", "yes"))
	p := program{schema: must(frames.NewSchema(cols...))}
	p.row = func(r *rand.Rand) []float64 {
		var row []float64
		for _, d := range draw {
			row = append(row, d(r)...)
		}
		return append(row, float64(r.IntN(2)))
	}
	p.build = func(q Pipeline) Pipeline { return q }
	var rows [][]float64 // more than a program is run on: where all of few rows are free, no order is wrong
	for range 100 {
		rows = append(rows, p.row(r))
	}
	s := demo(t, frameOf(t, p.schema, rows))
	then := func(f func(Pipeline) Pipeline) {
		before := p.build
		next := func(q Pipeline) Pipeline { return f(before(q)) }
		if _, err := next(s.Data()).Schema(); err == nil { // a step that is refused is left out
			p.build = next
		}
	}
	for range 3 + r.IntN(5) {
		switch r.IntN(28) {
		case 16, 17:
			then(randomDedup(r))
		case 18, 19, 20, 21, 22, 23, 24, 25, 26, 27:
			then(randomEncoding(r))
		case 5:
			pad, trim, name := []int{0, 1, 3}[r.IntN(3)], 0.1+0.3*r.Float64(), fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.Impute(TrimmedMean{Trim: trim, Pad: pad}, name) })
		case 6:
			width, name := math.Exp(r.NormFloat64()), fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.Quantize(width, name) })
		case 7:
			lo, name := r.NormFloat64(), fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.ClipColumns(lo, lo+1, name) })
		case 8:
			name := fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.Indicate(name) })
		case 9:
			name := fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.Drop(name) })
		case 10:
			lambda := 0.01 + 0.5*r.Float64()
			then(func(q Pipeline) Pipeline { return q.PCA(SoftThreshold{Lambda: lambda}) })
		case 11:
			lambda, centred := 0.01+0.3*r.Float64(), r.IntN(2) == 0
			filter := []SpectralFilter{
				SoftThreshold{Lambda: lambda, Centered: centred}, Tikhonov{Lambda: lambda, Centered: centred}, Ramp{Start: lambda / 2, Width: 0.5, Centered: centred},
			}[r.IntN(3)]
			then(func(q Pipeline) Pipeline { return q.PCA(filter) })
		case 12:
			floor, gain := 0.02+0.5*r.Float64(), float64(r.IntN(3))*r.Float64()
			how := []Standardizer{Standard{Floor: floor, Gain: gain}, RMS{Floor: floor, Gain: gain}}[r.IntN(2)]
			var names []string
			if r.IntN(2) == 0 {
				names = append(names, fmt.Sprint("c", r.IntN(4)))
			}
			then(func(q Pipeline) Pipeline { return q.Standardize(how, names...) })
		case 13:
			then(Pipeline.Center)
		case 14:
			lambda := 0.01 + 0.2*r.Float64()
			then(func(q Pipeline) Pipeline { return q.SelectFeatures(SoftSelect{Lambda: lambda}) })
		case 15:
			share, name := 0.05+0.3*r.Float64(), fmt.Sprint("c", r.IntN(4))
			window := share * r.Float64()
			then(func(q Pipeline) Pipeline { return q.Winsorize(SmoothedQuantile{Q: share, Window: window}, name) })
		case 0:
			name := fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.OneHot(name) })
		case 1:
			then(Pipeline.Scale)
		case 2:
			radius := math.Exp(2*r.NormFloat64() - 0.5)
			then(func(q Pipeline) Pipeline { return q.ClipNorm(radius) })
		case 3:
			pad, name := []int{0, 1, 2, 1000}[r.IntN(4)], fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.Impute(Mean{Pad: pad}, name) })
		default:
			name := fmt.Sprint("c", r.IntN(4))
			then(func(q Pipeline) Pipeline { return q.Impute(Midpoint{}, name) })
		}
	}
	then(func(q Pipeline) Pipeline { return q.OneHot() })
	then(func(q Pipeline) Pipeline { return q.Impute(Mean{}) })
	var steps []string
	for _, st := range p.build(s.Data()).steps {
		steps = append(steps, kind.Describe(st))
	}
	p.text = p.schema.String() + strings.Join(steps, ".")
	return p
}

// TestAttackRandomPrograms holds every bound of the chain and of the fit at its end on random
// programs and random neighbours.
func TestAttackRandomPrograms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20, 26))
	fits, worst, closest, released := 0, 0.0, 0.0, 0.0
	for range 800 {
		p := randomProgram(t, r)
		for range 8 {
			n := 2 + r.IntN(5)
			x := [][]float64{p.row(r)}
			common := p.row(r)
			for range n - 1 {
				if r.IntN(2) == 0 {
					common = p.row(r)
				}
				x = append(x, common)
			}
			y := slices.Clone(x)
			y[0] = p.row(r)
			if r.IntN(3) == 0 { // a duplicate
				y[0] = x[r.IntN(n)]
			}
			mx, q := run(t, p, x)
			my, _ := run(t, p, y)
			state := q.end.Before
			found := displacement(mx, my)
			if q.end.Unordered {
				found = unorderedDisplacement(q.end, mx, my)
			} else {
				cleanColumnsStay(t, q, mx, my)
			}
			for k, bound := range [3]float64{state.T1, state.TF, state.TInf} {
				d := found[k]
				if !(d <= bound) {
					t.Fatalf("%s\nn = %d: displacement %d is %v, bound %v", p.text, n, k, d, bound)
				}
				if bound > 0 {
					closest = max(closest, d/bound)
				}
			}
			for i := range n {
				if mx.IsEmpty(i) {
					continue
				}
				if !(num.Norm2(mx.Row(i)) <= stage.Up(state.R)) {
					t.Fatalf("%s\nrow norm %v above R = %v", p.text, num.Norm2(mx.Row(i)), state.R)
				}
				for j, c := range q.end.In.Features() {
					if v := mx.Row(i)[j]; !(v >= c.Lo-1e-12*state.R && v <= c.Hi+1e-12*state.R) {
						t.Fatalf("%s\ncolumn %q left its domain [%v, %v] with %v", p.text, c.Name, c.Lo, c.Hi, v)
					}
				}
			}
			target := Target{Epsilon: 1, Noise: NoiseLaplace}
			if r.IntN(2) == 0 {
				target = Target{Epsilon: 1, Delta: 1e-6}
			}
			for _, plan := range []func(stage.Stage) (*sums.ColumnSums, error){sums.Mean{Target: target}.Calibrate, sums.Sum{Target: target}.Calibrate} {
				c := must(plan(q.end))
				s, _ := c.Sensitivity()
				ratio := latticeDistance(must(c.Sums(t.Context(), rows.InProcess{In: mx})), must(c.Sums(t.Context(), rows.InProcess{In: my})), target.Noise) * c.Lattice().Step() / s
				if released = max(released, ratio); !(ratio <= 1) {
					t.Fatalf("%s\nn = %d, %v: released sums differ by %v S", p.text, n, target, ratio)
				}
			}
			o := ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10, Clip: []float64{0, 0.05, 5}[r.IntN(3)], MaxNorm: []float64{0, 1, 100}[r.IntN(3)]}
			pl, err := gradient.LogisticFit{ByGradient: o}.Calibrate(q.end)
			if err != nil {
				t.Fatalf("%s\n%v", p.text, err)
			}
			w := make([]float64, pl.D+1)
			for j := range w {
				w[j] = 1e3 * r.NormFloat64() * math.Pow(10, float64(-r.IntN(8)))
			}
			pl.Project(w)
			fits++
			ratio := sumsDiffer(pl, mx, my, w)
			if worst = max(worst, ratio); !(ratio <= 1) {
				t.Fatalf("%s\nn = %d, %v: the sums differ by %v S", p.text, n, o, ratio)
			}
		}
	}
	t.Logf("%d fits: worst sum %.3f S, worst released sum %.3f S, worst displacement %.3f of its bound", fits, worst, released, closest)
	if fits < 1000 || worst < 0.5 || released < 0.5 || closest < 0.5 {
		t.Errorf("%d fits reach %v of S and %v of the displacement: the attack has lost its teeth", fits, worst, closest)
	}
}

// run transforms rows by a program.
func run(t *testing.T, p program, table [][]float64) (*rows.Matrix, quote) {
	t.Helper()
	s := demo(t, frameOf(t, p.schema, table))
	stages, end, err := p.build(s.Data()).trace()
	if err != nil {
		t.Fatalf("%s\n%v", p.text, err)
	}
	q := quote{stages: stages, end: end}
	fitted, err := q.apply(context.Background(), s.src, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := fitted.rows.(*rows.Matrix)
	if !ok {
		m = must(rows.Materialise(context.Background(), fitted.rows, end.In, rows.SameRow))
	}
	return m, q
}

func cleanColumnsStay(t *testing.T, q quote, x, y *rows.Matrix) {
	t.Helper()
	for j, c := range q.end.In.Features() {
		if q.end.Taint[c.Name] {
			continue
		}
		for i := 1; i < x.Rows(); i++ {
			if x.Row(i)[j] != y.Row(i)[j] {
				t.Fatalf("column %q is called clean, but a common row differs in it", c.Name)
			}
		}
	}
}
