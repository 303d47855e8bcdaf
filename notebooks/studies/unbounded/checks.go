package unbounded

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/dpkit/local"
)

// JointBound holds the extreme eigenvalues of a joint covariance Σ′ of (x, y), y = ⟨β, x⟩ + noise, and what (7.3) and (7.4) of the
// thesis say of them.
type JointBound struct {
	Least, Most            float64 // eigenvalues of Σ′
	Above                  float64 // (7.3): at least Most
	Below, BelowSimplified float64 // (7.4), its first and its last form: at most Least
}

// Violated says that a bound fails by more than rounding.
func (b JointBound) Violated() bool {
	rounding := 1e-12 * b.Most // of the eigenvalues
	return b.Most > b.Above+rounding || b.Below > b.Least+rounding || b.BelowSimplified > b.Least+rounding
}

// JointBounds draws covariances of 1 to 6 columns, with condition numbers up to 10⁴, coefficients and noise of all sizes.
func JointBounds(seed uint64, draws int) ([]JointBound, error) {
	rng := rand.New(rand.NewPCG(seed, 8))
	out := make([]JointBound, draws)
	for i := range out {
		d := 1 + rng.IntN(6)
		p := draw(rng, 0, d, math.Pow(10, 4*rng.Float64()))
		noise := math.Pow(10, 4*rng.Float64()-2)
		joint := mat.NewSymDense(d+1, nil)
		for a := range d {
			for b := range a + 1 {
				var v float64
				for k, sd := range p.sd {
					v += p.q.At(a, k) * sd * sd * p.q.At(b, k)
				}
				joint.SetSym(a, b, v)
			}
		}
		grow, size := math.Pow(10, 3*rng.Float64()-2), 0.0
		for a := range d {
			var v float64
			for b := range d {
				v += joint.At(a, b) * p.beta[b] * grow
			}
			joint.SetSym(a, d, v)
			size += v * p.beta[a] * grow
		}
		joint.SetSym(d, d, size+noise)
		var e mat.EigenSym
		if !e.Factorize(joint, false) {
			return nil, errors.New("unbounded study: no eigenvalues")
		}
		v := e.Values(nil)
		least, most := p.sd[0]*p.sd[0], p.sd[d-1]*p.sd[d-1]
		sum := noise + size + least
		out[i] = JointBound{
			Least: v[0], Most: v[d], Above: 2 * (size + max(most, noise)),
			Below:           noise * least / (sum/2 + math.Sqrt(max(0, sum*sum/4-noise*least))),
			BelowSimplified: noise * least / sum,
		}
	}
	return out, nil
}

// Factors are, for draws of n rows of d features of law N(0, I) and two classes by a logistic link with β = 2e₁, the first coefficient
// of least squares of ±1 over 2 E f′ β₁: with both moments of the same rows, and with those of different rows, as in Lemma 8.4.2.
func Factors(seed uint64, n, d, draws int) (same, split []float64, err error) {
	rng := rand.New(rand.NewPCG(seed, 12))
	k := LogisticFactor(2)
	for range draws {
		var moments [2]*mat.SymDense
		right := mat.NewVecDense(d, nil) // of the first rows
		for half := range moments {
			moments[half] = mat.NewSymDense(d, nil)
			x := mat.NewVecDense(d, nil)
			for range n {
				for j := range d {
					x.SetVec(j, rng.NormFloat64())
				}
				moments[half].SymRankOne(moments[half], 1, x)
				if half > 0 {
					continue
				}
				y := -1.0
				if rng.Float64() < 1/(1+math.Exp(-2*x.AtVec(0))) {
					y = 1
				}
				right.AddScaledVec(right, y, x)
			}
		}
		for half, to := range []*[]float64{&same, &split} {
			var w mat.VecDense
			if err := w.SolveVec(moments[half], right); err != nil {
				return nil, nil, err
			}
			*to = append(*to, w.AtVec(0)/(2*k))
		}
	}
	return same, split, nil
}

// NoiseNorms are the largest singular values of symmetric d × d matrices of independent standard normal numbers on and above the
// diagonal: the printed noise, in σ.
func NoiseNorms(seed uint64, d, draws int) (norms []float64, err error) {
	rng := rand.New(rand.NewPCG(seed, uint64(d)))
	for range draws {
		m := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				m.SetSym(i, j, rng.NormFloat64())
			}
		}
		var e mat.EigenSym
		if !e.Factorize(m, false) {
			return nil, errors.New("unbounded study: no eigenvalues")
		}
		v := e.Values(nil)
		norms = append(norms, max(-v[0], v[d-1]))
	}
	return norms, nil
}

// ResponseErrors asks crowds of people, a multiple of k, whose true answers are spread evenly over k, by k-ary randomised response. It
// returns the errors of all shares.
func ResponseErrors(k int, epsilon float64, people, crowds int) (errs []float64, err error) {
	answers := make([]string, k)
	for i := range answers {
		answers[i] = strconv.Itoa(i)
	}
	scheme, err := local.New(local.Direct, epsilon, answers...)
	if err != nil {
		return nil, err
	}
	for crowd := range crowds {
		client, err := local.DemoClient(scheme, uint64(1000*k+crowd))
		if err != nil {
			return nil, err
		}
		total, err := local.NewAggregator(scheme)
		if err != nil {
			return nil, err
		}
		for i := range people {
			report, err := client.Report(answers[i%k])
			if err != nil {
				return nil, err
			}
			if err := total.Add(report); err != nil {
				return nil, err
			}
		}
		shares, err := total.Frequencies(0.95)
		if err != nil {
			return nil, err
		}
		for _, s := range shares {
			errs = append(errs, s.Share-1/float64(k))
		}
	}
	return errs, nil
}

// ResponseSD is the standard deviation of a share f = 1/k of k answers by the thesis's estimator: √([f p(1−p) + (1−f) q(1−q)]/n)/(p−q).
func ResponseSD(k, epsilon float64, people int) float64 {
	f, p := 1/k, math.Exp(epsilon)/(math.Exp(epsilon)+k-1)
	q := p * math.Exp(-epsilon)
	return math.Sqrt((f*p*(1-p)+(1-f)*q*(1-q))/float64(people)) / (p - q)
}
