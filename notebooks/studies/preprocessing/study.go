package preprocessing

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Methods, in the order of the figure.
const (
	Uncounted          = "PCA, its price left out"
	NoStep             = "no preprocessing"
	Coordinates        = "PCA in coordinates, its price left out" // x ↦ Vᵀx: descent runs in R^k, that behind the others in R^d
	Soft               = "soft threshold"
	Hard               = "PCA, corrected price"
	Printed            = "PCA, price as printed"
	PrintedCoordinates = "PCA in coordinates, price as printed"
	PrivatePCA         = "private PCA, half the budget"
)

// Methods are those that are private, or sold as such.
var Methods = []string{Uncounted, NoStep, Coordinates, Soft, Hard, Printed, PrintedCoordinates, PrivatePCA}

// Unpriced are those that pay for nothing but the descent: all that is measured on the wide rows.
var Unpriced = []string{Uncounted, NoStep, Coordinates}

// WithoutBall are those that are measured without the ball around the models as well, which tells what it does from what PCA does.
var WithoutBall = []string{Uncounted, NoStep, Coordinates, PrivatePCA}

// Settings of a run; [Full] are those of the stored results.
type Settings struct {
	Seed     uint64    `json:"seed"`     // of the rows, and of the first release; the i-th has Seed + i
	Releases int       `json:"releases"` // of each method at each ε
	Wide     int       `json:"wide"`     // the same on the wide rows, where one takes a second
	Rows     int       `json:"rows"`
	Columns  int       `json:"columns"`
	Many     int       `json:"wide_columns"`
	Rank     int       `json:"rank"` // k
	Delta    float64   `json:"delta"`
	Lambda   float64   `json:"lambda"`   // of the soft threshold
	MaxNorm  float64   `json:"max_norm"` // W of the model behind steps that displace rows, whose price grows with it
	NoBall   float64   `json:"no_ball"`  // W that no descent here reaches
	Epsilons []float64 `json:"epsilons"`
	Clips    []float64 `json:"clips"` // of Table 4, in units of R
}

// Full are the settings of the stored results. The paper has 6000 columns, and no δ. A release of the directions, and what dpkit fits
// to displaced rows, need a matrix of columns × columns: they are measured on 500.
func Full() Settings {
	return Settings{
		Seed: 1, Releases: 40, Wide: 4, Rows: 1000, Columns: 500, Many: 6000, Rank: 50, Delta: 1e-5, Lambda: 0.005, MaxNorm: 4, NoBall: 1e6,
		Epsilons: []float64{0.5, 1, 2, 5, 10}, Clips: []float64{0.1, 0.7, 0.99, 1},
	}
}

// Cell is a method at an ε: means over releases of the logistic loss above the least one, and of the accuracy, on the rows that
// the model was fitted to, with standard errors.
type Cell struct {
	Method   string  `json:"method"`
	Clip     float64 `json:"clip,omitempty"`     // of Table 4
	MaxNorm  float64 `json:"max_norm,omitempty"` // W where it is not the method's own: 24, or Settings.MaxNorm behind displaced rows
	Epsilon  float64 `json:"epsilon"`
	Excess   float64 `json:"excess"`
	ExcessSE float64 `json:"excess_se"`
	Right    float64 `json:"accuracy"`
	RightSE  float64 `json:"accuracy_se"`
	// Noise is that on a sum of gradients in multiples of what it is without preprocessing (S/S_free).
	Noise float64 `json:"noise"`
	Scope string  `json:"scope"`
}

// Set is what was measured on rows of so many columns.
type Set struct {
	Columns  int       `json:"columns"`
	Radius   float64   `json:"radius"`   // by which the rows were divided: what one in a hundred exceeds
	Spectrum []float64 `json:"spectrum"` // leading 2·Rank eigenvalues of XᵀX/n
	Least    float64   `json:"least"`    // logistic loss of the best model of the norm that the descent allows
	Cells    []Cell    `json:"cells"`
	NoBall   []Cell    `json:"no_ball"` // of WithoutBall; Excess is above the same Least
}

// Results are what a run measured.
type Results struct {
	Settings Settings `json:"settings"`
	Wide     Set      `json:"wide"`   // Figure 3 at the paper's size
	Narrow   Set      `json:"narrow"` // Figure 3 with all methods
	Table4   []Cell   `json:"table4"` // on the rows of Narrow
}

// Gap is the k-th eigengap of the rows.
func (s Set) Gap(k int) float64 { return s.Spectrum[k-1] - s.Spectrum[k] }

