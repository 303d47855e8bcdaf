package linear

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestFloor: the mean of the label stands in for a fit where rows are too few for the columns, by public facts alone, and nowhere else.
func TestFloor(t *testing.T) {
	const centred = "adassp, centred"
	for _, c := range []struct {
		name    string
		rel     accountant.Neighbours
		n, d    int
		epsilon float64
		none    bool // no intercept
		removed bool // rows may be
		want    string
	}{
		{"wide and few", accountant.ReplaceOne, 192, 124, 1, false, false, models.LabelMean},
		{"wide and few, add/remove", accountant.AddRemove, 192, 124, 0.5, false, false, models.LabelMean},
		{"wide and few at a large ε, where the sums tell the mean", accountant.ReplaceOne, 192, 124, 3, false, false, centred},
		{"narrow at a small ε", accountant.ReplaceOne, 1279, 11, 0.1, false, false, models.LabelMean},
		{"narrow", accountant.ReplaceOne, 1279, 11, 1, false, false, centred},
		{"many rows", accountant.ReplaceOne, 13903, 60, 0.3, false, false, centred},
		{"without an intercept there is no mean", accountant.ReplaceOne, 192, 124, 1, true, false, models.AdaSSP},
		{"how many rows are left is not public", accountant.ReplaceOne, 192, 124, 1, false, true, models.AdaSSP},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := auditStage(t, c.rel, c.n, c.d)
			st.Empty = c.removed
			fit := must(LeastSquares{Settings{Epsilon: c.epsilon, Delta: 1e-6, NoIntercept: c.none}}.Prepare(st))
			got := models.AdaSSP
			switch m := fit.(type) {
			case *MeanFit:
				got = models.LabelMean
				if !(math.Abs(m.instead-1) < 1e-9) { // no step of the chain costs the fit anything
					t.Errorf("the fit has %g times the noise of a free chain", m.instead)
				}
			case *CentredFit:
				got = centred
			case *AdaSSPFit:
			default:
				t.Fatalf("got %T", fit)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			bill := must(fit.Bill(c.name))
			if !(bill.Guarantee.Epsilon <= c.epsilon && bill.Guarantee.Epsilon > 0.99*c.epsilon) {
				t.Errorf("ε = %g for the target %g", bill.Guarantee.Epsilon, c.epsilon)
			}
		})
	}
}

// TestFloorIsAsked: a method that is asked for stays, and its models keep the law that they had.
func TestFloorIsAsked(t *testing.T) {
	st := auditStage(t, accountant.ReplaceOne, 192, 124)
	fit := must(LeastSquares{Settings{Epsilon: 1, Delta: 1e-6, Method: models.AdaSSP}}.Prepare(st))
	if _, ok := fit.(*AdaSSPFit); !ok {
		t.Errorf("got %T", fit)
	}
	for _, c := range []struct {
		how          Method
		law, replays int
	}{
		{BestLinear{Epsilon: 1, Delta: 1e-6}, 4, 1},
		{AdaSSP{Epsilon: 1, Delta: 1e-6}, 1, 0},
		{LinearMixing{Epsilon: 1, Delta: 1e-6}, 2, 1},
		{LinearMixing{Epsilon: 1, Delta: 1e-6, Rows: 40}, 1, 0},
		{Sketched{LinearMixing{Epsilon: 1, Delta: 1e-6}}, 1, 0},
		{LinearMixing{Epsilon: 1, Delta: 1e-6, ReleaseEigenvalue: true}, 2, 0},
	} {
		if k := (Fit{c.how}).Kind(); k.Law != c.law || k.Replays != c.replays {
			t.Errorf("%T: law %d, replays %d", c.how, k.Law, k.Replays)
		}
	}
}

