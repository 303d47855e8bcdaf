package gradient

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/frames"
)

var allLosses = []Loss{LogLoss{}, SquaredHingeLoss{}, SquaredLoss{}, HuberLoss{}, HuberLoss{Knee: 1.5}, SoftmaxLoss{}}

// labelFor is a label that a loss can read.
func labelFor(l Loss) frames.Column {
	switch l.(type) {
	case SquaredLoss, HuberLoss:
		return frames.NumericLabel("label", -3, 5)
	case SoftmaxLoss:
		return frames.Label("label", "a", "b", "c")
	}
	return frames.Label("label", "no", "yes")
}

// labelAt draws a label of the loss's scale: a class, or a number in [−1, 1].
func labelAt(l Loss, r *rand.Rand) float64 {
	if label := labelFor(l); len(label.Levels) > 0 {
		return float64(r.IntN(len(label.Levels)))
	}
	return 2*r.Float64() - 1
}

func slopesAt(l Loss, m []float64, y float64) []float64 {
	cells := make([][]float64, len(m))
	for k, v := range m {
		cells[k] = []float64{v}
	}
	l.Slopes(cells, []float64{y})
	out := make([]float64, len(m))
	for k := range m {
		out[k] = cells[k][0]
	}
	return out
}

// TestLosses: slopes are the derivatives of the value, losses are convex, and their constants are bounds that are
// attained.
func TestLosses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, l := range allLosses {
		k := l.Margins(labelFor(l))
		steep, bend := 0.0, 0.0
		for range 20000 {
			a := math.Exp(3 * r.Float64())
			m, u := make([]float64, k), make([]float64, k)
			for i := range m {
				m[i], u[i] = r.NormFloat64(), r.NormFloat64()
			}
			y := labelAt(l, r)
			shrink(m, 0)
			for i := range m {
				m[i] = a * r.NormFloat64() / math.Sqrt(float64(k))
			}
			if k > 1 && r.IntN(2) == 0 {
				m[r.IntN(k)] += 40
			}
			size := num.Norm2(u)
			const h = 1e-4
			right, left := slices.Clone(m), slices.Clone(m)
			for i := range m {
				u[i] /= size
				right[i] += h * u[i]
				left[i] -= h * u[i]
			}
			g := slopesAt(l, m, y)
			slope := glm.Dot(g, u)
			if got := (l.Value(right, y) - l.Value(left, y)) / (2 * h); math.Abs(got-slope) > 1e-4*max(1, num.Norm2(m)) {
				t.Fatalf("%v at %v, %v: slope %v, value changes by %v", l, m, y, slope, got)
			}
			curve := glm.Dot(slopesAt(l, right, y), u) - glm.Dot(slopesAt(l, left, y), u)
			if !(curve >= -1e-12*max(1, num.Norm2(m))) {
				t.Fatalf("%v at %v, %v: not convex", l, m, y)
			}
			bend = max(bend, curve/(2*h))
			if !(num.Norm2(g) <= l.Steepest(num.Norm2(m))*(1+1e-12)) {
				t.Fatalf("%v at %v, %v: ‖∇ℓ‖ = %v, bound %v", l, m, y, num.Norm2(g), l.Steepest(num.Norm2(m)))
			}
			steep = max(steep, num.Norm2(g)/l.Steepest(num.Norm2(m)))
		}
		t.Logf("%v: attained %.4f of the slope's bound, %.4f of the curvature's", l, steep, bend/l.Bend())
		if !(bend <= l.Bend()*(1+1e-6)) || bend < 0.95*l.Bend() || steep < 0.99 {
			t.Errorf("%v: curvature %v of %v, slope %v of its bound", l, bend, l.Bend(), steep)
		}
	}
}

// TestFactorsAreClippedSlopes: in blocks of any size, against the definition; rows that are not finite count nothing.
func TestFactorsAreClippedSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, l := range allLosses {
		k := l.Margins(labelFor(l))
		for _, n := range []int{1, 2, 7, 33} {
			m, squares, y := make([][]float64, k), make([]float64, n), make([]float64, n)
			for j := range m {
				for range n {
					m[j] = append(m[j], 3*r.NormFloat64())
				}
			}
			for i := range n {
				squares[i], y[i] = 2*r.Float64(), labelAt(l, r)
			}
			squares[n-1] = math.Inf(1)
			const clip, scale = 0.4, 1024
			want := make([][]float64, n)
			for i := range n {
				row := make([]float64, k)
				for j := range m {
					row[j] = m[j][i]
				}
				want[i] = slopesAt(l, row, y[i])
				by := min(1, clip/(num.Norm2(want[i])*math.Sqrt(squares[i]))) * scale
				for j := range want[i] {
					want[i][j] *= by
				}
			}
			if err := l.Factors(m, squares, y, clip, scale); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				got := make([]float64, k)
				for j := range m {
					got[j] = m[j][i]
				}
				if i == n-1 {
					if num.Norm2(got) != 0 {
						t.Errorf("%v: a row of infinite norm has the factors %v", l, got)
					}
					continue
				}
				for j := range got {
					if math.Abs(got[j]-want[i][j]) > 1e-12*scale {
						t.Errorf("%v: row %d of %d: got %v, want %v", l, i, n, got, want[i])
					}
				}
				if num.Norm2(got)*math.Sqrt(squares[i]) > clip*scale*(1+1e-14) {
					t.Errorf("%v: a gradient of norm %v", l, num.Norm2(got)*math.Sqrt(squares[i]))
				}
			}
		}
	}
}

