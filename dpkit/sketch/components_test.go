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
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestComponentsOfPublicRows: directions and lengths by which rows were made come back, down to those that are lost in rounding.
func TestComponentsOfPublicRows(t *testing.T) {
	for _, lengths := range [][]float64{{3, 2, 1}, {1e3, 1, 1e-3}, {5, 4, 0}, {1e-40, 1e-41, 1e-42}} {
		rows := turned(rand.New(rand.NewPCG(1, 2)), lengths)
		s := Sketch{Columns: names(3), Inner: gram(rows), Rows: 3, LabelUnit: 1}
		c := must(s.Components(2, "y", "x1", "x2"))
		sum := 0.0
		for _, l := range lengths {
			sum += l * l
		}
		for i, v := range c.Vectors {
			dot := 0.0
			for j, at := range []int{2, 0, 1} {
				dot += v[j] * rows[i][at] / lengths[i]
			}
			if math.Abs(math.Abs(dot)-1) > 1e-9 || math.Abs(c.Values[i]/(lengths[i]*lengths[i])-1) > 1e-6 || math.Abs(c.Share[i]-lengths[i]*lengths[i]/sum) > 1e-6 {
				t.Errorf("lengths %v, component %d: %v, value %v, share %v", lengths, i+1, dot, c.Values[i], c.Share[i])
			}
			if slices.Max(v) < -slices.Min(v) {
				t.Errorf("the largest entry of %v is negative", v)
			}
		}
		if c.Errors != nil {
			t.Errorf("public rows have errors %v", c.Errors)
		}
	}
}

// TestComponentsOfSketches: values are those of the rows within 7 of their errors and what the other directions add (to second order, the
// sum of λλ'/(λ−λ')/k), where the noise that is not taken off would be seen.
func TestComponentsOfSketches(t *testing.T) {
	const k, sigma = 4000, 5.0
	r := rand.New(rand.NewPCG(4, 4))
	rows := turned(r, []float64{40, 10, 2})
	c := must(draw(r, rows, k, sigma, 0).Components(2, "x1", "x2", "y"))
	for i, want := range []float64{1600, 100} {
		noise := c.Errors[i]
		if off := math.Abs(c.Values[i] - want); off > 7*noise+1625*125/1500/k {
			t.Errorf("value %d: got %v ± %v, want %v", i+1, c.Values[i], noise, want)
		}
	}
	if sum := c.Share[0] + c.Share[1]; !(sum > 0.9 && sum <= 1) {
		t.Errorf("shares %v", c.Share)
	}
	for _, want := range []string{"2 principal components of 3 columns", "share", "sd by noise", "x2"} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("%q is not in %s", want, c)
		}
	}
}

func TestComponentsRefuse(t *testing.T) {
	for _, c := range []struct {
		name    string
		s       Sketch
		k       int
		columns []string
		want    error
		text    string
	}{
		{"the zero sketch", Sketch{}, 1, nil, kind.ErrParameter, "without columns"},
		{"none", noisy(), 0, nil, kind.ErrParameter, "between 1 and 2"},
		{"more than columns", noisy(), 3, nil, kind.ErrParameter, "between 1 and 2"},
		{"no such column", noisy(), 1, []string{"z"}, stage.ErrColumn, `"z"`},
		{"a column twice", noisy(), 1, []string{"x1", "x1"}, kind.ErrParameter, "twice"},
		{"noise alone", with(noisy(), func(s *Sketch) { s.Sigma = 1e6 }), 1, nil, models.ErrRefused, "at most 0"},
		{"public rows of lower rank", Sketch{Columns: []string{"a", "b", "y"}, Inner: []float64{5, 5, 1, 5, 5, 1, 1, 1, 9}, Rows: 3, LabelUnit: 1}, 2, nil, models.ErrRefused, "at most 1"},
		{"only zeros", Sketch{Columns: []string{"a", "y"}, Inner: make([]float64, 4), Rows: 3, LabelUnit: 1}, 1, nil, models.ErrRefused, "at most 0"},
		{"no features", Sketch{Columns: []string{"y"}, Inner: []float64{4}, Rows: 3, LabelUnit: 1}, 1, nil, kind.ErrParameter, "of 0 columns"},
		{"a bound on the noise", with(noisy(), func(s *Sketch) { s.sigmaIsBound = true }), 1, nil, models.ErrRefused, "bound on its noise"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.s.Components(c.k, c.columns...)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "dpkit: components: ") {
				t.Errorf("got %v, want %v and %q", err, c.want, c.text)
			}
			if got.Values != nil {
				t.Error("beside an error there are values")
			}
		})
	}
}