// TestMeanMoves: no pair moves Σ c·v further than the bound, and one attains it: labels at both ends, in rows that differ in everything.
func TestMeanMoves(t *testing.T) {
	for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
		st := auditStage(t, rel, 40, 3)
		dom := must(LinearDomainOf(st, 1, true))
		m := must(newMean(LeastSquares{Settings{Epsilon: 1, Delta: 1e-6}}, dom, st))
		sum := func(rows [][]float64) float64 {
			z, s := make([]float64, dom.Size()), 0.0
			for _, r := range rows {
				dom.Rounded(z, r[:3], r[3])
				s += z[3] * dom.H * z[4] * dom.H
			}
			return s
		}
		worst := 0.0
		for _, x := range [][]float64{{1, 0, 0}, {0, 0, 0}, {-1, 0, 0}} {
			for _, y := range [][2]float64{{1, -1}, {-1, 1}, {1, 0}, {0, -1}, {-7, 7}} {
				side := [2]float64{sum([][]float64{append(append([]float64{}, x...), y[0])}), 0}
				if rel == accountant.ReplaceOne {
					side[1] = sum([][]float64{{0, 1, 0, y[1]}})
				}
				worst = max(worst, math.Abs(side[0]-side[1]))
			}
		}
		if !(worst <= m.Sensitivity && worst > 0.999*m.Sensitivity) {
			t.Errorf("%v: moved %g of %g", rel, worst, m.Sensitivity)
		}
		// Displaced rows keep their label; free ones add up.
		p := must(pair.Start(40, 1, rel))
		p.M, p.T1, p.TF, p.TInf = 30, 3, 1, 0.5
		if s := must(m.moves(p)); s != must(m.moves(must(pair.Start(40, 1, rel)))) {
			t.Errorf("%v: displaced rows count: %g", rel, s)
		}
		p.F = 3
		if s := must(m.moves(p)); !(s >= 2.5*m.summand()*2) {
			t.Errorf("%v: three free rows move %g", rel, s)
		}
	}
}

// TestMeanFit: 400 releases say what is expected of the mean of the labels behind their noise, whatever the columns: the mean square of what
// they are off by is [meanError]. So far from the middle it is nearly normal, and 400 of its squares, about χ², are off by less than 8.5
// deviations of their mean but for 5e-12.
func TestMeanFit(t *testing.T) {
	const n, draws = 300, 400
	st := auditStage(t, accountant.ReplaceOne, n, 2)
	dom := must(LinearDomainOf(st, 0.5, true))
	m := must(newMean(LeastSquares{Settings{Epsilon: 0.5, Delta: 1e-6}}, dom, st))
	e := &NormalEquations{Size: dom.Size(), Sum: make([]float64, dom.Size()*dom.Size())}
	z, mean := make([]float64, dom.Size()), 0.0
	for i := range n {
		y := 0.3 + 0.4*float64(i%2)
		mean += y / n
		dom.Rounded(z, []float64{0.5, float64(i) / n / 2}, y)
		for a := range z {
			for b := range z {
				e.Sum[a*dom.Size()+b] += z[a] * z[b] * dom.H * dom.H
			}
		}
	}
	rng, square, deviation := noise.New(), 0.0, 0.0
	for range draws {
		c := must(m.Fit(e, rng))
		model := dom.Model(st.In, c)
		if model.Coef[0] != 0 || model.Coef[1] != 0 || model.Method != models.LabelMean {
			t.Fatalf("got %v by %q", model.Coef, model.Method)
		}
		off := model.Intercept - mean
		square += off * off / draws
	}
	const step = 1. / 16
	for z := -8.; z <= 8; z += step { // of the squares
		off := expectedMean(mean+z*m.noise(), m.noise(), n) - mean
		deviation += math.Pow(off, 4) * math.Exp(-z*z/2) * step / math.Sqrt(2*math.Pi)
	}
	want := meanError(mean, m.noise(), n)
	deviation = math.Sqrt(deviation - want*want)
	if math.Abs(square-want) > 8.5*deviation/math.Sqrt(draws)+1e-6 {
		t.Errorf("a mean square of %g, want %g ± %g", square, want, deviation/math.Sqrt(draws))
	}
}

