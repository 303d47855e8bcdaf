package sketch

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/single"
)

// moreThan bounds the probability that n trials of probability p succeed c times or more (Chernoff 1952).
func moreThan(n, c int, p float64) float64 {
	q := float64(c) / float64(n)
	if q <= p {
		return 1
	}
	kl := q * math.Log(q/p)
	if q < 1 {
		kl += (1 - q) * math.Log((1-q)/(1-p))
	}
	return math.Exp(-float64(n) * kl)
}

// hostile are the lengths of orthogonal directions of the rows, beside noise of 1.
var hostile = []struct {
	name    string
	lengths []float64
	k       int
	cover   float64
}{
	{"one feature", []float64{6, 4}, 12, 0},
	{"one feature, few rows of the sketch", []float64{8, 3}, 4, 0},
	{"strong rows", []float64{300, 200, 100, 50}, 60, 0},
	{"directions of different size", []float64{1e5, 300, 20, 8}, 200, 0},
	{"the label is a combination", []float64{40, 30, 20, 0}, 100, 0},
	{"a label of noise alone", []float64{20, 15, 15, 15}, 150, 0},
	{"rounding as large as the noise", []float64{60, 40, 30}, 80, 20},
	{seesTheRidge, []float64{6, 5, 0.1}, 1000, 0},
}

const seesTheRidge = "many rows of the sketch"

// TestIntervalsCover draws sketches cell by cell. Each coefficient's interval misses least squares of the rows with probability 1 − level
// at most: more misses than counted have probability below 1e-11 for each of 46 counts.
// Intervals of the same width about the sketch's own least squares, which leaves the noise in, miss too often where k is large.
func TestIntervalsCover(t *testing.T) {
	const trials = 1500
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 7))
			rows := turned(r, c.lengths)
			m := len(rows)
			features := make([]int, m-1)
			for j := range features {
				features[j] = j
			}
			truth := leastSquares(gram(rows), m, features, m-1)
			for _, level := range []float64{0.5, 0.95} {
				missed, infinite, ridge := make([]int, m-1), 0, 0
				for range trials {
					s := draw(r, rows, c.k, 1, c.cover)
					reg, err := s.Regress("y")
					var found []models.Interval
					if err == nil {
						found, err = reg.Intervals(level)
					}
					if err != nil {
						if !errors.Is(err, models.ErrRefused) {
							t.Fatal(err)
						}
						infinite++ // all numbers: it covers
						continue
					}
					for j, i := range found {
						if !(i.Lo <= truth[j] && truth[j] <= i.Hi) {
							missed[j]++
						}
						if !(i.Lo <= reg.Coef[j] && reg.Coef[j] <= i.Hi) {
							t.Errorf("coefficient %d: %v is not in [%v, %v]", j+1, reg.Coef[j], i.Lo, i.Hi)
						}
					}
					if math.Abs(reg.law.ridge[0]-truth[0]) > math.Abs(found[0].Hi-found[0].Lo)/2 {
						ridge++
					}
				}
				for j, n := range missed {
					if p := moreThan(trials, n, 1-level); p < 1e-11 {
						t.Errorf("level %v, coefficient %d: missed %d of %d times, of probability %v at most", level, j+1, n, trials, p)
					}
				}
				if c.name == seesTheRidge && moreThan(trials, ridge, 1-level) > 1e-11 {
					t.Errorf("level %v: noise that is left in is not seen: missed %d of %d times", level, ridge, trials)
				}
				t.Logf("level %v: missed %v, no finite interval %d, of %d; ridge off %d", level, missed, infinite, trials, ridge)
			}
		})
	}
}

// TestErrorsAreFirstOrder: standard deviations are those of a simulation where the rows outgrow the noise, within 8 standard deviations of
// a standard deviation of normal variates, and a tenth for what is of second order.
func TestErrorsAreFirstOrder(t *testing.T) {
	single.Goroutine(t)
	const trials, k = 1200, 800
	r := rand.New(rand.NewPCG(3, 9))
	rows := turned(r, []float64{30, 20, 10, 6})
	truth := leastSquares(gram(rows), 4, []int{0, 1, 2}, 3)
	var sum, square, claimed [3]float64
	for range trials {
		reg := must(draw(r, rows, k, 1, 0).Regress("y"))
		for j, c := range reg.Coef {
			sum[j] += c - truth[j]
			square[j] += (c - truth[j]) * (c - truth[j])
			claimed[j] += reg.Errors[j] / trials
		}
	}
	for j := range sum {
		sd := math.Sqrt(square[j] / trials)
		if ratio := sd / claimed[j]; math.Abs(ratio-1) > 8/math.Sqrt(2*trials)+0.1 {
			t.Errorf("coefficient %d: off by %v, claimed %v", j+1, sd, claimed[j])
		}
		if bias := math.Abs(sum[j] / trials); bias > 7*sd/math.Sqrt(trials)+sd/3 {
			t.Errorf("coefficient %d: off by %v in the mean, by %v in size", j+1, bias, sd)
		}
	}
}