// TestAttackLossLipschitz searches for a row, a displacement inside J, a label and coefficients whose clipped gradients differ by
// more than μ times the displacement.
func TestAttackLossLipschitz(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const d, inJ = 3, 2
	for _, l := range allLosses {
		k := l.Margins(labelFor(l))
		for _, g := range []lossDomain{
			{rx: 1, w: 1, wj: 1, clip: 10},
			{rx: 1, w: 4, wj: 2, clip: 0.5},
			{rx: 1, w: 16, wj: 1, clip: 1.2},
			{rx: 1, w: 4, wj: 4, clip: 0.3},
			{c: 0.5, rx: 1.2, w: 6, wj: 3, clip: 0.6},
			{c: 0.5, rx: 1.2, w: 6, wj: 0.2, clip: 0.3},
			{rx: 1, w: 60, wj: 20, clip: 0.05},
			{c: 0.5, rx: 1.2, w: 500, wj: 20, clip: 0.1},
			{c: 0.5, rx: 1.2, w: 500, wj: 5, clip: 0.03},
		} {
			if k == 1 && g.w > 16 {
				continue // for the losses whose default ball is wide
			}
			mu := l.Lipschitz(g)
			worst := 0.0
			for range 24 {
				y := labelAt(l, r)
				if _, ok := l.(SoftmaxLoss); !ok && len(labelFor(l).Levels) == 0 {
					y = float64(2*r.IntN(2) - 1)
				}
				v := make([]float64, 2*d+k*(d+1))
				for i := range v {
					v[i] = r.NormFloat64()
				}
				best := gradientRatio(l, g, v, y, d, inJ) / mu
				for step, size := 0, 0.5; step < 400; step++ {
					u := slices.Clone(v)
					for i := range u {
						u[i] += size * r.NormFloat64()
					}
					if f := gradientRatio(l, g, u, y, d, inJ) / mu; f > best {
						v, best, size = u, f, size*1.3
					} else {
						size = max(size*0.96, 1e-4)
					}
				}
				worst = max(worst, best)
			}
			t.Logf("%v, %+v: μ = %.4g, worst observed/bound %.3f", l, g, mu, worst)
			if !(worst <= 1+1e-9) {
				t.Errorf("%v, %+v: gradients differ by %v of the bound μ = %v", l, g, worst, mu)
			}
			least := 0.55
			if k > 1 {
				least = 0.35 // the two suprema of μ exclude each other
			}
			if worst < least {
				t.Errorf("%v, %+v: nothing comes near the bound: %v of it", l, g, worst)
			}
		}
	}
}

// gradientRatio makes a row, a displacement and coefficients in the domain out of numbers, and returns how far the clipped
// gradients are apart, per displacement.
func gradientRatio(l Loss, g lossDomain, v []float64, y float64, d, inJ int) float64 {
	k := (len(v) - 2*d) / (d + 1)
	rows := [2][]float64{slices.Clone(v[:d]), slices.Clone(v[:d])}
	for j := range inJ {
		rows[1][j] += 1e-3 * v[d+j]
	}
	moved := 0.0
	limit := math.Sqrt(g.rx*g.rx - g.c*g.c)
	shrinkBoth := max(num.Norm2(rows[0]), num.Norm2(rows[1]), limit) / limit
	for j := range d {
		rows[0][j] /= shrinkBoth
		rows[1][j] /= shrinkBoth
		moved = math.Hypot(moved, rows[0][j]-rows[1][j])
	}
	w := slices.Clone(v[2*d:])
	var tainted []float64
	for i := range w {
		w[i] *= 10
		if i%(d+1) < inJ {
			tainted = append(tainted, w[i])
		}
		if g.c == 0 && i%(d+1) == d {
			w[i] = 0
		}
	}
	by := min(1, g.wj/num.Norm2(tainted))
	for i := range w {
		if i%(d+1) < inJ {
			w[i] *= by
		}
	}
	shrink(w, g.w)
	var out [2][]float64
	for side, row := range rows {
		x := append(slices.Clone(row), g.c)
		m := make([]float64, k)
		for j := range m {
			m[j] = glm.Dot(x, w[j*(d+1):(j+1)*(d+1)])
		}
		s := slopesAt(l, m, y)
		f := min(1, g.clip/(num.Norm2(s)*num.Norm2(x)))
		for _, slope := range s {
			for _, z := range x {
				out[side] = append(out[side], f*slope*z)
			}
		}
	}
	return distance(out[0], out[1]) / moved
}

// TestLossDefaults: every default is a number that a plan takes, and what losses cannot read they refuse.
func TestLossDefaults(t *testing.T) {
	for _, l := range allLosses {
		if d := l.Defaults(); !(d.MaxNorm > 0) || !(d.Clip > 0) || !(d.Travel > 0) {
			t.Errorf("%v: %+v", l, d)
		}
		if err := l.Reads(labelFor(l)); err != nil {
			t.Errorf("%v: %v", l, err)
		}
		for _, other := range []frames.Column{frames.NumericLabel("y", 0, 1), frames.Label("y", "a", "b"), frames.Label("y", "a", "b", "c")} {
			want := len(other.Levels) == len(labelFor(l).Levels) || len(other.Levels) == 2 && fmt.Sprint(l) == "SoftmaxLoss"
			if got := l.Reads(other) == nil; got != want {
				t.Errorf("%v reads a label of %d classes: %v", l, len(other.Levels), got)
			}
		}
	}
	for _, at := range []float64{-1, 3, math.NaN()} {
		if err := (HuberLoss{Knee: at}).Reads(frames.NumericLabel("y", 0, 1)); err == nil {
			t.Errorf("HuberLoss{%v} is accepted", at)
		}
	}
}
