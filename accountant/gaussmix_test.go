package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGaussMixErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := GaussMix{K: 10, Gamma: 4, Neighbours: AddRemove}
	for _, c := range []struct {
		name  string
		spoil func(*GaussMix)
		want  error
	}{
		{"no rows", func(g *GaussMix) { g.K = 0 }, ErrParameter},
		{"gamma below 1", func(g *GaussMix) { g.Gamma = 0.5 }, ErrParameter},
		{"NaN gamma", func(g *GaussMix) { g.Gamma = nan }, ErrParameter},
		{"infinite gamma", func(g *GaussMix) { g.Gamma = inf }, ErrParameter},
		{"negative displacement", func(g *GaussMix) { g.Displacement = -1 }, ErrParameter},
		{"NaN displacement", func(g *GaussMix) { g.Displacement = nan }, ErrParameter},
		{"noise above gamma - 1", func(g *GaussMix) { g.Noise = 3.1 }, ErrParameter},
		{"NaN noise", func(g *GaussMix) { g.Noise = nan }, ErrParameter},
		{"no relation", func(g *GaussMix) { g.Neighbours = 0 }, ErrNeighbours},
		{"other relation", func(g *GaussMix) { g.Neighbours = ReplaceOne }, ErrNeighbours},
	} {
		g := good
		c.spoil(&g)
		if _, err := g.RDP(AddRemove); !errors.Is(err, c.want) {
			t.Errorf("%s: RDP: got %v, want %v", c.name, err, c.want)
		}
		if _, err := g.Profile(AddRemove); !errors.Is(err, c.want) {
			t.Errorf("%s: Profile: got %v, want %v", c.name, err, c.want)
		}
	}
	shifted := good
	shifted.Displacement = 0.1
	if _, err := shifted.Profile(AddRemove); !errors.Is(err, ErrNoRoute) {
		t.Errorf("displaced: got %v, want ErrNoRoute", err)
	}
	if g, err := EpsilonOf(shifted, AddRemove, 1e-6); err != nil || math.IsInf(g.Epsilon, 1) {
		t.Errorf("displaced: got %v, %v, want a finite ε by RDP", g, err)
	}
	free := GaussMix{K: 10, Gamma: 1, Neighbours: AddRemove}
	if g, err := EpsilonOf(free, AddRemove, 1e-6); err != nil || !math.IsInf(g.Epsilon, 1) {
		t.Errorf("no noise: got %v, %v, want ε = +Inf", g, err)
	}
	for _, b := range []Budget{{0, 1e-5}, {1, 0}, {nan, 1e-5}, {1, 1}} {
		if _, err := CalibrateGaussMix(b, 10, AddRemove); err == nil {
			t.Errorf("budget %v: got no error", b)
		}
	}
	if _, err := CalibrateGaussMix(Budget{1, 1e-5}, 0, AddRemove); !errors.Is(err, ErrParameter) {
		t.Errorf("no rows: got %v", err)
	}
	if _, err := CalibrateGaussMix(Budget{1, 1e-5}, 10, 0); !errors.Is(err, ErrNeighbours) {
		t.Errorf("no relation: got %v", err)
	}
}

// TestGaussMixLaws: prices rise with k, fall with γ and ε; replace-one costs more; curves rise, (α−1) D_α is convex, and
// no curve is below the profile.
func TestGaussMixLaws(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, k := range []int{1, 7, 120} {
			for _, gamma := range []float64{1.3, 6, 80} {
				g := GaussMix{K: k, Gamma: gamma, Neighbours: rel}
				more, quiet := g, g
				more.K++
				quiet.Gamma *= 1.01
				profile, curve := must[Profile](t)(g.Profile(rel)), curveOf(t, g, rel)
				last := 1.0
				for _, eps := range []float64{0, 0.05, 0.5, 2, 9} {
					delta := profile(eps)
					if delta < 1e-290 {
						break // digits are lost in what is mixed
					}
					if delta > last || profileAt(t, more, rel, eps) < delta*(1-1e-11) || profileAt(t, quiet, rel, eps) > delta*(1+1e-11) {
						t.Errorf("%v, ε = %g: δ = %g is not monotone", g, eps, delta)
					}
					last = delta
					if byRDP, _, err := curve.Delta(eps); err != nil || byRDP < delta*(1-1e-11) {
						t.Errorf("%v, ε = %g: δ = %g by RDP, exactly %g, %v", g, eps, byRDP, delta, err)
					}
					if rel == ReplaceOne {
						one := g
						one.Neighbours = AddRemove
						if profileAt(t, one, AddRemove, eps) > delta*(1+1e-11) {
							t.Errorf("%v, ε = %g: add/remove costs more", g, eps)
						}
					}
				}
				requireConvex(t, g.String(), curve, min(gamma, 1/(1/(gamma-1))+1)*0.999)
			}
		}
	}
}

