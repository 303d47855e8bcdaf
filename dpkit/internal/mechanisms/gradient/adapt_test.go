package gradient

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestSoftmaxBend: the curvature of the softmax loss is at most √2 of its slope, and comes near it for two classes.
func TestSoftmaxBend(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	most := 0.0
	for trial := range 4000 {
		k := 2 + trial%25
		m := make([][]float64, k)
		for i := range m {
			m[i] = []float64{r.NormFloat64() * math.Ldexp(1, r.IntN(6))}
		}
		y := r.IntN(k)
		SoftmaxLoss{}.Slopes(m, []float64{float64(y)})
		slope, p, u := make([]float64, k), make([]float64, k), make([]float64, k)
		for i := range m {
			slope[i], p[i], u[i] = m[i][0], m[i][0], r.NormFloat64()
		}
		p[y]++
		bend := 0.0
		for range 60 { // power iteration: from below
			mean, size := 0.0, num.Norm2(u)
			for i := range u {
				u[i] /= size
				mean += p[i] * u[i]
			}
			for i := range u {
				u[i] = p[i] * (u[i] - mean)
			}
			if bend = num.Norm2(u); bend == 0 {
				break
			}
		}
		if size := num.Norm2(slope); size > 1e-6 { // below, p_y is 1 but for its last bits
			most = max(most, bend/size)
		}
	}
	if most > softmaxBend*(1+1e-9) || most < 0.98*softmaxBend {
		t.Errorf("curvature is up to %v of the slope, want nearly √2", most)
	}
}

// TestGrowth: sums along one another let steps grow up to the most, sums against one another let them shrink to the first, and
// what noise explains moves nothing.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name  string
		alike float64 // ⟨sum, sum'⟩
		want  float64
	}{{"along", 2, 8}, {"against", -2, 1}, {"noise", 0.9, 3}, {"noise against", -0.9, 3}} {
		s := &growth{eta: 3, least: 1, most: 8, floor: 1}
		first, got := s.next([]float64{1, 0}), 0.0
		for range 20 {
			s.last = []float64{1, 0}
			got = s.next([]float64{c.alike, 5})
		}
		if first != 3 || got != c.want {
			t.Errorf("%s: steps of %v, then %v; want 3, then %v", c.name, first, got, c.want)
		}
	}
}

// classesStage are rows of d columns and a label of k classes, behind steps with that displacement.
func classesStage(n, d, k int, displaced float64) stage.Stage {
	columns := make([]frames.Column, 0, d+1)
	for j := range d {
		columns = append(columns, frames.Numeric(fmt.Sprintf("x%d", j), -1, 1))
	}
	levels := make([]string, k)
	for i := range levels {
		levels[i] = fmt.Sprintf("c%d", i)
	}
	in := must(frames.NewSchema(append(columns, frames.Label("label", levels...))...))
	st := stage.Stage{In: in, Out: in, Before: must(pair.Start(n, 1, accountant.AddRemove))}
	if displaced > 0 {
		st.Before.M, st.Before.T1 = n-1, displaced
		st.Taint = stage.Taint{"x0": true}
	}
	return st
}

// TestGrowingDefaults are golden values of the public rules: they move with the law of the kind alone.
func TestGrowingDefaults(t *testing.T) {
	for _, c := range []struct {
		n, d, k   int
		epsilon   float64
		displaced float64
		want      string
	}{
		{200, 5, 3, 0.1, 0, "T 23 C 0.7 W 1000 W_J 1000 η 0.1206 to 0.1206 m 0.8507 S 0.7"},
		{5000, 20, 5, 1, 0, "T 87 C 0.3918 W 1000 W_J 1000 η 3.904 to 31.3 m 0.8515 S 0.3918"},
		{60000, 784, 10, 0.5, 0, "T 138 C 0.08655 W 1000 W_J 1000 η 3.912 to 482.5 m 0.9035 S 0.08655"},
		{60000, 784, 10, 3, 0, "T 200 C 0.08655 W 1000 W_J 1000 η 3.912 to 1683 m 0.9035 S 0.08655"},
		{5000, 20, 5, 1, 1e-3, "T 85 C 0.4624 W 1000 W_J 69.3 η 3.2 to 21.2 m 0.8515 S 0.5016"},
		{5000, 20, 5, 1, 10, "T 29 C 0.4624 W 1000 W_J 5.367 η 0.3968 to 0.3968 m 0.8515 S 34.6"},
	} {
		f, err := GradientFit{ByGradient: ByGradient{Epsilon: c.epsilon, Delta: 1e-5}}.Calibrate(classesStage(c.n, c.d, c.k, c.displaced))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("T %d C %.4g W %.4g W_J %.4g η %.4g to %.4g m %.4g S %.4g", f.Draws, f.Clip, f.W, f.Wj, f.Eta, f.Most, f.M, f.S)
		if got != c.want {
			t.Errorf("n = %d, d = %d, %d classes, ε = %g, τ = %g:\ngot  %s\nwant %s", c.n, c.d, c.k, c.epsilon, c.displaced, got, c.want)
		}
	}
}

// TestManyClasses: rows of a third of their bound are classified, where steps of 2/β in the ball of earlier defaults do not arrive.
func TestManyClasses(t *testing.T) {
	const n, d, k = 4000, 16, 6
	st := classesStage(n, d, k, 0)
	r := rand.New(rand.NewPCG(4, 5))
	centres := make([][]float64, k)
	for i := range centres {
		centres[i] = make([]float64, d)
		for j := range centres[i] {
			centres[i][j] = 0.02 * r.NormFloat64()
		}
	}
	m := &rows.Matrix{Domain: st.In, Cols: d}
	for i := range n {
		y := i % k
		m.Y = append(m.Y, float64(y))
		for j := range d {
			m.X = append(m.X, centres[y][j]+0.02*r.NormFloat64())
		}
	}
	accuracy := func(g ByGradient) float64 {
		g.Epsilon, g.Delta = 1, 1e-5
		f := must(GradientFit{ByGradient: g}.Calibrate(st))
		w := must(f.Descend(t.Context(), rows.InProcess{In: m}, noise.NewDemo(2)))
		right := 0
		for i, y := range m.Y {
			best, at := math.Inf(-1), 0
			for c := range k {
				v := w[c*(d+1) : (c+1)*(d+1)]
				margin := f.C * v[d]
				for j, x := range m.Row(i) {
					margin += x * v[j]
				}
				if margin > best {
					best, at = margin, c
				}
			}
			if at == int(y) {
				right++
			}
		}
		return float64(right) / n
	}
	now, before := accuracy(ByGradient{}), accuracy(ByGradient{MaxNorm: 24, Clip: 0.7, Steps: 100, StepSize: 3.2})
	t.Logf("accuracy %.3f, with steps of 2/β in a ball of 24 %.3f", now, before)
	if now < before-0.01 || now < 0.85 {
		t.Errorf("accuracy %.3f by default, %.3f with steps of 2/β in a ball of 24; want at least 0.85", now, before)
	}
}
