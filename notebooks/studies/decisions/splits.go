package decisions

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Splits compare the default regression, which may release the label's mean in place of a fit, with AdaSSP over many splits of a small set
// into rows to train on and rows to score: of few rows the mean of the held-out labels decides what one split says.
type Splits struct {
	Set     string  `json:"set"`
	Chain   string  `json:"chain"`
	Epsilon float64 `json:"epsilon"`
	Splits  int     `json:"splits"`
	// Default and Fit are means over splits of the median error over the label's variance.
	Default float64 `json:"default"`
	Fit     float64 `json:"fit"`
	// Ratio is the mean of Default over Fit, and SE its standard error; First is that of the split of the other parts of the study.
	Ratio float64 `json:"ratio"`
	SE    float64 `json:"se"`
	First float64 `json:"first"`
	// Mean is the error of the training rows' mean without noise, over all splits, and FirstMean on the first one.
	Mean      float64 `json:"mean"`
	FirstMean float64 `json:"first_mean"`
}

// splitSets are those of numbers with few rows, and splitEpsilons where the default may be a mean there.
var (
	splitSets     = []string{"housing", "tecator"}
	splitEpsilons = []float64{0.3, 1}
)

const (
	splits        = 24
	splitReleases = 31 // of each plan on each split
)

func (s Settings) overSplits(ctx context.Context) (out []Splits, err error) {
	for _, src := range sources {
		if !slices.Contains(splitSets, src.name) {
			continue
		}
		f, _, err := src.load()
		if err != nil {
			return nil, err
		}
		for _, steps := range [][]string{src.exact, src.steps} {
			for _, epsilon := range splitEpsilons {
				of := Splits{Set: src.name, Chain: strings.Join(steps, "."), Epsilon: epsilon, Splits: splits}
				if err := of.measure(ctx, s, f); err != nil {
					return nil, fmt.Errorf("splits of %s: %w", src.name, err)
				}
				out = append(out, of)
			}
		}
	}
	return out, nil
}

func (of *Splits) measure(ctx context.Context, s Settings, f *frames.Frame) error {
	var byDefault, byFit, ratio, means []float64
	for split := range uint64(of.Splits) {
		train, test, err := frames.Split(f, 0.8, 1+split) // the first is that of the other parts
		if err != nil {
			return err
		}
		scores, err := newScorer(ctx, Numbers, frames.Public(test))
		if err != nil {
			return err
		}
		_, labels, err := rowsOf(ctx, frames.Public(train))
		if err != nil {
			return err
		}
		off := average(labels) - average(scores.labels)
		means = append(means, 1+off*off/scores.spread)
		demo, err := dpkit.Demo(train, s.Seed+split, dpkit.ReplaceOne)
		if err != nil {
			return err
		}
		var medians []float64
		for _, how := range []string{"BestLinear", "AdaSSP"} {
			w := Way{Plan: fmt.Sprintf("%s.FitLinear(%s{Epsilon: %g, Delta: %g})", of.Chain, how, of.Epsilon, s.Delta)}
			if err := scores.score(ctx, demo, &w, splitReleases); err != nil {
				return err
			}
			if w.Refused != "" {
				return fmt.Errorf("%s: %s", w.Plan, w.Refused)
			}
			medians = append(medians, w.Median)
		}
		byDefault, byFit, ratio = append(byDefault, medians[0]), append(byFit, medians[1]), append(ratio, medians[0]/medians[1])
	}
	n, square := float64(of.Splits), 0.0
	of.Ratio = average(ratio)
	for _, r := range ratio {
		square += (r - of.Ratio) * (r - of.Ratio)
	}
	of.SE, of.Ratio = lab.Round(math.Sqrt(square/(n-1)/n)), lab.Round(of.Ratio)
	of.Default, of.Fit, of.First = lab.Round(average(byDefault)), lab.Round(average(byFit)), lab.Round(ratio[0])
	of.Mean, of.FirstMean = lab.Round(average(means)), lab.Round(means[0])
	return nil
}

func average(values []float64) (mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}