// TestNoiseIsTakenOff: Inner/k − σ² has the rows' second moments as its mean, within 7 standard deviations (2.6e-12 for each of 10
// entries); with kσ left in place of kσ² the diagonal is seen to be off.
func TestNoiseIsTakenOff(t *testing.T) {
	const trials, k, sigma = 4000, 6, 3.0
	r := rand.New(rand.NewPCG(5, 5))
	rows := turned(r, []float64{1e-3, 2, 7, 0})
	want := gram(rows)
	mean, square := make([]float64, 16), make([]float64, 16)
	for range trials {
		s := draw(r, rows, k, sigma, 0)
		for i, v := range s.Inner {
			v /= k
			if i%5 == 0 {
				v -= sigma * sigma
			}
			mean[i] += v / trials
			square[i] += v * v / trials
		}
	}
	for i, v := range mean {
		sd := math.Sqrt(max(square[i]-v*v, 0) / trials)
		if math.Abs(v-want[i]) > 7*sd {
			t.Errorf("entry %d: mean %v ± %v, want %v", i, v, sd, want[i])
		}
		if wrong := v + sigma*sigma - sigma; i%5 == 0 && math.Abs(wrong-want[i]) <= 7*sd {
			t.Errorf("entry %d: another noise is not seen", i)
		}
	}
}

func TestRegressExactly(t *testing.T) {
	rows := [][]float64{{1, 2e-9, 3}, {-1, 1e-9, 2}, {0.5, 0, -1}, {2, -3e-9, 1}}
	s := Sketch{Columns: []string{"a", "b", "y"}, Inner: gram(rows), Rows: 4, LabelMid: 10, LabelUnit: 2}
	t.Run("columns of different magnitude", func(t *testing.T) {
		want := leastSquares(s.Inner, 3, []int{0, 1}, 2)
		got := must(s.Regress("y"))
		for j := range want {
			if math.Abs(got.Coef[j]/(2*want[j])-1) > 1e-9 {
				t.Errorf("got %v, want twice %v", got.Coef, want)
			}
		}
		if got.Intercept != 10 || got.Errors != nil || !slices.Equal(got.Columns, []string{"a", "b"}) {
			t.Errorf("got %+v", got)
		}
		for j, i := range must(got.Intervals(0.9)) {
			if i.Lo != got.Coef[j] || i.Hi != got.Coef[j] {
				t.Errorf("public rows have the interval %+v", i)
			}
		}
	})
	t.Run("a feature on the left, the label on the right", func(t *testing.T) {
		want := leastSquares(s.Inner, 3, []int{2}, 0)[0] / 2 // per unit of y
		got := must(s.Regress("a", "y"))
		if math.Abs(got.Coef[0]/want-1) > 1e-12 || math.Abs(got.Intercept/(-10*want)-1) > 1e-12 {
			t.Errorf("got %+v, want %v per unit", got, want)
		}
	})
	t.Run("the label's own features by default", func(t *testing.T) {
		if got := must(s.Regress("a")); !slices.Equal(got.Columns, []string{"b"}) {
			t.Errorf("got %q", got.Columns)
		}
	})
}

// noisy is a sketch with noise of strong rows.
func noisy() Sketch {
	s := draw(rand.New(rand.NewPCG(2, 2)), turned(rand.New(rand.NewPCG(2, 3)), []float64{90, 50, 30}), 40, 1, 0.01)
	s.LabelMid, s.LabelUnit = 50, 25
	return s
}

