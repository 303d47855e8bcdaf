package sums

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPrintedMarginsHold: the interval around the printed number, of the printed margin, holds all of that which the estimate has.
func TestPrintedMarginsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 2000 {
		v, sigma := rng.NormFloat64()*1e7, 1e4*rng.Float64()*rng.Float64()
		e := Estimates{Of: "sum", Names: []string{"a"}, Values: []float64{v}, Sigma: []float64{sigma}}
		margin, err := e.Margin(0.95)
		if err != nil {
			t.Fatal(err)
		}
		var shown, by float64
		line, _, _ := strings.Cut(e.String(), "\n")
		if _, err := fmt.Sscanf(line, "sum a %g ± %g", &shown, &by); err != nil {
			t.Fatal(err)
		}
		if slack := 1e-9 * margin[0]; shown-by > v-margin[0]+slack || shown+by < v+margin[0]-slack {
			t.Fatalf("%s is not around %v ± %v", line, v, margin[0])
		}
	}
}
