package scores

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-gota/gota/dataframe"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The measures of a score.
const (
	Accuracy = "accuracy" // share of the rows whose class is predicted
	LogLoss  = "log loss" // mean of it, of probabilities that are clipped to [0.01, 0.99]
	AUC      = "AUC"      // chance that a row of the second class has a higher score than one of the first, ties counted half
	Squared  = "RMSE"
	Absolute = "mean absolute error"
)

// Score is how good a model is on rows, in one release.
type Score struct {
	Model    string   `json:"model"` // what was scored
	Label    string   `json:"label"`
	Classes  []string `json:"classes,omitempty"`  // none of a number
	Rows     int      `json:"rows"`               // places of rows, public
	Probable bool     `json:"probable,omitempty"` // the model has probabilities of classes
	Range    float64  `json:"range,omitempty"`    // of a number: that of the label's bounds, which errors are clamped to
	// Sums are those of each of Measures over the rows, in [0, 1] a row, with noise; Sigma is its standard deviation, there and on each count.
	Measures []string  `json:"measures"`
	Sums     []float64 `json:"sums"`
	Sigma    float64   `json:"sigma"`
	// Present is the noisy number of rows that are there, where a step may have removed some; nil: all of Rows are.
	Present *float64 `json:"present,omitempty"`
	// Bins are, of two classes, noisy numbers of rows of the first and of the second, by their scores in bins of equal width over [0, 1].
	Bins [][]float64 `json:"bins,omitempty"`
	origin.Provenance
}

// Measure is a number with its interval.
type Measure struct {
	Value, Low, High float64
}

// unitOf is what a measure of 1 is in its units; of RMSE before the root is taken.
func unitOf(measure string, width float64) float64 {
	switch measure {
	case LogLoss:
		return -math.Log(models.LeastChance)
	case Squared:
		return width * width
	case Absolute:
		return width
	}
	return 1
}

// of is a measure of an outcome, in [0, 1].
func of(o models.Outcome, measure string) float64 {
	switch measure {
	case LogLoss:
		return o.Loss
	case Squared:
		return o.Squared
	case Absolute:
		return o.Absolute
	}
	return o.Hit
}

// Names are what the score tells, by the names that Measure knows: of classes accuracy, of two of them AUC, and log loss where the model
// has probabilities; of a number RMSE and mean absolute error.
func (s Score) Names() []string {
	names := slices.Clone(s.Measures)
	if len(s.Bins) == 2 {
		names = append(names, AUC)
	}
	return names
}

// Measure is a measure with an interval that holds that of the rows with the given probability, 0 < level < 1, of the noise alone: not of
// how these rows were drawn. AUC is that of scores in bins: ties of a bin count half. Errors wrap [stage.ErrColumn] for a measure that the
// score does not have.
func (s Score) Measure(name string, level float64) (Measure, error) {
	if !(level > 0) || !(level < 1) {
		return Measure{}, fmt.Errorf("dpkit: score: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	if name == AUC && len(s.Bins) == 2 {
		return s.auc(level), nil
	}
	at := slices.Index(s.Measures, name)
	if at < 0 || at >= len(s.Sums) {
		return Measure{}, fmt.Errorf("dpkit: score: got %q, want one of %s: %w", name, strings.Join(kind.QuoteAll(s.Names()), ", "), stage.ErrColumn)
	}
	v, n := s.Sigma*s.Sigma, float64(s.Rows)
	r := share{s.Sums[at], v, n, 0, 0}
	if s.Present != nil {
		r.of, r.ofVar = *s.Present, v
	}
	m := r.interval(zOf(level))
	unit := unitOf(name, s.Range)
	for _, x := range []*float64{&m.Value, &m.Low, &m.High} {
		if *x *= unit; name == Squared {
			*x = math.Sqrt(*x)
		}
	}
	return m, nil
}

func zOf(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }

// Point is a point of the ROC curve: of the rows whose score is at least Threshold, which would be taken for the second class.
type Point struct {
	Threshold     float64
	FalsePositive Measure // share of the first class
	TruePositive  Measure // share of the second
}

// ROC is the curve of two classes at the edges of the bins, from the threshold 1 down to 0, each share with an interval of that level
// (docs/theory/tables.md#scores-of-models).
func (s Score) ROC(level float64) ([]Point, error) {
	if err := s.checkBins(level); err != nil {
		return nil, err
	}
	z, v, bins := zOf(level), s.Sigma*s.Sigma, len(s.Bins[0])
	above := func(class, from int) Measure {
		x, y := 0.0, 0.0
		for b, n := range s.Bins[class] {
			if b >= from {
				x += n
			} else {
				y += n
			}
		}
		k := float64(bins - from)
		return share{x, k * v, x + y, float64(bins) * v, k * v}.interval(z)
	}
	out := []Point{{Threshold: 1}}
	for from := bins - 1; from > 0; from-- {
		out = append(out, Point{float64(from) / float64(bins), above(0, from), above(1, from)})
	}
	return append(out, Point{0, Measure{1, 1, 1}, Measure{1, 1, 1}}), nil
}

// Bin is a bin of scores with the share of its rows that are of the second class.
type Bin struct {
	Lo, Hi float64
	Rows   float64 // in it, with noise
	Share  Measure
}

// Calibration is, for each bin of scores, the share of its rows that are of the second class, with an interval of that level: near the
// bin's scores where these are probabilities that hold.
func (s Score) Calibration(level float64) ([]Bin, error) {
	if err := s.checkBins(level); err != nil {
		return nil, err
	}
	z, v, bins := zOf(level), s.Sigma*s.Sigma, len(s.Bins[0])
	out := make([]Bin, bins)
	for b := range out {
		first, second := s.Bins[0][b], s.Bins[1][b]
		out[b] = Bin{float64(b) / float64(bins), float64(b+1) / float64(bins), first + second, share{second, v, first + second, 2 * v, v}.interval(z)}
	}
	return out, nil
}

func (s Score) checkBins(level float64) error {
	if len(s.Bins) != 2 || len(s.Bins[0]) == 0 || len(s.Bins[0]) != len(s.Bins[1]) {
		return fmt.Errorf("dpkit: score: rows are counted by score where the label has two classes: it has none of %q: %w", s.Label, kind.ErrParameter)
	}
	if !(level > 0) || !(level < 1) {
		return fmt.Errorf("dpkit: score: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	return nil
}

// String is the score as text with intervals of 0.95.
func (s Score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "score of %s\n", s.Model)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, name := range s.Names() {
		m, err := s.Measure(name, 0.95)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(w, "%s\t%.4g\t[%.4g, %.4g]\n", name, m.Value, m.Low, m.High)
	}
	w.Flush() // a strings.Builder does not fail
	return origin.Under(s.Provenance, b.String())
}

// Gota is the score as a gota frame, a row for each measure: "measure", "value", "low" and "high" (of 0.95), and what the release
// promises, as Estimates.Gota has it.
func (s Score) Gota() dataframe.DataFrame {
	names := s.Names()
	value, low, high := make([]float64, len(names)), make([]float64, len(names)), make([]float64, len(names))
	for i, name := range names {
		m, err := s.Measure(name, 0.95)
		if err != nil {
			m = Measure{math.NaN(), math.NaN(), math.NaN()} // of a damaged score
		}
		value[i], low[i], high[i] = m.Value, m.Low, m.High
	}
	return origin.Gota(s.Provenance, origin.Words("measure", names), origin.Numbers("value", value), origin.Numbers("low", low), origin.Numbers("high", high))
}