// BestGap is the largest k-th gap that any rows of the unit ball have: their eigenvalues sum to 1 at most.
func BestGap(k int) float64 { return 1 / float64(k) }

// PrintedNoise is how much larger Table 2 wants the noise of DP-GD behind PCA than without it (Table 1), at a gap.
func PrintedNoise(gap float64) float64 {
	tau := 12.2 / gap
	return math.Sqrt(1.05 * (4 + tau*tau) / 2)
}

// Find returns the cell of a method at an ε, and of a clip in Table 4.
func Find(cells []Cell, method string, clip, epsilon float64) (Cell, bool) {
	for _, c := range cells {
		if c.Method == method && c.Clip == clip && c.Epsilon == epsilon {
			return c, true
		}
	}
	return Cell{}, false
}

// nominal is the ε at which a Gaussian release has noise larger by a factor.
func nominal(b accountant.Budget, factor float64) (float64, error) {
	mu, err := accountant.CalibrateGaussian(b)
	if err != nil {
		return 0, err
	}
	g, err := accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu / factor, Sigma: 1, Neighbours: dpkit.ReplaceOne}, dpkit.ReplaceOne, b.Delta)
	return g.Epsilon, err
}

// study is what a run reads.
type study struct {
	Settings
	raw        rows
	directions *mat.Dense
	set        Set
}

// newStudy draws rows of so many columns.
func newStudy(ctx context.Context, s Settings, columns int) (st study, err error) {
	rng := rand.New(rand.NewPCG(s.Seed, 4))
	p := newPopulation(rng, s.Rank, columns)
	st = study{Settings: s, raw: p.draw(rng, s.Rows).clip(1), set: Set{Columns: columns, Radius: lab.Round(p.radius)}}
	values, all, err := st.raw.components(min(s.Rows, columns))
	if err != nil {
		return st, err
	}
	_, k := all.Dims()
	st.directions = mat.DenseCopyOf(all.Slice(0, columns, k-s.Rank, k))
	for _, v := range values[:2*s.Rank] {
		st.set.Spectrum = append(st.set.Spectrum, lab.Round(v))
	}
	// A rotation keeps losses, and without noise the best model lies in the span of the rows.
	st.set.Least, err = st.least(ctx, st.raw.times(all))
	return st, err
}

// Run measures. Finished cells are told to progress, which may be nil.
func Run(ctx context.Context, s Settings, progress func(columns int, c Cell)) (Results, error) {
	out := Results{Settings: s}
	run := func(st study, cells *[]Cell, c Cell) error {
		c, err := st.measure(ctx, c)
		if err != nil {
			return fmt.Errorf("preprocessing study: %d columns, %s, clip %g, ε = %g: %w", st.set.Columns, c.Method, c.Clip, c.Epsilon, err)
		}
		*cells = append(*cells, c)
		if progress != nil {
			progress(st.set.Columns, c)
		}
		return nil
	}
	for _, part := range []struct {
		columns, releases    int
		methods, withoutBall []string
		set                  *Set
		table4               bool
	}{{s.Columns, s.Releases, Methods, WithoutBall, &out.Narrow, true}, {s.Many, s.Wide, Unpriced, Unpriced, &out.Wide, false}} {
		st, err := newStudy(ctx, s, part.columns)
		if err != nil {
			return out, err
		}
		st.Releases = part.releases
		*part.set = st.set
		for _, m := range part.methods {
			for _, eps := range s.Epsilons {
				if err := run(st, &part.set.Cells, Cell{Method: m, Epsilon: eps}); err != nil {
					return out, err
				}
			}
		}
		for _, m := range part.withoutBall {
			for _, eps := range s.Epsilons {
				if err := run(st, &part.set.NoBall, Cell{Method: m, Epsilon: eps, MaxNorm: s.NoBall}); err != nil {
					return out, err
				}
			}
		}
		for _, clip := range s.Clips {
			for _, eps := range []float64{1, 2, 5} { // the paper's
				for _, m := range []string{Uncounted, NoStep} {
					if !part.table4 {
						continue
					}
					if err := run(st, &out.Table4, Cell{Method: m, Clip: clip, Epsilon: eps}); err != nil {
						return out, err
					}
				}
			}
		}
	}
	return out, nil
}