// requireConvex checks that a curve rises and that (α−1) D_α is convex, up to an order.
func requireConvex(t *testing.T, name string, c Curve, last float64) {
	t.Helper()
	const n = 40
	at := func(i int) (x, y float64) {
		x = (last - 1) * float64(i) / n
		return x, x * c(1+x)
	}
	for i := 2; i < n; i++ {
		x0, y0 := at(i - 1)
		x1, y1 := at(i)
		x2, y2 := at(i + 1)
		if math.IsInf(y2, 1) {
			break
		}
		if y0/x0 > y1/x1*(1+1e-9) || y1 > (y0+y2)/2*(1+1e-9)+1e-15 || !(x0 < x1 && x1 < x2) {
			t.Errorf("%s: order %g: not monotone or not convex: %g, %g, %g", name, 1+x1, y0, y1, y2)
			return
		}
	}
}

// TestGaussMixForwardDominates: for ε ≥ 0 the direction from the larger dataset costs more.
func TestGaussMixForwardDominates(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 300 {
		k, s, eps := 1+rng.IntN(300), math.Exp(8*rng.Float64()-2), math.Exp(8*rng.Float64()-6)
		if f, b := mixForwardDelta(eps, k, s), mixBackwardDelta(eps, k, s); b > f*(1+1e-9) {
			t.Errorf("k = %d, s = %g, ε = %g: forward %g, backward %g", k, s, eps, f, b)
		}
	}
}

func TestCalibrateGaussMix(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, b := range []Budget{{1e-3, 1e-9}, {0.3, 1e-15}, {1, 1e-5}, {4, 1e-100}, {30, 1e-6}, {0.1, 0.3}} {
			for _, k := range []int{1, 40, 5000} {
				gamma, err := CalibrateGaussMix(b, k, rel)
				if err != nil {
					t.Errorf("%+v, k = %d, %v: %v", b, k, rel, err)
					continue
				}
				g := GaussMix{K: k, Gamma: gamma, Neighbours: rel}
				less := g
				less.Gamma = 1 + (gamma-1)*(1-1e-7)
				if delta := profileAt(t, g, rel, b.Epsilon); !(delta <= b.Delta) {
					t.Errorf("%+v, %v: δ = %g", b, g, delta)
				}
				if delta := profileAt(t, less, rel, b.Epsilon); less.Gamma > 1+1e-9 && !(delta > b.Delta) {
					t.Errorf("%+v, %v: 1e-7 less noise would do", b, g)
				}
			}
		}
	}
}

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
	rng := rand.New(rand.NewPCG(43, 44))
	worst := map[string]float64{}
	for range 4000 {
		d, n := 1+rng.IntN(4), rng.IntN(6)
		R := math.Exp(rng.NormFloat64())
		noise := R * R * math.Exp(2*rng.NormFloat64())
		rel := []Neighbours{AddRemove, ReplaceOne}[rng.IntN(2)]
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
			if rel == ReplaceOne {
				y.SetRow(n, ballRow(rng, d, R))
			}
		}
		p := Pair{Neighbours: rel, N: n + 1, R: R, F: f, M: n, T1: shift * 10, TF: shift * (1 + 1e-12), TInf: shift * (1 + 1e-12), DFree: math.Inf(1)}
		g := must[GaussMix](t)(GaussMixOn(p, GaussMixOptions{K: 3, Noise: noise, Floor: floor}))
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

