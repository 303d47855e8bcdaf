package linear

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// offRows are the sums of n rows of two columns off the middle of their bounds, whose labels lie about mean.
func offRows(g *LinearDomain, n int, mean float64) *NormalEquations {
	m := g.Size()
	e := &NormalEquations{Size: m, Sum: make([]float64, m*m)}
	z := make([]float64, m)
	for i := range n {
		a, b := math.Cos(float64(7*i)), math.Sin(float64(11*i+1))
		g.Rounded(z, []float64{0.5 + 0.2*a, -0.3 + 0.2*b}, mean+0.1*a-0.05*b)
		for j := range z {
			for k := range z {
				e.Sum[j*m+k] += z[j] * z[k] * g.H * g.H
			}
		}
	}
	return e
}

func centredOf(t *testing.T, n int, epsilon float64) *CentredFit {
	t.Helper()
	st := auditStage(t, accountant.ReplaceOne, n, 2)
	a := must(LeastSquares{Settings{Epsilon: epsilon, Delta: 1e-6, Method: models.AdaSSP}}.Prepare(st)).(*AdaSSPFit)
	return &CentredFit{a}
}

// copied are sums that a test may hand to a fit that changes them.
func copied(e *NormalEquations) *NormalEquations {
	return &NormalEquations{Size: e.Size, Sum: slices.Clone(e.Sum)}
}

// TestCentre: sums that noise could have drawn from labels in the middle give the bits of AdaSSP; others a model that says the label's mean at the
// mean row, on columns as far as their means are told from noise.
func TestCentre(t *testing.T) {
	const n = 400
	f := centredOf(t, n, 1)
	for _, c := range []struct {
		name      string
		deviation float64 // the label's mean, in those of its noise
		centred   bool
	}{
		{"in the middle", 0, false},
		{"as noise has it", 2.9, false},
		{"as noise has it, below", -2.9, false},
		{"told", 3.1, true},
		{"told, below", -3.1, true},
		{"not a number", math.NaN(), false},
		{"far", 30, true},
		{"beyond the bounds", -1e6, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := offRows(f.LinearDomain, n, 0)
			p := f.Coefficients()
			nc := float64(n) * f.constantCell()
			e.Sum[(p-1)*e.Size+p] = c.deviation * f.meanNoise() * nc * f.Height
			e.Sum[p*e.Size+p-1] = e.Sum[(p-1)*e.Size+p]
			to := f.centre(e)
			if (to.w != nil) != c.centred {
				t.Fatalf("centre %v", to.w)
			}
			if !c.centred {
				if c.deviation-c.deviation != 0 {
					return
				}
				want := must(copied(e).Solve(f.Ridge(e.Smallest(p, 0))))
				if got := must(f.solve(copied(e))); !slices.Equal(got.W, want.W) || !slices.Equal(got.se, f.errors(want)) {
					t.Errorf("got %v, want %v", got.W, want.W)
				}
				return
			}
			says := 0.0 // at the mean row, of which direction is kept
			for j, v := range to.w {
				x := e.Sum[j*e.Size+p-1] / nc
				if j == p-1 {
					x = f.constantCell()
				} else {
					x *= to.direction
				}
				says += v * x
			}
			kept := math.Abs(c.deviation) - 9/math.Abs(c.deviation)
			want := math.Copysign(min(1, kept*f.meanNoise()), c.deviation) * f.Height
			if !(math.Abs(says-want) < 1e-9*f.Height) || !(to.slope > 1 && to.slope < 2 && to.direction > 0 && to.direction < 1) {
				t.Errorf("says %g, want %g; slope %g, direction %g", says, want, to.slope, to.direction)
			}
		})
	}
}

// TestCentreAgainstTheMiddle: where noise leaves the ridge all to say, labels far off the middle are said by their mean, which AdaSSP shrinks.
func TestCentreAgainstTheMiddle(t *testing.T) {
	const n, mean = 400, 0.6
	f := centredOf(t, n, 1)
	e := offRows(f.LinearDomain, n, mean)
	at := func(w []float64) float64 { // what is said of the mean row
		p, says := f.Coefficients(), 0.0
		for j := range p {
			says += w[j] * e.Sum[j*e.Size+p-1] / (n * f.constantCell())
		}
		return says * f.to
	}
	plain := must(copied(e).Solve(f.Ridge(e.Smallest(f.Coefficients(), 0))))
	if was, is := at(plain.W), at(must(f.solve(copied(e))).W); !(was < 0.9*mean && math.Abs(is-mean) < 0.3*(mean-was)) {
		t.Errorf("said %g, and %g without a centre, of %g", is, was, mean)
	}
}

// TestCentredErrors: standard deviations are those of 4000 draws, to 8 % of first order and 7 deviations of a standard deviation: false alarm
// below 1e-10.
func TestCentredErrors(t *testing.T) {
	const n, draws = 4000, 4000
	f := centredOf(t, n, 0.5)
	e := offRows(f.LinearDomain, n, 0.5)
	rng := noise.New()
	p := f.Coefficients()
	sum, square, said := make([]float64, p), make([]float64, p), make([]float64, p)
	for range draws {
		c := must(f.Fit(e, rng))
		for j, w := range c.W {
			sum[j] += w / draws
			square[j] += w * w / draws
			said[j] += c.se[j] / draws
		}
	}
	if r := f.Ridge(e.Smallest(p, 0)); !(r > 0.3*e.Smallest(p, 0)) {
		t.Fatalf("a ridge of %g, next to eigenvalues of %g", r, e.Smallest(p, 0))
	}
	for j := range p {
		was := math.Sqrt(square[j] - sum[j]*sum[j])
		if math.Abs(was/said[j]-1) > 0.08+7/math.Sqrt(2*draws) {
			t.Errorf("coefficient %d: a deviation of %g, said %g", j, was, said[j])
		}
		t.Logf("coefficient %d: %.4g, said %.4g", j, was, said[j])
	}
}

// TestCentredIsAPostProcessing: the price, the noise and what is predicted in the middle are those of AdaSSP; off the middle a fit whose sums
// tell the label's mean is predicted to be better.
func TestCentredIsAPostProcessing(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		better float64 // of the error on the uneven reference, at most
	}{{"the mean is told", 3000, 0.9}, {"noise hides it", 30, 1}} {
		t.Run(c.name, func(t *testing.T) {
			f := centredOf(t, c.n, 0.1)
			b, plain := must(f.Bill("x")), must(f.AdaSSPFit.Bill("x"))
			if b.Guarantee.Epsilon != plain.Guarantee.Epsilon || b.Guarantee.Delta != plain.Guarantee.Delta || !strings.HasPrefix(b.Cost.Reference, plain.Cost.Reference) || b.Cost.Reference == plain.Cost.Reference {
				t.Errorf("got %v, %q", b.Guarantee, b.Cost.Reference)
			}
			even, uneven := f.population(), f.uneven()
			if f.predicted(even) != f.AdaSSPFit.predicted(even) {
				t.Errorf("predicted %g in the middle", f.predicted(even))
			}
			if got, was := f.predicted(uneven), f.AdaSSPFit.predicted(uneven); !(got <= c.better*was && got > 0) {
				t.Errorf("predicted %g off the middle, %g without a centre", got, was)
			}
		})
	}
}
