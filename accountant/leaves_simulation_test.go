package accountant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A simulated leaf draws the loss ln(P/Q)(x) of x ~ P in a pair of laws that the leaf covers.
type simulated struct {
	name  string
	e     Event
	loss  func(*rand.Rand) float64
	exact bool    // the pair attains the profile and the curve
	most  float64 // the largest loss, where exact
}

func simulatedLeaves(t *testing.T) []simulated {
	normal := func(mu float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return mu*rng.NormFloat64() + mu*mu/2 }
	}
	response := func(k int, eps float64) func(*rand.Rand) float64 {
		total := math.Exp(eps) + float64(k) - 1
		return func(rng *rand.Rand) float64 {
			switch u := rng.Float64() * total; {
			case u < 1:
				return -eps
			case u < float64(k)-1:
				return 0
			}
			return eps
		}
	}
	laplace := func(shifts ...float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 {
			loss := 0.0
			for _, t := range shifts {
				x := math.Copysign(rng.ExpFloat64(), rng.Float64()-0.5)
				loss += math.Abs(x-t) - math.Abs(x)
			}
			return loss
		}
	}
	// The exponential mechanism on four candidates whose scores move by up to 1, ε = 1.2.
	var p, q [4]float64
	var sumP, sumQ float64
	for i, s := range [4][2]float64{{0, 1}, {3, 2}, {1, 1}, {2, 1}} {
		p[i], q[i] = math.Exp(0.6*s[0]), math.Exp(0.6*s[1])
		sumP, sumQ = sumP+p[i], sumQ+q[i]
	}
	selection := func(rng *rand.Rand) float64 {
		u := rng.Float64() * sumP
		i := 0
		for i < 3 && u >= p[i] {
			u -= p[i]
			i++
		}
		return math.Log(p[i] / sumP * sumQ / q[i])
	}
	const s, k = 2.0, 3 // the lattice
	var weights [81]float64
	var all float64
	for i := range weights {
		weights[i] = math.Exp(-float64((i-40)*(i-40)) / (2 * s * s))
		all += weights[i]
	}
	lattice := func(rng *rand.Rand) float64 {
		u := rng.Float64() * all
		i := 0
		for i < 80 && u >= weights[i] {
			u -= weights[i]
			i++
		}
		return k * (k - 2*float64(i-40)) / (2 * s * s)
	}
	fails := func(rng *rand.Rand) float64 {
		if rng.Float64() < 0.05 {
			return math.Inf(1)
		}
		return response(2, 0.8)(rng)
	}
	found := func(rng *rand.Rand) float64 { // a key of one person and one of many, of two keys with noise 1 and threshold 2.5
		hidden := 0.9331927987311419 // Φ(1.5)
		if rng.Float64() >= hidden {
			return math.Inf(1)
		}
		return math.Log(hidden) + normal(1)(rng)
	}
	exact := Gaussian{Sensitivity: 0.5, Sigma: 1, Neighbours: AddRemove}
	curve, err := exact.RDP(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	orders := []float64{1.2, 2, 5, 20}
	table := RDPTable{Orders: orders, Neighbours: AddRemove}
	for _, a := range orders {
		table.Values = append(table.Values, curve(a))
	}
	return []simulated{
		{"Gaussian", Gaussian{0.5, 1, AddRemove}, normal(0.5), false, 0},
		{"DiscreteGaussian", DiscreteGaussian{k, s, AddRemove, s, 1}, lattice, false, 0},
		{"Laplace", Laplace{1.5, 1, AddRemove}, laplace(1.5), true, 1.5},
		{"Laplace, three coordinates", Laplace{1.5, 1, AddRemove}, laplace(0.3, 0.9, 0.3), false, 0},
		{"Exponential", Exponential{1.2, AddRemove}, selection, false, 0},
		{"RandomizedResponse", RandomizedResponse{6, 1.1, AddRemove}, response(6, 1.1), true, 1.1},
		{"PureDP", PureDP{0.8, AddRemove}, response(2, 0.8), true, 0.8},
		{"GaussianThreshold", GaussianThreshold{Sigma: 1, Threshold: 2.5, Groups: 2, Cells: 1, GridSigma: 0x1p40, Neighbours: AddRemove}, found, false, 0},
		{"ApproxDP", ApproxDP{0.8, 0.05, AddRemove}, fails, false, 0},
		{"ZCDP", ZCDP{0.125, AddRemove}, normal(0.5), false, 0},
		{"TCDP", TCDP{0.125, 10, AddRemove}, normal(0.5), false, 0},
		{"RDPTable", table, normal(0.5), false, 0},
		{"two responses", Repeat(PureDP{0.8, AddRemove}, 2), func(rng *rand.Rand) float64 {
			return response(2, 0.8)(rng) + response(2, 0.8)(rng)
		}, true, 1.6},
		{"three lattices", Repeat(DiscreteGaussian{k, s, AddRemove, s, 1}, 3), func(rng *rand.Rand) float64 {
			return lattice(rng) + lattice(rng) + lattice(rng)
		}, false, 0},
	}
}