// TestGaussMixSimulation: likelihood ratios of sketches of the worst pair with C = 3. The tolerances are 7 standard
// deviations of the mean of variables in [0, 1], plus 10/n for the tail: false alarm below 1e-10.
func TestGaussMixSimulation(t *testing.T) {
	const n, k, C, noise = 200000, 5, 3.0, 27.0
	rng := rand.New(rand.NewPCG(45, 46))
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		// X has one row, C e1; X' none, or C e2.
		va, vb := [2]float64{C*C + noise, noise}, [2]float64{noise, noise}
		if rel == ReplaceOne {
			vb[1] += C * C
		}
		g := GaussMix{K: k, Gamma: 1 + noise/(C*C), Neighbours: rel}
		profile, curve := must[Profile](t)(g.Profile(rel)), curveOf(t, g, rel)
		for name, v := range map[string][2][2]float64{"forward": {va, vb}, "backward": {vb, va}} {
			epsilons := []float64{0, 0.2, 0.6, 1.5}
			sums, squares := make([]float64, len(epsilons)), make([]float64, len(epsilons))
			moment, moment2 := 0.0, 0.0
			const alpha = 1.5
			for range n {
				loss := 0.0
				for range k {
					for j := range 2 {
						z := rng.NormFloat64() * math.Sqrt(v[0][j])
						loss += math.Log(v[1][j]/v[0][j])/2 + z*z/2*(1/v[1][j]-1/v[0][j])
					}
				}
				for i, eps := range epsilons {
					w := max(0, -math.Expm1(eps-loss))
					sums[i] += w
					squares[i] += w * w
				}
				m := math.Exp((alpha - 1) * loss)
				moment += m
				moment2 += m * m
			}
			for i, eps := range epsilons {
				mean := sums[i] / n
				tol := 7*math.Sqrt(max(0, squares[i]/n-mean*mean)/n) + 10.0/n
				exact := profile(eps)
				if mean > exact+tol {
					t.Errorf("%v, %s, ε = %g: simulated δ = %g ± %g, profile %g", g, name, eps, mean, tol, exact)
				}
				if (rel == ReplaceOne || name == "forward") && mean < exact-tol {
					t.Errorf("%v, %s, ε = %g: simulated δ = %g ± %g, profile %g is not exact", g, name, eps, mean, tol, exact)
				}
			}
			mean := moment / n
			tol := 7 * math.Sqrt((moment2/n-mean*mean)/n)
			if got := math.Log(mean-tol) / (alpha - 1); got > curve(alpha) {
				t.Errorf("%v, %s: simulated divergence above %g, curve %g", g, name, got, curve(alpha))
			}
		}
	}
}

// TestGaussMixShiftRoutes: no displacement is the plain price, the price rises with it, and a floor that is not told to
// be noise costs more.
func TestGaussMixShiftRoutes(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		g := GaussMix{K: 20, Gamma: 30, Neighbours: rel}
		last := 0.0
		for _, d := range []float64{0, 1e-12, 1e-4, 0.01, 0.3, 2} {
			g.Displacement, g.Noise = d, 29
			v := curveOf(t, g, rel)(3)
			if !(v >= last) {
				t.Errorf("%v: %g after %g", g, v, last)
			}
			if d == 1e-12 && v > last*(1+1e-9) {
				t.Errorf("%v: %g for no displacement, %g for a tiny one", rel, last, v)
			}
			last = v
			g.Noise = 0
			if curveOf(t, g, rel)(3) < v {
				t.Errorf("%v: unknown noise costs less", g)
			}
		}
	}
	p := Pair{Neighbours: ReplaceOne, N: 10, R: 1, F: 2, M: 0, DFree: math.Inf(1)}
	if _, err := GaussMixOn(p, GaussMixOptions{K: 3, Noise: 1}); !errors.Is(err, ErrNoRoute) {
		t.Errorf("two free rows: got %v, want ErrNoRoute", err)
	}
	p.F = 1
	for _, o := range []GaussMixOptions{{K: 0, Noise: 1}, {K: 3, Noise: -1}, {K: 3, Noise: 1, Floor: math.NaN()}, {K: 3, Noise: math.Inf(1)}} {
		if _, err := GaussMixOn(p, o); !errors.Is(err, ErrParameter) {
			t.Errorf("%+v: got %v, want ErrParameter", o, err)
		}
	}
	if _, err := GaussMixOn(Pair{}, GaussMixOptions{K: 3, Noise: 1}); err == nil {
		t.Error("zero pair: got no error")
	}
}

func BenchmarkCalibrateGaussMix(b *testing.B) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		b.Run(rel.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := CalibrateGaussMix(Budget{1, 1e-5}, 100, rel); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