func TestRegressRefuses(t *testing.T) {
	weak := draw(rand.New(rand.NewPCG(2, 2)), [][]float64{{0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 3}}, 5, 10, 0)
	for weak.Inner[0]/5 > 100 { // such that the first column is below its noise
		weak.Inner[0] /= 2
		weak.Inner[1], weak.Inner[3] = 0, 0
		weak.Inner[2], weak.Inner[6] = 0, 0
	}
	for _, c := range []struct {
		name     string
		s        Sketch
		label    string
		features []string
		want     error
		text     string
	}{
		{"the zero sketch", Sketch{}, "y", nil, kind.ErrParameter, "want one that GaussMix released"},
		{"no such label", noisy(), "z", nil, stage.ErrColumn, `"z"`},
		{"no such feature", noisy(), "y", []string{"x1", "X2"}, stage.ErrColumn, `"X2"`},
		{"the label as a feature", noisy(), "y", []string{"x1", "y"}, kind.ErrParameter, "twice"},
		{"a feature twice", noisy(), "y", []string{"x1", "x1"}, kind.ErrParameter, "twice"},
		{"only a label", Sketch{Columns: []string{"y"}, Inner: []float64{1}, Rows: 3, LabelUnit: 1}, "y", nil, kind.ErrParameter, "no features"},
		{"not a number", with(noisy(), func(s *Sketch) { s.Inner[0] = math.NaN() }), "y", nil, kind.ErrParameter, "finite"},
		{"infinity", with(noisy(), func(s *Sketch) { s.Inner[4] = math.Inf(1) }), "y", nil, kind.ErrParameter, "finite"},
		{"not symmetric", with(noisy(), func(s *Sketch) { s.Inner[1]++ }), "y", nil, kind.ErrParameter, "other way round"},
		{"a bound on the noise", with(noisy(), func(s *Sketch) { s.sigmaIsBound = true }), "y", nil, models.ErrRefused, "bound on its noise"},
		{"more noise than rows", weak, "y", []string{"x1", "x2"}, models.ErrRefused, "not positive definite"},
		{"noise of another size", with(noisy(), func(s *Sketch) { s.Sigma = 1e9 }), "y", nil, models.ErrRefused, "0 of 2 are above 0"},
		{"noise beyond numbers", with(noisy(), func(s *Sketch) { s.Sigma = 1e300 }), "y", nil, models.ErrRefused, "not positive definite"},
		{"too many features", with(noisy(), func(s *Sketch) { s.Rows = 2 }), "y", nil, kind.ErrParameter, "sketch of 2 rows"},
		{"public rows, a column of zeros", Sketch{Columns: []string{"a", "y"}, Inner: []float64{0, 0, 0, 4}, Rows: 2, LabelUnit: 1}, "y", nil, models.ErrRefused, `"a" is 0`},
		{"public rows, columns that are equal", Sketch{Columns: []string{"a", "b", "y"}, Inner: []float64{5, 5, 1, 5, 5, 1, 1, 1, 9}, Rows: 3, LabelUnit: 1}, "y", nil, models.ErrRefused, "linearly dependent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.s.Regress(c.label, c.features...)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "dpkit: regress: ") {
				t.Errorf("got %v, want %v and %q", err, c.want, c.text)
			}
			if r.Coef != nil {
				t.Error("beside an error there are coefficients")
			}
		})
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if _, err := must(noisy().Regress("y")).Intervals(level); !errors.Is(err, kind.ErrParameter) {
			t.Errorf("level %v: got %v", level, err)
		}
	}
	faint := draw(rand.New(rand.NewPCG(2, 2)), [][]float64{{2, 0, 0}, {0, 2, 0}, {0, 0, 3}}, 30, 1, 0)
	if _, err := must(faint.Regress("y")).Intervals(0.99); !errors.Is(err, models.ErrRefused) || !strings.Contains(err.Error(), "linearly dependent") {
		t.Errorf("rows near the noise have finite intervals: %v", err)
	}
	if _, err := (Regression{Columns: []string{"a"}, Coef: []float64{1}, Errors: []float64{1}}).Intervals(0.9); !errors.Is(err, kind.ErrParameter) {
		t.Errorf("a regression by hand: got %v", err)
	}
}

func with(s Sketch, f func(s *Sketch)) Sketch {
	f(&s)
	return s
}

// TestRegressUnits: whatever the units of the columns, coefficients, errors and intervals follow.
func TestRegressUnits(t *testing.T) {
	s := noisy()
	for _, scale := range []float64{0x1p-300, 0x1p-20, 0x1p100, 0x1p300} {
		u := s
		u.Inner = slices.Clone(s.Inner)
		for i := range u.Inner {
			u.Inner[i] *= scale * scale
		}
		u.Sigma, u.cover = s.Sigma*scale, s.cover*scale*scale
		a, b := must(s.Regress("y")), must(u.Regress("y"))
		for j, i := range must(a.Intervals(0.9)) {
			k := must(b.Intervals(0.9))[j]
			for _, v := range [][2]float64{{a.Coef[j], b.Coef[j]}, {a.Errors[j], b.Errors[j]}, {i.Lo, k.Lo}, {i.Hi, k.Hi}} {
				if math.Abs(v[0]-v[1]) > 1e-9*math.Abs(v[0]) {
					t.Errorf("scaled by %v: got %v, want %v", scale, v[1], v[0])
				}
			}
		}
		if math.Abs(a.Signal/b.Signal-1) > 1e-9 {
			t.Errorf("scaled by %v: signal %v, want %v", scale, b.Signal, a.Signal)
		}
	}
}

func TestRegressionPrints(t *testing.T) {
	s := noisy()
	s.Provenance = origin.Provenance{NotPrivate: "a test"}
	text := must(s.Regress("y", "x2")).String()
	for _, want := range []string{"least squares of y on 1 columns, from a sketch of 40 rows", "sd by noise", "x2", "(public constant)", "NOT PRIVATE: a test"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}