// plan is a method on a session of the rows that it reads.
func (st study) plan(c Cell) (dpkit.Plan[dpkit.LogisticModel], rows, error) {
	input, target, radius := st.raw, dpkit.ByGradient{Epsilon: c.Epsilon, Delta: st.Delta, MaxNorm: c.MaxNorm}, 1.0
	if c.Clip > 0 {
		radius = c.Clip
		input = input.clip(radius)
	}
	switch c.Method { // what the pipeline does not see it does not count
	case Uncounted, Printed:
		input = input.project(st.directions)
	case Coordinates, PrintedCoordinates:
		input = input.times(st.directions)
	}
	if c.Method == Printed || c.Method == PrintedCoordinates {
		var err error
		target.Epsilon, err = nominal(accountant.Budget{Epsilon: c.Epsilon, Delta: st.Delta}, PrintedNoise(BestGap(st.Rank)))
		if err != nil {
			return nil, input, err
		}
	}
	f, err := input.frame()
	if err != nil {
		return nil, input, err
	}
	s, err := dpkit.Demo(f, st.Seed, dpkit.ReplaceOne)
	if err != nil {
		return nil, input, err
	}
	p := s.Data().ClipNorm(radius)
	switch c.Method {
	case Soft:
		target.MaxNorm = st.MaxNorm
		p = p.PCA(dpkit.SoftThreshold{Lambda: st.Lambda})
	case Hard:
		target.MaxNorm = st.MaxNorm
		p = p.PCA(dpkit.Hard{K: st.Rank, Gap: dpkit.Declare(BestGap(st.Rank))})
	case PrivatePCA:
		p = p.PCA(dpkit.PrivateComponents{K: st.Rank, Share: 0.5})
	}
	return p.FitLogistic(target), input, nil
}

// measure fills in a cell.
func (st study) measure(ctx context.Context, c Cell) (Cell, error) {
	plan, input, err := st.plan(c)
	if err != nil {
		return c, err
	}
	cost, err := plan.Cost()
	if err != nil {
		return c, err
	}
	c.Noise, c.Scope = lab.Round(cost.Release.Amplification()), cost.Guarantee.Scope.Kind.String()
	switch c.Method {
	case Uncounted, Coordinates:
		c.Scope = "none"
	case Printed:
		c.Noise, c.Scope = lab.Round(PrintedNoise(BestGap(st.Rank))), accountant.Conditional.String()
	case PrintedCoordinates: // Proposition 5 of the paper has no true bound for x ↦ Vᵀx, at any gap
		c.Noise, c.Scope = lab.Round(PrintedNoise(BestGap(st.Rank))), "none"
	}
	// A model of coordinates is scored on those of the rows, which is Vw on the rows.
	if c.Clip == 0 && c.Method != Coordinates && c.Method != PrintedCoordinates {
		input = st.raw
	}
	f, err := input.frame()
	if err != nil {
		return c, err
	}
	models, err := plan.Replicate(ctx, st.Releases)
	if err != nil {
		return c, err
	}
	var excess, right []float64
	for _, m := range models {
		loss, share, err := score(ctx, m, frames.Public(f), input.y)
		if err != nil {
			return c, err
		}
		excess, right = append(excess, loss-st.set.Least), append(right, share)
	}
	c.Excess, c.ExcessSE = summary(excess)
	c.Right, c.RightSE = summary(right)
	return c, nil
}

// least is the least loss of a model that the descent could have reached, by the descent itself without noise.
func (st study) least(ctx context.Context, r rows) (float64, error) {
	f, err := r.frame()
	if err != nil {
		return 0, err
	}
	s, err := dpkit.OnPublic(frames.Public(f))
	if err != nil {
		return 0, err
	}
	fit, err := s.Data().ClipNorm(1).FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: st.Delta, Steps: 2000, Clip: 2}).Release(ctx)
	if err != nil {
		return 0, err
	}
	loss, _, err := score(ctx, fit.Value, frames.Public(f), st.raw.y)
	return lab.Round(loss), err
}

// score is the mean logistic loss of a model, and the share of rows that it tells right.
func score(ctx context.Context, m dpkit.LogisticModel, f *frames.PublicFrame, y []float64) (loss, right float64, err error) {
	p, err := m.Predict(ctx, f)
	if err != nil {
		return 0, 0, err
	}
	for i, q := range p {
		if (q > 0.5) == (y[i] == 1) {
			right += 1 / float64(len(y))
		}
		if y[i] == 0 {
			q = 1 - q
		}
		loss -= math.Log(max(q, 1e-300)) / float64(len(y))
	}
	return loss, right, nil
}

// summary is a mean with its standard error.
func summary(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		se += (v - mean) * (v - mean)
	}
	return lab.Round(mean), lab.Round(math.Sqrt(se / max(n-1, 1) / n))
}

//go:embed results.json
var stored []byte

// Stored returns the results of the full study.
func Stored() (r Results, err error) {
	return r, json.Unmarshal(stored, &r)
}
