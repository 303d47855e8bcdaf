package sketch

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// lineRows are rows (x1, x2, c, v) of a sketch with a constant column, of a label mid + unit·v.
func lineRows(r *rand.Rand, n int, c, size float64) [][]float64 {
	var rows [][]float64
	for range n {
		x1, x2 := size*r.NormFloat64(), size*(0.4+r.NormFloat64())
		rows = append(rows, []float64{x1, x2, c, 0.3*x1 - x2 + 0.6*size + 0.5*size*r.NormFloat64()})
	}
	return rows
}

func withConstant(s Sketch, c, mid, unit float64) Sketch {
	s.Columns = []string{"x1", "x2", ConstantColumn, "y"}
	s.Constant, s.LabelMid, s.LabelUnit = c, mid, unit
	return s
}

// interceptOf is that of least squares of rows, by elimination with a column of ones; label is the place of the label, and labels are in
// their own units.
func interceptOf(rows [][]float64, features []int, label int, mid, unit float64) (coef []float64, intercept float64) {
	var plain [][]float64
	for _, z := range rows {
		plain = append(plain, []float64{z[0], z[1], 1, mid + unit*z[3]})
	}
	w := leastSquares(gram(plain), 4, append(slices.Clone(features), 2), label)
	return w[:len(features)], w[len(features)]
}

// TestInterceptsCover draws sketches with a constant column cell by cell: intervals of coefficients and of the intercept miss least squares
// of the rows with an intercept with probability 1 − level at most, whatever depends on whatever; more misses than counted have
// probability below 1e-11 for each count. Errors are those of many draws, to a quarter, where the rows outgrow the noise.
func TestInterceptsCover(t *testing.T) {
	const trials, mid, unit, c = 1500, 70, 3, 2.5
	for _, e := range []struct {
		label    string
		features []int
		size     float64
		k        int
	}{
		{"y", []int{0, 1}, 6, 40}, {"y", []int{1}, 6, 40}, {"y", []int{0, 1}, 0.3, 600}, {"x2", []int{0, 3}, 6, 60}, {"x1", []int{3}, 6, 40},
	} {
		t.Run(fmt.Sprintf("%s on %v, %g, %d", e.label, e.features, e.size, e.k), func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			rows := lineRows(r, 120, c, e.size)
			columns := []string{"x1", "x2", ConstantColumn, "y"}
			var asked []string
			for _, j := range e.features {
				asked = append(asked, columns[j])
			}
			truth, intercept := interceptOf(rows, e.features, slices.Index(columns, e.label), mid, unit)
			missed, infinite, got := make([]int, len(truth)+1), 0, []float64{}
			said := 0.0
			for range trials {
				s := withConstant(draw(r, rows, e.k, 1, 0), c, mid, unit)
				reg, err := s.Regress(e.label, asked...)
				var found []models.Interval
				if err == nil {
					found, err = reg.Intervals(0.9)
				}
				if err != nil {
					if !errors.Is(err, models.ErrRefused) {
						t.Fatal(err)
					}
					infinite++
					continue
				}
				if len(found) != len(truth)+1 || found[len(truth)].Name != interceptName || len(reg.Coef) != len(truth) || len(reg.Errors) != len(truth) {
					t.Fatalf("%v, intervals %v", reg, found)
				}
				for j, want := range append(slices.Clone(truth), intercept) {
					if want < found[j].Lo || want > found[j].Hi {
						missed[j]++
					}
				}
				got, said = append(got, reg.Intercept), said+reg.InterceptError*reg.InterceptError
			}
			for j, n := range missed {
				if p := moreThan(trials, n, 0.1); p < 1e-11 {
					t.Errorf("interval %d misses in %d of %d, which has probability %g", j, n, trials, p)
				}
			}
			if infinite > trials/2 {
				t.Errorf("refused %d of %d", infinite, trials)
			}
			slices.Sort(got)
			middle, spread := got[len(got)/2], (got[len(got)*84/100]-got[len(got)*16/100])/2
			rms := math.Sqrt(said / float64(len(got)))
			t.Logf("missed %v, refused %d; intercept %.4g, median %.4g, spread %.3g, said %.3g", missed, infinite, intercept, middle, spread, rms)
			if e.size > 1 && !(math.Abs(spread/rms-1) < 0.35 && math.Abs(middle-intercept) < spread) {
				t.Errorf("intercept %.4g, median %.4g, spread %.3g, said %.3g", intercept, middle, spread, rms)
			}
		})
	}
}

// TestInterceptOfPublicRows: a sketch without noise gives least squares with an intercept, whose interval is a point.
func TestInterceptOfPublicRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	rows := lineRows(r, 30, 0.7, 1)
	s := withConstant(Sketch{Inner: gram(rows), Rows: 30}, 0.7, -4, 2)
	for _, label := range []string{"y", "x1"} {
		features := map[string][]int{"y": {0, 1}, "x1": {1, 3}}[label]
		reg := must(s.Regress(label, s.Columns[features[0]], s.Columns[features[1]]))
		coef, intercept := interceptOf(rows, features, slices.Index(s.Columns, label), -4, 2)
		for j, w := range append(coef, intercept) {
			if got := append(slices.Clone(reg.Coef), reg.Intercept)[j]; !(math.Abs(got-w) < 1e-9) {
				t.Errorf("%s: number %d is %g, want %g", label, j, got, w)
			}
		}
		if i := must(reg.Intervals(0.9)); len(i) != 3 || i[2].Lo != reg.Intercept || i[2].Hi != reg.Intercept || !strings.Contains(reg.String(), interceptName) {
			t.Errorf("%v\n%v", reg, i)
		}
	}
	if c := must(s.Components(2)); !slices.Equal(c.Columns, []string{"x1", "x2"}) {
		t.Errorf("components of %q", c.Columns)
	}
	for _, f := range []func() (Regression, error){
		func() (Regression, error) { return s.Regress(ConstantColumn, "x1") }, func() (Regression, error) { return s.Regress("y", "x1", ConstantColumn) },
	} {
		if _, err := f(); !errors.Is(err, kind.ErrParameter) || !strings.Contains(err.Error(), "leave it out") {
			t.Errorf("got %v", err)
		}
	}
	for name, broken := range map[string]func(*Sketch){
		"a value below 0":   func(s *Sketch) { s.Constant = -1 },
		"no column":         func(s *Sketch) { s.Columns = []string{"x1", "x2", "x3", "y"} },
		"at another place":  func(s *Sketch) { s.Columns = []string{"x1", ConstantColumn, "x2", "y"} },
		"an infinite value": func(s *Sketch) { s.Constant = math.Inf(1) },
	} {
		b := s
		broken(&b)
		if err := b.Check(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestColumnNamedConstant: a column of that name in a sketch without an intercept is a column as others are.
func TestColumnNamedConstant(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	s := withConstant(draw(r, lineRows(r, 50, 0.7, 3), 60, 1, 0), 0, 0, 1)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if reg := must(s.Regress("y", "x1", ConstantColumn)); len(reg.Coef) != 2 || reg.InterceptError != 0 {
		t.Errorf("%v", reg)
	}
}