// meanError is the mean square of what [expectedMean] is off by where the rows' mean is m.
func meanError(m, sd float64, n int) float64 {
	const step, reach = 1. / 16, 128 // the trapezium rule is exact to rounding for so smooth a function
	sum := 0.0
	for i := -reach; i <= reach; i++ {
		z := float64(i) * step
		off := expectedMean(m+sd*z, sd, n) - m
		sum += off * off * math.Exp(-z*z/2)
	}
	return sum * step / math.Sqrt(2*math.Pi)
}

// TestExpectedMean: what is said of a mean is odd, between the middle and what was drawn, less than half where noise could have said it, and
// nearly all where it could not; a mean in the middle is said with less than half of the variance that was drawn.
func TestExpectedMean(t *testing.T) {
	for _, beyond := range [][2]float64{{1e200, 1e-3}, {1e200, 1e200}, {0.1, 1e200}, {math.Inf(1), 0.1}, {math.NaN(), 1}, {1, math.NaN()}} {
		if got := expectedMean(beyond[0], beyond[1], 10); math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("mean %g, noise %g: got %g", beyond[0], beyond[1], got)
		}
	}
	for _, sd := range []float64{1e-9, 1e-4, 0.01, 0.1, 0.5, 3, 1e6} {
		for _, n := range []int{1, 30, 1000, 1 << 30} {
			for _, m := range []float64{0, 1e-12, 0.01, 0.3, 1, 40, 1e9} {
				got := expectedMean(m, sd, n)
				if !(got >= 0 && got <= m) || expectedMean(-m, sd, n) != -got {
					t.Errorf("sd %g, n %d, m %g: got %g and %g", sd, n, m, got, expectedMean(-m, sd, n))
				}
			}
			noise := math.Hypot(sd, 1/(4*math.Sqrt(float64(n))))
			if got := expectedMean(noise, sd, n); got > 0.5*noise {
				t.Errorf("sd %g, n %d: got %g of a deviation of %g", sd, n, got, noise)
			}
			if got := expectedMean(0.3, sd, n); noise < 0.03 && got < 0.98*0.3 {
				t.Errorf("sd %g, n %d: got %g of 0.3", sd, n, got)
			}
			if e := meanError(0, sd, n); !(e <= 0.5*sd*sd) {
				t.Errorf("sd %g, n %d: a mean in the middle is off by %g of the noise's square", sd, n, e/(sd*sd))
			}
		}
	}
}

// TestSweep: fewer rows of the sketch where columns are many for the rows, by public facts alone; others keep 8 a coefficient, and so do
// sketches for other mechanisms.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name string
		how  Method
		n, d int
		less bool
	}{
		{"wide and few", LinearMixing{Epsilon: 1, Delta: 1e-6}, 200, 60, true},
		{"at a scale of the label that is little noise", LinearMixing{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5}, 200, 60, false},
		{"many rows", LinearMixing{Epsilon: 1, Delta: 1e-6}, 14000, 5, false},
		{"asked for", LinearMixing{Epsilon: 1, Delta: 1e-6, Rows: 8 * 62}, 200, 60, false},
		{"of another mechanism", Sketched{LinearMixing{Epsilon: 1, Delta: 1e-6}}, 200, 60, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fit := must(LeastSquares{c.how.Settings()}.Choose(auditStage(t, accountant.ReplaceOne, c.n, c.d)))
			x, ok := fit.(*SketchFit)
			if !ok {
				t.Fatalf("got %T", fit)
			}
			if full := defaultSketchRows * (c.d + 2); (x.k < full) != c.less || x.k > full || x.k < c.d+2+leastFreedom {
				t.Errorf("k = %d, fewer than %d: want %t", x.k, full, c.less)
			}
		})
	}
}
