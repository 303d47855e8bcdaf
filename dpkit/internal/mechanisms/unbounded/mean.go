package unbounded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// MeanLocator says how the mean of unbounded rows is found before it is measured.
type MeanLocator string

const (
	// BinsGaussian publishes where many rows are, with Gaussian noise on the counts of occupied bins (Bun, Nissim, Stemmer
	// 2016), then measures twice with Gaussian noise, around what it found. It costs a δ: see Failure.
	BinsGaussian MeanLocator = ""
	// BinsLaplace does the same with Laplace noise all through: (ε, δ) with δ that of the bins alone (Karwa, Vadhan 2018).
	BinsLaplace MeanLocator = "laplace"
	// BinsPure chooses bins by the exponential mechanism and measures with Laplace noise, of pure ε: leave δ at 0. It
	// costs the logarithm of the number of bins, 2^40 for each column.
	BinsPure MeanLocator = "pure"
)

// UnboundedMeans is the mean of rows without bounds, whose standard deviations have public guesses: the columns' scales
// (1 without). Where those are too small rows are clipped and the mean is biased, where they are far too large the
// noise grows with them: privacy rests on neither. Where no scale is known use dpkit.Pipeline.Covariance, which finds it out.
type UnboundedMeans struct {
	Epsilon, Delta float64 // target; no defaults
	Locator        MeanLocator
	// Failure is the part of δ that BinsGaussian may fail with, for which a ledger needs a Reserve (dpkit.Options); 0:
	// a tenth of δ. BinsLaplace takes all of δ.
	Failure float64
}

// MeanEstimate is a released mean of rows without bounds.
type MeanEstimate struct {
	Names  []string  `json:"names"`
	Values []float64 `json:"values"`
	// Sigma are the standard deviations of the noise, on the mean of clipped rows: what clipping moves is not in it, where values are far
	// outside the declared scales, and neither is the sampling error, about a standard deviation over √n.
	Sigma []float64 `json:"sigma,omitempty"`
	// Located says for each column whether a bin stood out. Where none did the column is centred at 0, and its value is of
	// no use.
	Located []bool `json:"located"`
	origin.Provenance
}

// String is a plain table.
func (e MeanEstimate) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "column\tmean\tnoise (sd)")
	for j, name := range e.Names {
		note := ""
		if !e.Located[j] {
			note = "\tnot located: of no use"
		}
		sd := 0.0
		if e.Sigma != nil {
			sd = e.Sigma[j]
		}
		fmt.Fprintf(w, "%s\t%.8g\t%.2g%s\n", name, e.Values[j], sd, note)
	}
	w.Flush() // a strings.Builder does not fail
	fmt.Fprintln(&b, "the noise is on the mean of clipped rows: values far outside the declared scales were moved nearer, and may bias it by more")
	return origin.Under(e.Provenance, b.String())
}

// UnboundedMean is the mechanism of [UnboundedMeans]: it locates the rows by bins, then measures their mean twice, each time
// around what was found before.
type UnboundedMean struct {
	UnboundedMeans `dp:"inline"`
}

func (UnboundedMean) ReadsUnbounded() {}

func (UnboundedMean) Kind() kind.Kind {
	return kind.Kind{Name: "mean/unbounded", Law: 1, Call: "UnboundedMean", Was: "dpkit.unboundedMean"}
}

// Shares of the budget (of μ², or of ε) for the bins and the two measurements.
const (
	BinShare   = 0.25
	FirstShare = 0.15
	// binWidth is in standard deviations: the middle of the fullest bin is within 1.5 bins of the mean but for few rows in n.
	binWidth = 2.0
)

// calibratedMean is settled from public facts alone.
type calibratedMean struct {
	UnboundedMeans
	d       int
	scale   []float64
	failure float64
	bins    BinNoise // but for BinsPure
	level   float64  // ε of one choice of BinsPure
	First   MeanRound
	Last    MeanRound
	events  []accountant.Event
}

// MeanRound is a mean of rows clipped to a ball around a centre that was released.
type MeanRound struct {
	MomentRows
	Gauss query.GaussianQuery
	Steps uint64 // scale of the Laplace noise in grid steps; 0: Gaussian
}

func (r *MeanRound) sd(n int) float64 {
	if r.Steps > 0 {
		return math.Sqrt2 * float64(r.Steps) * r.H / float64(n)
	}
	return r.Gauss.Sigma / float64(n)
}

