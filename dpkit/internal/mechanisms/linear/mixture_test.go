package linear

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// momentsOfRows is Σ z·zᵀ.
func momentsOfRows(rows [][]float64) *NormalEquations {
	m := len(rows[0])
	s := &NormalEquations{Size: m, Sum: make([]float64, m*m)}
	for _, z := range rows {
		for i := range m {
			for j := range m {
				s.Sum[i*m+j] += z[i] * z[j]
			}
		}
	}
	return s
}

func finished(t *testing.T, target accountant.Budget, p pair.State, k, m int, eigenvalue bool) *mixture {
	t.Helper()
	x := must(newMixture(target, p, k, m, eigenvalue))
	if err := x.Finish(); err != nil {
		t.Fatal(err)
	}
	return x
}

// kolmogorov is the largest distance of two empirical distribution functions of the same size.
func kolmogorov(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	worst, j := 0.0, 0
	for i, v := range a {
		for j < len(b) && b[j] <= v {
			j++
		}
		worst = max(worst, math.Abs(float64(i+1-j)), math.Abs(float64(i-j)))
	}
	return worst / float64(len(a))
}

// TestMixtureSamplers compares the inner products' sampler, and that of the coefficients, with sketches that are drawn
// directly, S·Z + σ·ξ. For two samples of n the distance of the distribution functions passes 3.6·√(2/n) with
// probability below 2·exp(−2·3.6²) = 1.2e-11 (Wei, Dudley 2012): false alarm below 1e-9 for all statistics together.
func TestMixtureSamplers(t *testing.T) {
	rows := [][]float64{{0.9, 0.1, 0.2}, {-0.3, 0.6, 0.5}, {0.2, 0.2, -0.8}, {0.5, -0.7, 0.1}}
	const k, m, n = 7, 3, 6000
	x := finished(t, accountant.Budget{Epsilon: 8, Delta: 1e-2}, must(pair.Start(4, 1, accountant.AddRemove)), k, m, false)
	z := momentsOfRows(rows)
	l := must(x.factorAt(z, x.Variance()))
	r, rng := rand.New(rand.NewPCG(8, 8)), noise.New()
	statistics := []struct {
		name string
		of   func(w *NormalEquations) float64
	}{
		{"first diagonal entry", func(w *NormalEquations) float64 { return w.Sum[0] }},
		{"last diagonal entry", func(w *NormalEquations) float64 { return w.Sum[8] }},
		{"entry off the diagonal", func(w *NormalEquations) float64 { return w.Sum[7] }},
		{"determinant", func(w *NormalEquations) float64 {
			l, err := linalg.Cholesky(w.Sum, m)
			if err != nil {
				return 0
			}
			return l[0] * l[4] * l[8]
		}},
		{"first coefficient", func(w *NormalEquations) float64 { return must(w.Solve(0)).W[0] }},
		{"second coefficient", func(w *NormalEquations) float64 { return must(w.Solve(0)).W[1] }},
	}
	sampled, direct := make([][]float64, len(statistics)), make([][]float64, len(statistics))
	law := make([][]float64, 2) // of the coefficients alone
	sigma := math.Sqrt(x.Variance() + x.Share)
	for range n {
		w := must(x.InnerProducts(l, rng))
		var sketch [][]float64
		for range k {
			row := make([]float64, m)
			for _, z := range rows {
				s := r.NormFloat64()
				for j, v := range z {
					row[j] += s * v
				}
			}
			for j := range row {
				row[j] += sigma * r.NormFloat64()
			}
			sketch = append(sketch, row)
		}
		d := momentsOfRows(sketch)
		for i, s := range statistics {
			sampled[i], direct[i] = append(sampled[i], s.of(w)), append(direct[i], s.of(d))
		}
		root := chi(rng, k-(m-1)+1)
		theta := must(linalg.StudentT(l, []float64{normal(rng), normal(rng)}, root*root, m))
		law[0], law[1] = append(law[0], theta[0]), append(law[1], theta[1])
	}
	limit := 3.6 * math.Sqrt(2.0/n)
	for i, s := range statistics {
		if d := kolmogorov(sampled[i], direct[i]); d > limit {
			t.Errorf("%s: distance %v from direct sketches, want at most %v", s.name, d, limit)
		}
	}
	for j, of := range []int{4, 5} {
		if d := kolmogorov(law[j], direct[of]); d > limit {
			t.Errorf("coefficient %d by its law: distance %v from direct sketches, want at most %v", j+1, d, limit)
		}
	}
	// The test has teeth: one degree of freedom more is seen.
	wrong := must(newMixture(x.target, x.pair, k+3, m, false))
	wrong.arithmetic, wrong.idealMixture = x.arithmetic, x.idealMixture
	var other []float64
	for range n {
		other = append(other, must(wrong.InnerProducts(l, rng)).Sum[0])
	}
	if d := kolmogorov(other, direct[0]); d <= limit {
		t.Errorf("three rows more: distance %v is not seen", d)
	}
}

// TestMixtureArithmetic: what floating point takes of ε is little, and the noise that covers rounding is far below that of the
// sketch, over the sizes that fit in memory.
func TestMixtureArithmetic(t *testing.T) {
	for _, n := range []int{100, 10_000, 1_000_000, 50_000_000} {
		for _, m := range []int{2, 15, 60} {
			x := finished(t, accountant.Budget{Epsilon: 1, Delta: 1 / float64(n) / float64(n)}, must(pair.Start(n, 1, accountant.AddRemove)), 8*m, m, false)
			cell := math.Sqrt(float64(8*m)) * x.Variance() // of an inner product of noise
			if !(x.epsilon <= 0x1p-7) || !(x.blur.Sigma <= cell || n > 1_000_000) {
				t.Errorf("n = %d, m = %d: ε₁ + ε₂ = %v, σ₂ = %v beside %v", n, m, x.epsilon, x.blur.Sigma, cell)
			}
			g, err := accountant.EpsilonOf(x.event, accountant.AddRemove, x.rest(x.target).Delta)
			if err != nil || !(g.Epsilon+x.epsilon <= 1) || g.Epsilon < 0.98 {
				t.Errorf("n = %d, m = %d: %v of 1, %v", n, m, g.Epsilon, err)
			}
		}
	}
}

