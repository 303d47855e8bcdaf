package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestCentred: the default shrinks to the label's mean where noise on it is little, by public facts alone, and releases what AdaSSP does.
func TestCentred(t *testing.T) {
	for _, c := range []struct {
		name    string
		rel     accountant.Neighbours
		n, d    int
		epsilon float64
		none    bool // no intercept
		removed bool // rows may be
		want    bool
	}{
		{"wide", accountant.ReplaceOne, 1600, 100, 1, false, false, true},
		{"wide, add/remove", accountant.AddRemove, 1600, 100, 1, false, false, true},
		{"many rows at a small ε", accountant.ReplaceOne, 14000, 55, 0.1, false, false, true},
		{"so many that nothing is shrunk", accountant.ReplaceOne, 100000, 5, 3, false, false, false},
		{"a mean that noise could have said", accountant.ReplaceOne, 150, 8, 3, false, false, false},
		{"without an intercept there is no mean", accountant.ReplaceOne, 1600, 100, 1, true, false, false},
		{"how many rows are left is not public", accountant.ReplaceOne, 1600, 100, 1, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := auditStage(t, c.rel, c.n, c.d)
			st.Empty = c.removed
			l := LeastSquares{Settings{Epsilon: c.epsilon, Delta: 1e-6, NoIntercept: c.none}}
			fit := must(l.Prepare(st))
			l.Method = models.AdaSSP
			plain := must(l.Prepare(st)).(*AdaSSPFit)
			centred, ok := fit.(*CentredFit)
			if ok != c.want {
				t.Fatalf("got %T", fit)
			}
			if !ok {
				return
			}
			if a := centred.AdaSSPFit; a.GaussianQuery != plain.GaussianQuery {
				t.Errorf("releases %+v, want %+v", a.GaussianQuery, plain.GaussianQuery)
			}
			if got, want := must(fit.Bill("")).Guarantee, must(plain.Bill("")).Guarantee; got.String() != want.String() {
				t.Errorf("costs %v, want %v", got, want)
			}
			for _, p := range []population{plain.population(), plain.uneven()} {
				before := slices.Clone(p.groups)
				if e := fit.predicted(p); !(e > 0) || !slices.Equal(before, p.groups) {
					t.Errorf("predicted %g; populations are read alone", e)
				}
			}
		})
	}
}

// offCentreMoments are those of n rows of two columns and a label about 0.6 of its bounds.
func offCentreMoments(dom *LinearDomain, n int) (e *NormalEquations, mean float64) {
	e = &NormalEquations{Size: dom.Size(), Sum: make([]float64, dom.Size()*dom.Size())}
	z := make([]float64, dom.Size())
	for i := range n {
		x := []float64{0.6 * math.Cos(float64(i)), 0.2 + 0.4*math.Sin(float64(3*i))}
		y := 0.6 + 0.3*x[0] - 0.1*x[1] + 0.1*math.Cos(float64(7*i))
		mean += y / float64(n)
		dom.Rounded(z, x, y)
		for a := range z {
			for b := range z {
				e.Sum[a*dom.Size()+b] += z[a] * z[b] * dom.H * dom.H
			}
		}
	}
	return e, mean
}

// TestCentredAbout: without a ridge the regression is the one that it was, with one beyond all moments it says the mean of the label, and
// in between it is the minimiser of its objective.
func TestCentredAbout(t *testing.T) {
	const n = 100000
	st := auditStage(t, accountant.ReplaceOne, n, 2)
	dom := must(LinearDomainOf(st, 1, true))
	c := &CentredFit{must(newAdaSSP(LeastSquares{Settings{Epsilon: 20, Delta: 1e-6}}, dom, st))}
	e, mean := offCentreMoments(dom, n)
	clone := func() *NormalEquations { return &NormalEquations{Size: e.Size, Sum: slices.Clone(e.Sum)} }
	plain := must(clone().Solve(0))
	for j, w := range must(c.about(clone(), 0)).W {
		if math.Abs(w-plain.W[j]) > 1e-9 {
			t.Errorf("coefficient %d without a ridge: got %g, want %g", j, w, plain.W[j])
		}
	}
	model := dom.Model(st.In, must(c.about(clone(), 1e12*n)))
	if math.Abs(model.Intercept-mean) > 1e-3 || math.Abs(model.Coef[0]) > 1e-6 || math.Abs(model.Coef[1]) > 1e-6 {
		t.Errorf("with a large ridge: got %v and %g, want 0 and %g", model.Coef, model.Intercept, mean)
	}
	ridge := 0.3 * n
	w := must(c.about(clone(), ridge)).W
	w0 := expectedMean(mean, c.noise(), n) * dom.Height / dom.constantCell()
	for i := range 3 {
		g := -e.Sum[i*e.Size+3] + ridge*w[i]
		for j := range 3 {
			g += e.Sum[i*e.Size+j] * w[j]
		}
		if i == 2 {
			g -= ridge * w0
		}
		if math.Abs(g) > 1e-5*n {
			t.Errorf("coefficient %d: the objective has a slope of %g", i, g)
		}
	}
}

// TestCentredErrors: the errors that a centred model comes with are those of its releases to within a fifth: the deviations of 600 draws
// are off by less than 6.5/√1200 of themselves but for 1e-10, and what is of second order is small here.
func TestCentredErrors(t *testing.T) {
	const n, draws = 3000, 600
	st := auditStage(t, accountant.ReplaceOne, n, 2)
	dom := must(LinearDomainOf(st, 1, true))
	c := &CentredFit{must(newAdaSSP(LeastSquares{Settings{Epsilon: 4, Delta: 1e-6}}, dom, st))}
	e, _ := offCentreMoments(dom, n)
	ridge := 0.2 * n
	rng := noise.New()
	var sum, square, se [3]float64
	for range draws {
		got := must(c.about(c.noisy(e, rng), ridge))
		for j, w := range got.W {
			sum[j] += w / draws
			square[j] += w * w / draws
			se[j] += got.se[j] / draws
		}
	}
	for j := range sum {
		if sd := math.Sqrt(square[j] - sum[j]*sum[j]); math.Abs(se[j]/sd-1) > 0.2 {
			t.Errorf("coefficient %d: an error of %g, draws have %g", j, se[j], sd)
		}
	}
}
