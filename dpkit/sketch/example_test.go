package sketch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/sketch"
	"github.com/dpkit-go/dpnb/frames"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// released is a sketch of made-up rows: a score of 4 points for each hour and 2 off for each mistake.
func released() sketch.Sketch {
	schema, err := frames.NewSchema(frames.Numeric("hours", -5, 5), frames.Numeric("mistakes", -5, 5), frames.NumericLabel("score", -50, 50))
	check(err)
	b := &frames.Block{Rows: 4000, Cols: 2}
	for i := range b.Rows {
		hours, mistakes := float64(i%11)-5, float64(i%7)-3
		b.X = append(b.X, hours, mistakes)
		b.Y = append(b.Y, 4*hours-2*mistakes)
	}
	rows, err := frames.FromBlock(schema, b)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().GaussMix(dpkit.Sketching{Epsilon: 4, Delta: 1e-6, Rows: 200}).Release(context.Background())
	check(err)
	return r.Value
}

// One release answers several regressions, at no further cost.
func ExampleSketch_Regress() {
	s := released()
	for _, features := range [][]string{{"hours", "mistakes"}, {"hours"}} {
		r, err := s.Regress("score", features...)
		check(err)
		intervals, err := r.Intervals(0.95)
		check(err)
		for j, i := range intervals {
			fmt.Printf("%s: %.0f ± %.0f, between %.0f and %.0f\n", i.Name, r.Coef[j], r.Errors[j], i.Lo, i.Hi)
		}
	}
	// Output:
	// hours: 29 ± 1, between 26 and 31
	// mistakes: -14 ± 1, between -19 and -10
	// hours: 29 ± 1, between 27 and 31
}

// Principal components of the features, without the noise.
func ExampleSketch_Components() {
	c, err := released().Components(1)
	check(err)
	fmt.Printf("%q: %.1f explains %.1f\n", c.Columns, c.Vectors[0], c.Share[0])
	// Output:
	// ["hours" "mistakes"]: [1.0 -0.0] explains 0.8
}

// Coefficients and components go on as gota frames, whose every row says what the release promises.
func ExampleRegression_Gota() {
	s := released()
	r, err := s.Regress("score", "hours")
	check(err)
	c, err := s.Components(2)
	check(err)
	fmt.Println(r.Gota().Nrow(), c.Gota().Nrow(), r.Gota().Names())
	// Output: 1 4 [name value error counted epsilon delta unit entry promise]
}

// A sketch is stored with what it promises, and regresses where it is read.
func ExampleSketch() {
	file, err := json.Marshal(released())
	check(err)
	var s sketch.Sketch
	check(json.Unmarshal(file, &s))
	fmt.Println(s)
	r, err := s.Regress("score")
	check(err)
	fmt.Println(r.Promise())
	// Output:
	// Gaussian mixture of 200 rows on 3 columns; counted: columns in units of their bounds; NOT PRIVATE: a demonstration: its noise is reproducible
	// NOT PRIVATE: a demonstration: its noise is reproducible
}