// TestMixtureRoundingBound: inner products in float64 differ from those of the same bits in 200-bit
// arithmetic by less than the sensitivity of the noise that covers them, and so does the factor by what the share covers.
func TestMixtureRoundingBound(t *testing.T) {
	rng := noise.NewDemo(5)
	r := rand.New(rand.NewPCG(4, 4))
	worst, factor := 0.0, 0.0
	for range 20 {
		const m, k, n = 8, 70, 100000
		x := finished(t, accountant.Budget{Epsilon: 1, Delta: 1e-6}, must(pair.Start(n, 1, accountant.AddRemove)), k, m, false)
		z := &NormalEquations{Size: m, Sum: make([]float64, m*m)}
		v := make([]float64, m)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		scale := float64(n) / dot(v, v)
		for i := range m {
			for j := range m {
				z.Sum[i*m+j] = scale * v[i] * v[j]
			}
		}
		l := must(x.factorAt(z, x.Variance()))
		a := make([]float64, m*m)
		for i := range m {
			a[i*m+i] = 1
		}
		var back float64
		for i, v := range bigWishart(l, a, m) {
			want := z.Sum[i]
			if i%(m+1) == 0 {
				want += x.Variance() + x.Share
			}
			back = math.Hypot(back, v-want)
		}
		factor = max(factor, back/(float64(m+4)*0x1p-52*x.trace))
		for i := range m {
			for j := range i {
				a[i*m+j] = normal(rng)
			}
			a[i*m+i] = x.norm(rng, k-i)
		}
		got, want := must(linalg.Wishart(l, a, m)), bigWishart(l, a, m)
		var off float64
		for i := range got {
			off = math.Hypot(off, got[i]-want[i])
		}
		worst = max(worst, off/(x.blur.Sensitivity/2))
	}
	t.Logf("worst observed/bound %.3g, of the factor %.3g", worst, factor)
	if !(worst <= 1) || worst == 0 || !(factor <= 1) || factor == 0 {
		t.Errorf("rounding is %v of its bound, that of the factor %v", worst, factor)
	}
}

// TestMixtureSaved: whatever the eigenvalue, noise of at most τ on it leaves λ + σ² ≥ γR² or σ² at its cap.
func TestMixtureSaved(t *testing.T) {
	x := finished(t, accountant.Budget{Epsilon: 1, Delta: 1e-5}, must(pair.Start(5000, 2, accountant.AddRemove)), 50, 5, true)
	square := x.pair.R * x.pair.R
	for _, lambda := range []float64{0, 10, 60, 100, 200, 300, 1000} {
		for _, z := range []float64{-8, -1, 0, 1, x.mod.Tau} {
			lambda := lambda * square / 2
			v := x.saved(lambda + z*x.Lambda.Sigma)
			if !(v >= 0) || v > x.Variance() {
				t.Errorf("λ = %v, z = %v: σ² = %v is not in [0, %v]", lambda, z, v, x.Variance())
			}
			if v < x.Variance() && lambda+v < x.mod.Gamma*square {
				t.Errorf("λ = %v, z = %v: λ + σ² = %v is below γR² = %v", lambda, z, lambda+v, x.mod.Gamma*square)
			}
		}
	}
	if x.saved(1e6) != 0 {
		t.Error("a large eigenvalue saves nothing")
	}
	if !(x.Lambda.Sigma >= x.mod.Eta*square) {
		t.Errorf("noise %v on the eigenvalue, want at least ηR² = %v", x.Lambda.Sigma, x.mod.Eta*square)
	}
}

// TestMixtureTargets: over targets, sizes and units the price is within the target and near it, or the error says what to do.
func TestMixtureTargets(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	priced := 0
	for i := range 60 {
		target := accountant.Budget{Epsilon: math.Exp(8*r.Float64() - 5), Delta: math.Pow(10, -2-12*r.Float64())}
		rows, m := 2+int(math.Exp(16*r.Float64())), 2+r.IntN(30)
		p := must(pair.Start(rows, math.Pow(10, 120*r.Float64()-60), accountant.AddRemove))
		if i%12 == 0 {
			p.M = rows - 1
			p.TF = p.R * math.Pow(10, -4*r.Float64()) / 2
			p.T1, p.TInf = min(p.TF*math.Sqrt(float64(p.M)), 2*p.R*float64(p.M)), min(p.TF, 2*p.R)
		}
		x, err := newMixture(target, p, m+1+r.IntN(80), m, i%12 == 1)
		if err == nil {
			err = x.Finish()
		}
		if err != nil {
			if !errors.Is(err, kind.ErrParameter) && !errors.Is(err, stage.ErrOrder) {
				t.Errorf("%+v, %v: %v", target, p, err)
			}
			continue
		}
		priced++
		b, err := x.Bill(cost.Release{}, x.blur)
		if err != nil || !(b.Guarantee.Epsilon <= target.Epsilon) || b.Guarantee.Epsilon < 0.9*target.Epsilon || b.Guarantee.Delta != target.Delta {
			t.Errorf("%+v, %v: %v, %v", target, p, b.Guarantee, err)
		}
	}
	if priced < 45 {
		t.Errorf("only %d of 60 have a price", priced)
	}
}
