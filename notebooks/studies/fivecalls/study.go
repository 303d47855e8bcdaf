package fivecalls

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Settings of a run; [Full] are those of the stored results.
type Settings struct {
	Seed     uint64   `json:"seed"` // of the first demonstration; the i-th has Seed + i
	Releases int      `json:"releases"`
	Epsilon  float64  `json:"epsilon"`
	Delta    float64  `json:"delta"`
	Failed   Machines `json:"failed"` // of the chain that ends with FitLogistic
	Worn     Machines `json:"worn"`   // of the one that ends with GaussMix
}

// Full are the settings of the stored results.
func Full() Settings {
	return Settings{
		Seed: 1, Releases: 30, Epsilon: 3, Delta: 1e-6,
		Failed: Machines{Rows: 8000, Sensors: 200, States: 2, Signal: 0.5, Noise: 0.6, Rest: 0.45, Gaps: 0.3, HeldGaps: 0.3, Copies: 4},
		Worn:   Machines{Rows: 60000, Sensors: 40, States: 2, Signal: 0.3, Noise: 0.3, Rest: 0.5, Gaps: 0.3, HeldGaps: 0.3, Copies: 15, Wear: true},
	}
}

// Results are what a run measured.
type Results struct {
	Settings Settings `json:"settings"`
	Logistic Chain    `json:"logistic"`
	Sketch   Chain    `json:"sketch"`
}

// Chain is a chain with what becomes of it.
type Chain struct {
	Idle  float64 `json:"idle"`  // score of a model without features
	Exact float64 `json:"exact"` // of the fit without noise behind Dedup and midpoints
	Ways  []Way   `json:"ways"`  // the first is the whole chain
}

