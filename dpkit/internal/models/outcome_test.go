package models

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestOutcomes: whatever the coefficients and the row are, numbers are in [0, 1], and a class that is predicted has a log loss that its chance of 1/k
// leaves, which the noise of a score rests on. Models of two classes rank rows by the second.
func TestOutcomes(t *testing.T) {
	hostile := []float64{0, 1e-320, 1e-17, 1.2e-16, 0.3, 1, 40, 1e9, 1e200, math.MaxFloat64}
	for i := range slices.Clone(hostile) {
		hostile = append(hostile, -hostile[i])
	}
	for _, classes := range [][]string{{"no", "yes"}, {"a", "b", "c"}} {
		schema, err := frames.NewSchema(frames.Numeric("x", -2, 2), frames.Label("y", classes...))
		if err != nil {
			t.Fatal(err)
		}
		read := Reader{Schema: schema, Maps: stage.RowMap{{Select: &stage.SelectOp{Columns: []int{0}}}}}
		of := func(coef ...float64) (list [][]float64) {
			for _, c := range coef {
				list = append(list, []float64{c})
			}
			return list
		}
		least := math.Log(float64(len(classes))) / -math.Log(LeastChance) // of a class that is predicted
		check := func(name string, m Predictor, ranks bool) {
			t.Helper()
			j, err := NewCandidate(m).Judge(schema)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			outcome := j.Outcomes()
			last := -1.0
			for _, x := range []float64{-2, -1, -1e-300, 0, 1e-17, 0.5, 2} {
				for y := range classes {
					o := outcome([]float64{x}, float64(y))
					for _, v := range []float64{o.Hit, o.Loss, o.Rank} {
						if !(v >= 0 && v <= 1) {
							t.Fatalf("%s at %g: %+v", name, x, o)
						}
					}
					if j.Probable() && o.Hit == 1 && o.Loss > least*(1+1e-15) {
						t.Errorf("%s at %g: a hit with a loss of %v, want at most %v", name, x, o.Loss, least)
					}
					if ranks && !(o.Rank >= last) {
						t.Errorf("%s at %g: rank %v behind %v", name, x, o.Rank, last)
					}
					last = max(last, o.Rank)
				}
			}
			if ranks && !(last > 0.5) {
				t.Errorf("%s ranks no row above the others", name)
			}
		}
		for i, a := range hostile {
			b, c := hostile[(i+3)%len(hostile)], hostile[(i*7)%len(hostile)]
			if len(classes) == 2 {
				check("logistic", LogisticModel{Label: "y", Classes: [2]string(classes), Columns: []string{"x"}, Coef: []float64{a}, Intercept: b, Reader: read}, false)
				check("margin", GradientModel{Label: "y", Classes: classes, Loss: "LogLoss", Columns: []string{"x"}, Coef: of(a), Intercept: []float64{b}, Reader: read}, false)
				continue
			}
			check("softmax", MultinomialModel{Label: "y", Classes: classes, Columns: []string{"x"}, Coef: of(a, b, c), Intercepts: []float64{c, a, b}, Reader: read}, false)
		}
		if len(classes) == 2 {
			check("one margin", GradientModel{Label: "y", Classes: classes, Loss: "LogLoss", Columns: []string{"x"}, Coef: of(2), Intercept: []float64{0}, Reader: read}, true)
			check("two scores", GradientModel{Label: "y", Classes: classes, Loss: "SoftmaxLoss", Columns: []string{"x"}, Coef: of(-1, 1), Intercept: []float64{0, 0}, Reader: read}, true)
		}
	}
}
