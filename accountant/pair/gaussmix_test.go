package pair

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/single"
)

// whitened returns the eigenvalues of Σ'^-½ (Σ − Σ') Σ'^-½ for Σ = XᵀX + noise I.
func whitened(t *testing.T, x, y *mat.Dense, noise float64) []float64 {
	t.Helper()
	cov := func(m *mat.Dense) *mat.SymDense {
		_, d := m.Dims()
		s := mat.NewSymDense(d, nil)
		s.SymOuterK(1, m.T())
		for i := range d {
			s.SetSym(i, i, s.At(i, i)+noise)
		}
		return s
	}
	a, b := cov(x), cov(y)
	d := b.SymmetricDim()
	var chol mat.Cholesky
	if !chol.Factorize(b) {
		t.Fatal("not positive definite")
	}
	var l, half, full mat.Dense
	var tri mat.TriDense
	chol.LTo(&tri)
	l.CloneFrom(&tri)
	if err := half.Solve(&l, a); err != nil {
		t.Fatal(err)
	}
	if err := full.Solve(&l, half.T()); err != nil {
		t.Fatal(err)
	}
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			sym.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, false) {
		t.Fatal("no eigenvalues")
	}
	values := eig.Values(nil)
	for i := range values {
		values[i]--
	}
	return values
}

func smallestEigenvalue(t *testing.T, m *mat.Dense) float64 {
	t.Helper()
	_, d := m.Dims()
	s := mat.NewSymDense(d, nil)
	s.SymOuterK(1, m.T())
	var eig mat.EigenSym
	if !eig.Factorize(s, false) {
		t.Fatal("no eigenvalues")
	}
	return max(0, eig.Values(nil)[0])
}

// ballRow draws a row of norm at most radius, often on the sphere or on an axis.
func ballRow(rng *rand.Rand, d int, radius float64) []float64 {
	row := make([]float64, d)
	norm := 0.0
	for i := range row {
		row[i] = rng.NormFloat64()
		norm = math.Hypot(norm, row[i])
	}
	if rng.IntN(3) == 0 {
		clear(row)
		row[rng.IntN(d)], norm = 1, 1
	}
	size := radius
	if rng.IntN(3) == 0 {
		size *= rng.Float64()
	}
	for i := range row {
		row[i] *= size / norm
	}
	return row
}

// TestGaussMixBruteForce: the divergence of random pairs, with a free row, with displaced rows, and with both, is
// never above the curve; the worst is close to it.
func TestGaussMixBruteForce(t *testing.T) {
	single.Goroutine(t)
	rng := rand.New(rand.NewPCG(43, 44))
	worst := map[string]float64{}
	for range 4000 {
		d, n := 1+rng.IntN(4), rng.IntN(6)
		R := math.Exp(rng.NormFloat64())
		noise := R * R * math.Exp(2*rng.NormFloat64())
		rel := []accountant.Neighbours{accountant.AddRemove, accountant.ReplaceOne}[rng.IntN(2)]
		x, y := mat.NewDense(n+1, d, nil), mat.NewDense(n+1, d, nil)
		shift := 0.0
		displaced := rng.IntN(2) == 0
		for i := range n {
			row := ballRow(rng, d, R)
			x.SetRow(i, row)
			if displaced && rng.IntN(2) == 0 {
				other := ballRow(rng, d, R)
				step := math.Pow(rng.Float64(), 4)
				for j := range row {
					move := step * (other[j] - row[j])
					row[j] += move
					shift = math.Hypot(shift, move)
				}
			}
			y.SetRow(i, row)
		}
		floor := math.Inf(1)
		for _, m := range []*mat.Dense{x, y} {
			floor = min(floor, smallestEigenvalue(t, m)*(1-1e-9))
		}
		if rng.IntN(2) == 0 {
			floor = 0
		}
		shiftOnly := displaced && rng.IntN(3) == 0
		f := 1
		if shiftOnly {
			f = 0
		} else {
			x.SetRow(n, ballRow(rng, d, R))
			if rel == accountant.ReplaceOne {
				y.SetRow(n, ballRow(rng, d, R))
			}
		}
		p := State{Neighbours: rel, N: n + 1, R: R, F: f, M: n, T1: shift * 10, TF: shift * (1 + 1e-12), TInf: shift * (1 + 1e-12), DFree: math.Inf(1)}
		g := must[accountant.GaussMix](t)(GaussMixOn(p, GaussMixOptions{K: 3, Noise: noise, Floor: floor}))
		curve := curveOf(t, g, rel)
		kind := rel.String()
		if shift > 0 {
			kind += ", displaced"
		}
		if shiftOnly {
			kind = "shift only"
		}
		for _, pair := range [2][2]*mat.Dense{{x, y}, {y, x}} {
			values := whitened(t, pair[0], pair[1], noise)
			for _, alpha := range []float64{1.01, 1.5, 2, 4, 16} {
				exact := 0.0
				for _, v := range values {
					exact += 3 * (-math.Log1p(-(alpha-1)*v)/(2*(alpha-1)) - math.Log1p(v)/2)
				}
				if math.IsNaN(exact) {
					exact = math.Inf(1) // an eigenvalue is beyond the order
				}
				bound := curve(alpha)
				if exact > bound*(1+1e-9)+1e-12 {
					t.Fatalf("%v, order %g: exact %.15g is above the bound %.15g", g, alpha, exact, bound)
				}
				if bound > 1e-6 && !math.IsInf(bound, 1) {
					worst[kind] = max(worst[kind], exact/bound)
				}
			}
		}
	}
	t.Logf("worst observed over bound: %v", worst)
	for kind, least := range map[string]float64{"add/remove": 0.999, "replace-one": 0.99, "add/remove, displaced": 0.5, "replace-one, displaced": 0.5, "shift only": 0.5} {
		if worst[kind] < least {
			t.Errorf("%s: the search reaches %g of the bound, want %g", kind, worst[kind], least)
		}
	}
}

// TestGaussMixOnRefuses: two free rows, constants out of range and no state.
func TestGaussMixOnRefuses(t *testing.T) {
	p := State{Neighbours: accountant.ReplaceOne, N: 10, R: 1, F: 2, M: 0, DFree: math.Inf(1)}
	if _, err := GaussMixOn(p, GaussMixOptions{K: 3, Noise: 1}); !errors.Is(err, accountant.ErrNoRoute) {
		t.Errorf("two free rows: got %v, want ErrNoRoute", err)
	}
	p.F = 1
	for _, o := range []GaussMixOptions{{K: 0, Noise: 1}, {K: 3, Noise: -1}, {K: 3, Noise: 1, Floor: math.NaN()}, {K: 3, Noise: math.Inf(1)}} {
		if _, err := GaussMixOn(p, o); !errors.Is(err, accountant.ErrParameter) {
			t.Errorf("%+v: got %v, want ErrParameter", o, err)
		}
	}
	if _, err := GaussMixOn(State{}, GaussMixOptions{K: 3, Noise: 1}); err == nil {
		t.Error("zero pair: got no error")
	}
}