// TestSimulatedLosses draws losses and compares δ(ε) = E(1 − e^{ε−L})₊ and the moments E e^{(α−1)L},
// clipped where they are not bounded, with the prices. A mean of n variables in [0, 1] of mean at most m is above m by more
// than t = l/3n + √((l/3n)² + 2ml/n) with probability at most e^−l (Bernstein 1924, with the variance at
// most m), and below it by as much where the mean is m; e^−l = 1e-12 and under 450 comparisons
// make a false alarm less likely than 5e-10.
func TestSimulatedLosses(t *testing.T) {
	t.Parallel()
	for _, s := range simulatedLeaves(t) {
		t.Run(s.name, func(t *testing.T) { requireLosses(t, s, AddRemove) })
	}
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, s := range simulatedMechanisms(t, rel) {
			t.Run(s.name+", "+rel.String(), func(t *testing.T) { requireLosses(t, s, rel) })
		}
	}
}

func requireLosses(t *testing.T, s simulated, rel Neighbours) {
	t.Helper()
	const n = 200_000
	tolerance := func(m float64) float64 {
		const l = 27.64 // more than ln 1e12
		return l/(3*n) + math.Sqrt(l/(3*n)*l/(3*n)+2*m*l/n)
	}
	rng := rand.New(rand.NewPCG(41, 42))
	losses := make([]float64, n)
	for i := range losses {
		losses[i] = s.loss(rng)
		if math.IsNaN(losses[i]) {
			t.Fatal("a loss is NaN")
		}
	}
	// mean is that of a function of the losses, which takes many at once.
	var batch [4096]float64
	mean := func(f func(l []float64)) float64 {
		sum := 0.0
		for some := range slices.Chunk(losses, len(batch)) {
			b := batch[:copy(batch[:], some)]
			f(b)
			for _, v := range b {
				sum += v
			}
		}
		return sum / n
	}
	for _, eps := range []float64{0, 0.2, 0.5, 1, 2} {
		got := mean(func(l []float64) {
			for i, v := range l {
				l[i] = min(0, eps-v)
			}
			quad.Expm1s(l)
			for i, v := range l {
				l[i] = -v
			}
		})
		g, err := DeltaOf(s.e, rel, eps)
		if err != nil {
			t.Fatal(err)
		}
		tol := tolerance(g.Delta)
		if got > g.Delta+tol || (s.exact && got < g.Delta-tol) {
			t.Errorf("ε = %g: losses have δ = %g ± %g, the price is %g by %s", eps, got, tol, g.Delta, g.Route)
		}
	}
	c, delta0, err := approxRDP(s.e, rel)
	if err != nil {
		t.Fatal(err)
	}
	if delta0 > 0 {
		return // its moments are infinite
	}
	for _, alpha := range []float64{1.5, 3, 6} {
		clip := math.Exp((alpha - 1) * 3)
		if s.exact {
			clip = math.Exp((alpha - 1) * s.most)
		}
		got := mean(func(l []float64) {
			for i, v := range l {
				l[i] = (alpha - 1) * v
			}
			quad.Exps(l)
			for i, v := range l {
				l[i] = min(1, v/clip)
			}
		})
		want := math.Exp((alpha-1)*c(alpha)) / clip
		tol := tolerance(want)
		if got > want+tol || (s.exact && got < want-tol) {
			t.Errorf("order %g: losses have the moment %g ± %g, the curve %g", alpha, got, tol, want)
		}
	}
}