// Way is the whole chain or a change of it.
type Way struct {
	Name string `json:"name"`
	Plan string `json:"plan"`
	// Noise is that of the release in multiples of what the same mechanism draws behind no step; 0 where there is no price.
	Noise float64 `json:"noise,omitempty"`
	// Median and quartiles of accuracies, or of mean squared errors over the label's variance.
	Median  float64 `json:"median"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Refused string  `json:"refused,omitempty"`
}

// logisticWay is a way at the study's ε, or at another.
type logisticWay struct {
	name, chain string
	epsilon     float64
}

// The ways of both chains. Shares of private steps are of the release's μ².
var (
	logisticWays = []logisticWay{
		{name: "the whole chain", chain: "Dedup(Exact{}).Impute(PrivateMean{Share: 0.1}).PCA(PrivateComponents{K: 3, Share: 0.5})"},
		{name: "without Dedup", chain: "Impute(PrivateMean{Share: 0.1}).PCA(PrivateComponents{K: 3, Share: 0.5})"},
		{name: "midpoints in place of private means", chain: "Dedup(Exact{}).Impute(Midpoint{}).PCA(PrivateComponents{K: 3, Share: 0.5})"},
		{name: "without PCA", chain: "Dedup(Exact{}).Impute(PrivateMean{Share: 0.1})"},
		{name: "Dedup after Impute", chain: "Impute(PrivateMean{Share: 0.1}).Dedup(Exact{}).PCA(PrivateComponents{K: 3, Share: 0.5})"},
		{name: "means that are not private", chain: "Dedup(Exact{}).Impute(Mean{}).PCA(PrivateComponents{K: 3, Share: 0.5})"},
		{name: "a soft filter that is not private", chain: "Dedup(Exact{}).Impute(PrivateMean{Share: 0.1}).PCA(SoftThreshold{Lambda: 0.01})"},
		{name: "midpoints alone", chain: "Impute(Midpoint{})"},
		{name: "Dedup and midpoints", chain: "Dedup(Exact{}).Impute(Midpoint{})"},
		{name: "the whole chain, ε = 1", chain: "Dedup(Exact{}).Impute(PrivateMean{Share: 0.1}).PCA(PrivateComponents{K: 3, Share: 0.5})", epsilon: 1},
		{name: "without PCA, ε = 1", chain: "Dedup(Exact{}).Impute(PrivateMean{Share: 0.1})", epsilon: 1},
	}
	sketchWays = []struct {
		name, chain string
		components  int // of the sketch
	}{
		{"the whole chain, PCA on the sketch", "Dedup(Exact{}).Impute(Mean{})", 3},
		{"without Dedup", "Impute(Mean{})", 3},
		{"midpoints in place of means", "Dedup(Exact{}).Impute(Midpoint{})", 3},
		{"without PCA", "Dedup(Exact{}).Impute(Mean{})", 0},
		{"PCA in front: a gap declared", "Dedup(Exact{}).Impute(Mean{}).PCA(Hard{K: 3, Gap: Declare(0.004)})", 3},
		{"PCA in front: a soft filter", "Dedup(Exact{}).Impute(Mean{}).PCA(SoftThreshold{Lambda: 0.001})", 3},
		{"midpoints alone", "Impute(Midpoint{})", 0},
		{"Dedup and midpoints", "Dedup(Exact{}).Impute(Midpoint{})", 0},
		{"Dedup after Impute", "Impute(Mean{}).Dedup(Exact{})", 3},
		{"private means", "Dedup(Exact{}).Impute(PrivateMean{Share: 0.1})", 3},
	}
)

// Run measures.
func Run(ctx context.Context, s Settings) (Results, error) {
	out := Results{Settings: s}
	var err error
	if out.Logistic, err = s.logistic(ctx, logisticWays); err != nil {
		return out, fmt.Errorf("five calls: logistic regression: %w", err)
	}
	if out.Sketch, err = s.sketch(ctx); err != nil {
		return out, fmt.Errorf("five calls: sketch: %w", err)
	}
	return out, nil
}

// logistic scores accuracies. Behind rows that a step displaced descent fits in place of objective perturbation, which has no price there.
func (s Settings) logistic(ctx context.Context, ways []logisticWay) (Chain, error) {
	var c Chain
	log, held, err := s.Failed.Log()
	if err != nil {
		return c, err
	}
	test := frames.Public(held)
	_, labels, err := cells(ctx, test)
	if err != nil {
		return c, err
	}
	ones := 0.0
	for _, y := range labels {
		ones += y / float64(len(labels))
	}
	c.Idle = lab.Round(max(ones, 1-ones))
	public, err := dpkit.OnPublic(frames.Public(log))
	if err != nil {
		return c, err
	}
	exact, err := public.Data().Dedup(dpkit.Exact{}).Impute(dpkit.Midpoint{}).FitLogistic(dpkit.ByObjective{}).Release(ctx)
	if err != nil {
		return c, err
	}
	if c.Exact, err = exact.Value.Accuracy(ctx, test); err != nil {
		return c, err
	}
	demo, err := dpkit.Demo(log, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return c, err
	}
	for _, way := range ways {
		chain, err := dpkit.ParsePipeline(demo, way.chain)
		if err != nil {
			return c, err
		}
		epsilon := s.Epsilon
		if way.epsilon > 0 {
			epsilon = way.epsilon
		}
		plan := chain.FitLogistic(dpkit.ByObjective{Epsilon: epsilon, Delta: s.Delta})
		if _, err := plan.Cost(); err != nil {
			plan = chain.FitLogistic(dpkit.ByGradient{Epsilon: epsilon, Delta: s.Delta})
		}
		w := Way{Name: way.name, Plan: plan.String()}
		v := cost.Of(w.Name, plan)
		if w.Refused, w.Noise = v.Refused, lab.Round(v.Noise); w.Refused == "" {
			models, err := plan.Replicate(ctx, s.Releases)
			if err != nil {
				return c, fmt.Errorf("%s: %w", w.Name, err)
			}
			scores := make([]float64, len(models))
			for i, m := range models {
				if scores[i], err = m.Accuracy(ctx, test); err != nil {
					return c, err
				}
			}
			w.summarise(scores)
		}
		c.Ways = append(c.Ways, w)
	}
	return c, nil
}

// sketch scores least squares on sketches.
func (s Settings) sketch(ctx context.Context) (Chain, error) {
	c := Chain{Idle: 1}
	log, held, err := s.Worn.Log()
	if err != nil {
		return c, err
	}
	rows, labels, err := cells(ctx, frames.Public(held))
	if err != nil {
		return c, err
	}
	public, err := dpkit.OnPublic(frames.Public(log))
	if err != nil {
		return c, err
	}
	how := dpkit.Sketching{Epsilon: s.Epsilon, Delta: s.Delta, Intercept: true}
	exact, err := public.Data().Dedup(dpkit.Exact{}).Impute(dpkit.Mean{}).GaussMix(how).Release(ctx)
	if err != nil {
		return c, err
	}
	byMeans, byMidpoints := filled(rows, true), filled(rows, false)
	c.Exact = lab.Round(errorOf(leastSquares(exact.Value, 0), exact.Value, byMeans, labels))
	demo, err := dpkit.Demo(log, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return c, err
	}
	free, err := demo.Data().Impute(dpkit.Midpoint{}).GaussMix(how).Replicate(ctx, 1)
	if err != nil {
		return c, err
	}
	for _, way := range sketchWays {
		chain, err := dpkit.ParsePipeline(demo, way.chain)
		if err != nil {
			return c, err
		}
		plan := chain.GaussMix(how)
		w := Way{Name: way.name, Plan: plan.String()}
		if w.Refused = cost.Of(w.Name, plan).Refused; w.Refused == "" {
			sketches, err := plan.Replicate(ctx, s.Releases)
			if err != nil {
				return c, fmt.Errorf("%s: %w", w.Name, err)
			}
			w.Noise = lab.Round(sketches[0].Sigma / free[0].Sigma)
			scores := make([]float64, len(sketches))
			for i, k := range sketches {
				held := byMidpoints
				if strings.Contains(way.chain, "Impute(Mean{") {
					held = byMeans
				}
				scores[i] = errorOf(leastSquares(k, way.components), k, held, labels)
			}
			w.summarise(scores)
		}
		c.Ways = append(c.Ways, w)
	}
	return c, nil
}

// cells are all rows of a public frame.
func cells(ctx context.Context, f *frames.PublicFrame) (rows [][]float64, labels []float64, err error) {
	err = f.Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			rows = append(rows, slices.Clone(b.Row(i)))
		}
		labels = append(labels, b.Y...)
		return nil
	})
	return rows, labels, err
}

func (w *Way) summarise(scores []float64) {
	slices.Sort(scores)
	at := func(q float64) float64 {
		place := q * float64(len(scores)-1)
		low := int(math.Floor(place))
		high := min(low+1, len(scores)-1)
		return lab.Round(scores[low] + (place-float64(low))*(scores[high]-scores[low]))
	}
	w.Low, w.Median, w.High = at(0.25), at(0.5), at(0.75)
}