// Calibrated settles bins, radii and noise on a pair state, from public facts alone. Errors wrap [kind.ErrParameter],
// [stage.ErrColumn], and [stage.ErrOrder] behind a step that displaced or removed rows.
func (u UnboundedMean) Calibrated(st stage.Stage) (*calibratedMean, error) {
	p := &calibratedMean{UnboundedMeans: u.UnboundedMeans}
	if err := u.check(); err != nil {
		return nil, err
	}
	if err := domain.EncodedFeatures(st.In, ""); err != nil {
		return nil, err
	}
	//dp:refuses unbounded/mean-displaced one row could move the bins of others
	if st.Before.Displaced() || st.Before.F != 1 {
		return nil, fmt.Errorf("rows were displaced or removed by a step before it, and the bins of other rows could change with one; use public steps alone: %w", stage.ErrOrder)
	}
	for _, c := range st.In.Features() {
		p.scale = append(p.scale, cmp.Or(c.Scale, 1))
	}
	p.d = len(p.scale)
	rel, n := st.Before.Neighbours, st.Before.N
	var mu float64 // of all parts, or ε where noise is Laplace
	switch u.Locator {
	case BinsGaussian:
		p.failure = cmp.Or(u.Failure, u.Delta/10)
		whole, err := accountant.CalibrateShared(accountant.Budget{Epsilon: u.Epsilon, Delta: (u.Delta - p.failure) * (1 - 0x1p-40)})
		if err != nil {
			return nil, err
		}
		mu = whole
		if p.bins, err = NewGaussianBins(p.d, n, mu*math.Sqrt(BinShare), p.failure, rel); err != nil {
			return nil, err
		}
		p.events = append(p.events, p.bins.event)
	case BinsLaplace:
		var err error
		p.failure, mu = u.Delta*(1-0x1p-40), u.Epsilon*(1-0x1p-30)
		if p.bins, err = NewLaplaceBins(p.d, n, mu*BinShare, p.failure, rel); err != nil {
			return nil, err
		}
		p.events = append(p.events, p.bins.event)
	default:
		mu = u.Epsilon * (1 - 0x1p-30)
		p.level = mu * BinShare / float64(p.d*DescentLevels)
		if !(p.level >= 1e-9) {
			return nil, fmt.Errorf("ε: got %g for %d columns, want at least 1e-9 for each choice: %w", u.Epsilon, p.d, kind.ErrParameter)
		}
		p.events = append(p.events, accountant.PureDP{Epsilon: stage.Up(mu * BinShare), Neighbours: rel})
	}
	radius, err := accountant.GaussianRadius(p.d, n, momentFailure)
	if err != nil {
		return nil, err
	}
	root := math.Sqrt(float64(p.d))
	if err := p.round(&p.First, st, radius+1.5*binWidth*root, mu, FirstShare); err != nil {
		return nil, err
	}
	// The first mean is off by its noise, of norm about √d sd, and by sampling.
	off := 1.5*root*p.First.sd(n) + 3*root/math.Sqrt(float64(n))
	if err := p.round(&p.Last, st, min(radius+off, radius+1.5*binWidth*root), mu, 1-BinShare-FirstShare); err != nil {
		return nil, err
	}
	return p, nil
}

func (u UnboundedMean) check() error {
	target := query.Target{Epsilon: u.Epsilon, Delta: u.Delta}
	switch u.Locator {
	case BinsGaussian, BinsLaplace:
		if err := target.Budget().Validate(); err != nil {
			return err
		}
	case BinsPure:
		if err := query.CheckPure(target); err != nil {
			return err
		}
	default:
		return fmt.Errorf("locator: got %q, want BinsGaussian, BinsLaplace or BinsPure: %w", string(u.Locator), kind.ErrParameter)
	}
	if u.Failure != 0 && (u.Locator != BinsGaussian || !(u.Failure > 0 && u.Failure < u.Delta)) {
		return fmt.Errorf("failure: got %g, want a part of δ = %g, with BinsGaussian alone; 0 for the default: %w", u.Failure, u.Delta, kind.ErrParameter)
	}
	return nil
}

// round settles a measurement by Gaussian noise at μ√share, or by Laplace noise at ε·share. A clipped row is an integer
// vector of norm at most √limit, hence of L1 norm at most √(d·limit).
func (p *calibratedMean) round(r *MeanRound, st stage.Stage, radius, mu, share float64) (err error) {
	rel := st.Before.Neighbours
	if r.MomentRows, err = NewMomentRows(st.Before.N, p.d, true, false, radius); err != nil {
		return err
	}
	if p.Locator == BinsGaussian {
		q := pair.Query{C: r.Norm()}
		r.Gauss.Coordinates, r.Gauss.Max = p.d, stage.Up(float64(st.Before.N)*r.Norm())
		if r.Gauss.Sensitivity, _, err = q.Sensitivity(st.Before); err != nil {
			return err
		}
		if err := r.Gauss.Calibrate(mu * math.Sqrt(share) * (1 - 0x1p-40)); err != nil {
			return err
		}
		p.events = append(p.events, r.Gauss.Event(rel, r.Gauss.S))
		return nil
	}
	moves := stage.Up(math.Sqrt(float64(p.d) * r.Limit))
	if rel == accountant.ReplaceOne {
		moves *= 2
	}
	steps := math.Ceil(stage.Up(moves / (mu * share)))
	if !(steps <= noise.MaxLaplaceScale) {
		return fmt.Errorf("ε: got %g, want one at which Laplace noise fits the grid: %w", p.Epsilon, kind.ErrParameter)
	}
	r.Steps = uint64(steps)
	p.events = append(p.events, accountant.PureDP{Epsilon: stage.Up(moves / steps), Neighbours: rel})
	return nil
}

