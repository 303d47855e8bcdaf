package dpkit_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// salesFrame has two columns and a label of which nobody knows how large they are.
func salesFrame() *frames.Frame {
	schema, err := frames.NewSchema(frames.Unbounded("visits").Guess(1000), frames.Unbounded("balance"), frames.UnboundedLabel("sales").Guess(100))
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("visits,balance,sales\n")
	for range 40_000 {
		visits, balance := 5000+800*rng.NormFloat64(), 20*rng.NormFloat64()
		fmt.Fprintf(&b, "%g,%g,%g\n", visits, balance, 0.25*visits-3*balance+40*rng.NormFloat64())
	}
	f, err := frames.ParseCSV(strings.NewReader(b.String()), "sales.csv", schema, frames.CSVOptions{Header: true})
	if err != nil {
		log.Fatal(err)
	}
	return f
}

func ExamplePipeline_FitUnbounded() {
	s, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	r, err := s.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}}).Release(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("visits %.3f, balance %.1f, refused %q\n", r.Value.Coef[0], r.Value.Coef[1], r.Value.Refused)
	fmt.Println(r.Cost.Guarantee)
	// Output:
	// visits 0.250, balance -3.0, refused ""
	// (3, 1e-06)-DP, replace-one, unconditional
}

func ExamplePipeline_Covariance() {
	s, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	r, err := s.Data().Covariance(dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}).Release(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean %.0f, sd %.0f\n", r.Value.Mean[0], r.Value.SDs()[0])
	// Output:
	// mean 5004, sd 800
}

func ExamplePipeline_SecondMoment() {
	s, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	r, err := s.Data().SecondMoment(dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}).Release(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("root mean square of balance %.1f\n", r.Value.SDs()[1])
	// Output:
	// root mean square of balance 20.0
}

func ExamplePipeline_UnboundedMean() {
	s, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	r, err := s.Data().Select("visits").UnboundedMean(dpkit.UnboundedMeans{Epsilon: 2, Locator: dpkit.BinsPure}).Release(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f ± %.1f\n", r.Value.Values[0], r.Value.Sigma[0])
	// Output:
	// 5002 ± 0.3
}

func ExampleUnboundedModel_Intervals() {
	s, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	r, err := s.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}}).Release(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	intervals, err := r.Value.Intervals(0.95)
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range intervals[:2] {
		fmt.Printf("%s: %.2f to %.2f\n", i.Name, i.Lo, i.Hi)
	}
	// Output:
	// visits: 0.25 to 0.25
	// balance: -3.03 to -2.99
}