// event is that of all parts, beside the failure of the bins.
func (p *calibratedMean) event(rel accountant.Neighbours) accountant.Event {
	if p.Locator == BinsGaussian {
		return accountant.Compose(append([]accountant.Event{accountant.ApproxDP{Delta: p.failure, Neighbours: rel}}, p.events...)...)
	}
	// Pure losses add up.
	var epsilon float64
	for _, e := range p.events {
		if d, ok := e.(accountant.PureDP); ok {
			epsilon = stage.Up(epsilon + d.Epsilon)
		}
	}
	pure := accountant.PureDP{Epsilon: epsilon, Neighbours: rel}
	if p.Locator == BinsPure {
		return pure
	}
	return accountant.Compose(accountant.ApproxDP{Delta: p.failure, Neighbours: rel}, pure)
}

// Settle: the steps of a chain before it are public, and take no share.
func (u UnboundedMean) Settle(st stage.Stage) (mechanism.Settled[MeanEstimate], error) {
	p, err := u.Calibrated(st)
	if err != nil {
		return mechanism.Settled[MeanEstimate]{}, err
	}
	b, err := u.price(p, st)
	sd := make([]float64, p.d)
	for j, scale := range p.scale {
		sd[j] = p.Last.sd(st.Before.N) * scale
	}
	draw := func(counts []map[float64]int64, in rows.Driver) mechanism.Draws[MeanEstimate] {
		return func(ctx context.Context, rng *noise.Source) (MeanEstimate, error) {
			e, err := p.estimate(ctx, in, st, counts, p.withNoise(rng))
			e.Sigma = slices.Clone(sd)
			return e, err
		}
	}
	law := mechanism.Gaussian
	if p.Last.Steps > 0 {
		law = mechanism.Laplace
	}
	return mechanism.Settled[MeanEstimate]{Bill: b, Again: p.again, Predicted: mechanism.Deviations(law, domain.FeatureNames(st.In), sd...), Read: func(ctx context.Context, in rows.Driver) (mechanism.Draws[MeanEstimate], error) {
		counts, err := p.counts(ctx, in)
		return draw(counts, in), err
	}}, err
}

func (u UnboundedMean) price(p *calibratedMean, st stage.Stage) (query.Bill, error) {
	rel := st.Before.Neighbours
	ev := p.event(rel)
	g, err := accountant.EpsilonOf(ev, rel, u.Delta)
	if err != nil {
		return query.Bill{}, err
	}
	if !(g.Epsilon <= u.Epsilon) {
		return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", g.Epsilon, u.Epsilon)
	}
	constants := []stage.Constant{
		{Symbol: "r₁", Value: p.First.Norm(), Origin: stage.FromParameter, Meaning: "radius around the bins' middles to which scaled rows are clipped: privacy rests on it alone"},
		{Symbol: "r₂", Value: p.Last.Norm(), Origin: stage.FromParameter, Meaning: "radius around the first mean"},
		{Symbol: "σ", Value: p.Last.sd(st.Before.N), Origin: stage.FromParameter, Meaning: "noise on each mean, in units of the column's scale"},
	}
	if p.failure > 0 {
		constants = append(constants,
			stage.Constant{Symbol: "δ′", Value: p.failure, Origin: stage.FromParameter, Meaning: "probability that a bin of one row alone is published"},
			stage.Constant{Symbol: "t", Value: p.bins.threshold, Origin: stage.FromParameter, Meaning: "least noisy count of a bin that is published"})
	}
	return query.Bill{Event: ev, Guarantee: g, Cost: cost.Release{
		Name: kind.Describe(u), Event: ev.String(), Constants: constants,
		Reference:   "stability histogram and clipped means (Bun, Nissim, Stemmer 2016; Karwa, Vadhan 2018)",
		Sensitivity: stage.Up(p.Last.Norm() * float64(st.Before.FreeImages())), FreeSensitivity: stage.Up(p.Last.Norm() * float64(st.Before.FreeImages())), Sigma: p.Last.sd(st.Before.N) * float64(st.Before.N),
		Uncounted: g.Epsilon, Nominal: g.Epsilon,
	}}, nil
}
