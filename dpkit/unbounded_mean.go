package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// MeanLocator says how the mean of unbounded rows is found before it is measured.
type MeanLocator string

const (
	// GaussianBins publishes where many rows are, with Gaussian noise on the counts of occupied bins (Bun, Nissim, Stemmer
	// 2016), then measures twice with Gaussian noise, around what it found. It costs a δ: see Failure.
	GaussianBins MeanLocator = ""
	// LaplaceBins does the same with Laplace noise all through: (ε, δ) with δ that of the bins alone (Karwa, Vadhan 2018).
	LaplaceBins MeanLocator = "laplace"
	// PureBins chooses bins by the exponential mechanism and measures with Laplace noise, of pure ε: leave δ at 0. It
	// costs the logarithm of the number of bins, 2^40 for each column.
	PureBins MeanLocator = "pure"
)

// UnboundedMeans is the mean of rows without bounds, whose standard deviations have public guesses: the columns' scales
// (1 without). Where those are too small rows are clipped and the mean is biased, where they are far too large the
// noise grows with them: privacy rests on neither. Where no scale is known use [Pipeline.Covariance], which finds it out.
type UnboundedMeans struct {
	Epsilon, Delta float64 // target; no defaults
	Locator        MeanLocator
	// Failure is the part of δ that GaussianBins may fail with, for which a ledger needs a Reserve ([Options]); 0:
	// a tenth of δ. LaplaceBins takes all of δ.
	Failure float64
}

// MeanEstimate is a released mean of rows without bounds.
type MeanEstimate struct {
	Names  []string  `json:"names"`
	Values []float64 `json:"values"`
	// Sigma are the standard deviations of the noise. The sampling error, about a standard deviation over √n, is not in it.
	Sigma []float64 `json:"sigma,omitempty"`
	// Located says for each column whether a bin stood out. Where none did the column is centred at 0, and its value is of
	// no use.
	Located []bool `json:"located"`
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
	return b.String()
}

// UnboundedMean releases the mean of all features, which may be unbounded: in three passes over the rows, with one counter for
// each occupied bin in memory.
func (p Pipeline) UnboundedMean(o UnboundedMeans) Plan[MeanEstimate] {
	return newPlan[MeanEstimate](p, unboundedMean{o})
}

type unboundedMean struct {
	UnboundedMeans `dp:"inline"`
}

func (unboundedMean) readsUnbounded() {}

func (unboundedMean) kind() kind {
	return kind{"mean/unbounded", 1, "UnboundedMean", "dpkit.unboundedMean"}
}

// Shares of the budget (of μ², or of ε) for the bins and the two measurements.
const (
	binShare   = 0.25
	firstShare = 0.15
	// binWidth is in standard deviations: the middle of the fullest bin is within 1.5 bins of the mean but for few rows in n.
	binWidth = 2.0
)

// meanPlan is settled from public facts alone.
type meanPlan struct {
	UnboundedMeans
	d       int
	scale   []float64
	failure float64
	bins    binNoise // but for PureBins
	level   float64  // ε of one choice of PureBins
	first   meanRound
	last    meanRound
	events  []accountant.Event
}

// meanRound is a mean of rows clipped to a ball around a centre that was released.
type meanRound struct {
	momentRows
	gauss gaussianQuery
	steps uint64 // scale of the Laplace noise in grid steps; 0: Gaussian
}

func (r *meanRound) sd(n int) float64 {
	if r.steps > 0 {
		return math.Sqrt2 * float64(r.steps) * r.h / float64(n)
	}
	return r.gauss.sigma / float64(n)
}

func (u unboundedMean) settle(st Stage) (*meanPlan, error) {
	p := &meanPlan{UnboundedMeans: u.UnboundedMeans}
	if err := u.check(); err != nil {
		return nil, err
	}
	if err := encodedFeatures(st.In, ""); err != nil {
		return nil, err
	}
	if st.Before.Displaced() || st.Before.F != 1 {
		return nil, fmt.Errorf("rows were displaced or removed by a step before it, and the bins of other rows could change with one; use public steps alone: %w", ErrOrder)
	}
	for _, c := range st.In.Features() {
		p.scale = append(p.scale, orDefault(c.Scale, 1))
	}
	p.d = len(p.scale)
	rel, n := st.Before.Neighbours, st.Before.N
	var mu float64 // of all parts, or ε where noise is Laplace
	switch u.Locator {
	case GaussianBins:
		p.failure = orDefault(u.Failure, u.Delta/10)
		whole, err := accountant.CalibrateShared(accountant.Budget{Epsilon: u.Epsilon, Delta: (u.Delta - p.failure) * (1 - 0x1p-40)})
		if err != nil {
			return nil, err
		}
		mu = whole
		if p.bins, err = gaussianBins(p.d, n, mu*math.Sqrt(binShare), p.failure, rel); err != nil {
			return nil, err
		}
		p.events = append(p.events, p.bins.event)
	case LaplaceBins:
		var err error
		p.failure, mu = u.Delta*(1-0x1p-40), u.Epsilon*(1-0x1p-30)
		if p.bins, err = laplaceBins(p.d, n, mu*binShare, p.failure, rel); err != nil {
			return nil, err
		}
		p.events = append(p.events, p.bins.event)
	default:
		mu = u.Epsilon * (1 - 0x1p-30)
		p.level = mu * binShare / float64(p.d*descentLevels)
		if !(p.level >= 1e-9) {
			return nil, fmt.Errorf("ε: got %g for %d columns, want at least 1e-9 for each choice: %w", u.Epsilon, p.d, ErrParameter)
		}
		p.events = append(p.events, accountant.PureDP{Epsilon: up(mu * binShare), Neighbours: rel})
	}
	radius, err := accountant.GaussianRadius(p.d, n, momentFailure)
	if err != nil {
		return nil, err
	}
	root := math.Sqrt(float64(p.d))
	if err := p.round(&p.first, st, radius+1.5*binWidth*root, mu, firstShare); err != nil {
		return nil, err
	}
	// The first mean is off by its noise, of norm about √d sd, and by sampling.
	off := 1.5*root*p.first.sd(n) + 3*root/math.Sqrt(float64(n))
	if err := p.round(&p.last, st, min(radius+off, radius+1.5*binWidth*root), mu, 1-binShare-firstShare); err != nil {
		return nil, err
	}
	return p, nil
}

func (u unboundedMean) check() error {
	target := Target{Epsilon: u.Epsilon, Delta: u.Delta}
	switch u.Locator {
	case GaussianBins, LaplaceBins:
		if err := target.budget().Validate(); err != nil {
			return err
		}
	case PureBins:
		if err := target.pure(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("locator: got %q, want GaussianBins, LaplaceBins or PureBins: %w", string(u.Locator), ErrParameter)
	}
	if u.Failure != 0 && (u.Locator != GaussianBins || !(u.Failure > 0 && u.Failure < u.Delta)) {
		return fmt.Errorf("failure: got %g, want a part of δ = %g, with GaussianBins alone; 0 for the default: %w", u.Failure, u.Delta, ErrParameter)
	}
	return nil
}

// round settles a measurement by Gaussian noise at μ√share, or by Laplace noise at ε·share. A clipped row is an integer
// vector of norm at most √limit, hence of L1 norm at most √(d·limit).
func (p *meanPlan) round(r *meanRound, st Stage, radius, mu, share float64) (err error) {
	rel := st.Before.Neighbours
	if r.momentRows, err = newMomentRows(st.Before.N, p.d, true, false, radius); err != nil {
		return err
	}
	if p.Locator == GaussianBins {
		q := pair.Query{C: r.norm()}
		r.gauss.coordinates, r.gauss.max = p.d, up(float64(st.Before.N)*r.norm())
		if r.gauss.sensitivity, _, err = q.Sensitivity(st.Before); err != nil {
			return err
		}
		if err := r.gauss.calibrate(mu * math.Sqrt(share) * (1 - 0x1p-40)); err != nil {
			return err
		}
		p.events = append(p.events, r.gauss.event(rel, r.gauss.s))
		return nil
	}
	moves := up(math.Sqrt(float64(p.d) * r.limit))
	if rel == accountant.ReplaceOne {
		moves *= 2
	}
	steps := math.Ceil(up(moves / (mu * share)))
	if !(steps <= noise.MaxLaplaceScale) {
		return fmt.Errorf("ε: got %g, want one at which Laplace noise fits the grid: %w", p.Epsilon, ErrParameter)
	}
	r.steps = uint64(steps)
	p.events = append(p.events, accountant.PureDP{Epsilon: up(moves / steps), Neighbours: rel})
	return nil
}

// event is that of all parts, beside the failure of the bins.
func (p *meanPlan) event(rel accountant.Neighbours) accountant.Event {
	if p.Locator == GaussianBins {
		return accountant.Compose(append([]accountant.Event{accountant.ApproxDP{Delta: p.failure, Neighbours: rel}}, p.events...)...)
	}
	// Pure losses add up.
	var epsilon float64
	for _, e := range p.events {
		if d, ok := e.(accountant.PureDP); ok {
			epsilon = up(epsilon + d.Epsilon)
		}
	}
	pure := accountant.PureDP{Epsilon: epsilon, Neighbours: rel}
	if p.Locator == PureBins {
		return pure
	}
	return accountant.Compose(accountant.ApproxDP{Delta: p.failure, Neighbours: rel}, pure)
}

// Settle: the steps of a chain before it are public, and take no share.
func (u unboundedMean) Settle(st Stage) (settled[MeanEstimate], error) {
	p, err := u.settle(st)
	if err != nil {
		return settled[MeanEstimate]{}, err
	}
	b, err := u.price(p, st)
	sd := make([]float64, p.d)
	for j, scale := range p.scale {
		sd[j] = p.last.sd(st.Before.N) * scale
	}
	draw := func(counts []map[float64]int64, in driver) draws[MeanEstimate] {
		return func(ctx context.Context, rng *noise.Source) (MeanEstimate, error) {
			e, err := p.estimate(ctx, in, st, counts, p.withNoise(rng))
			e.Sigma = slices.Clone(sd)
			return e, err
		}
	}
	return settled[MeanEstimate]{bill: b, predicted: deviations(sd...), read: func(ctx context.Context, in driver) (draws[MeanEstimate], error) {
		counts, err := p.counts(ctx, in)
		return draw(counts, in), err
	}}, err
}

func (u unboundedMean) price(p *meanPlan, st Stage) (bill, error) {
	rel := st.Before.Neighbours
	ev := p.event(rel)
	g, err := accountant.EpsilonOf(ev, rel, u.Delta)
	if err != nil {
		return bill{}, err
	}
	if !(g.Epsilon <= u.Epsilon) {
		return bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", g.Epsilon, u.Epsilon)
	}
	constants := []Constant{
		{"r₁", p.first.norm(), FromParameter, "radius around the bins' middles to which scaled rows are clipped: privacy rests on it alone"},
		{"r₂", p.last.norm(), FromParameter, "radius around the first mean"},
		{"σ", p.last.sd(st.Before.N), FromParameter, "noise on each mean, in units of the column's scale"},
	}
	if p.failure > 0 {
		constants = append(constants,
			Constant{"δ′", p.failure, FromParameter, "probability that a bin of one row alone is published"},
			Constant{"t", p.bins.threshold, FromParameter, "least noisy count of a bin that is published"})
	}
	return bill{Event: ev, Guarantee: g, Cost: ReleaseCost{
		Name: describe(u), Event: ev.String(), Constants: constants,
		Reference:   "stability histogram and clipped means (Bun, Nissim, Stemmer 2016; Karwa, Vadhan 2018)",
		Sensitivity: up(p.last.norm() * float64(st.Before.FreeImages())), FreeSensitivity: up(p.last.norm() * float64(st.Before.FreeImages())), Sigma: p.last.sd(st.Before.N) * float64(st.Before.N),
		Uncounted: g.Epsilon, Nominal: g.Epsilon,
	}}, nil
}

// meanNoise is what is done to the exact statistics: noise, or nothing.
type meanNoise struct {
	bin chooser            // of PureBins
	add func(sums []int64) // to counts of bins, for the others
	sum func(r *meanRound, sums []int64) []float64
}

func (p *meanPlan) withNoise(rng *noise.Source) meanNoise {
	return meanNoise{
		byWeight(rng, p.level),
		func(sums []int64) { p.bins.add(rng, sums) },
		func(r *meanRound, sums []int64) []float64 {
			if r.steps > 0 {
				noise.AddLaplace(rng, sums, r.steps)
				return r.values(sums)
			}
			return r.gauss.draw(rng, r.values(sums))
		},
	}
}

func withoutNoise() meanNoise {
	return meanNoise{fullest, func([]int64) {}, (*meanRound).values}
}

// Exact measures without noise. The rows are clipped as they would be.
func (u unboundedMean) Exact(ctx context.Context, in driver, st Stage) (MeanEstimate, error) {
	p, err := u.settle(st)
	if err != nil {
		return MeanEstimate{}, err
	}
	counts, err := p.counts(ctx, in)
	if err != nil {
		return MeanEstimate{}, err
	}
	return p.estimate(ctx, in, st, counts, withoutNoise())
}

// counts are the cells of each column by bins of its scale.
func (p *meanPlan) counts(ctx context.Context, in driver) ([]map[float64]int64, error) {
	width := make([]float64, p.d)
	for j, s := range p.scale {
		width[j] = binWidth * s
	}
	return countBins(ctx, in, width)
}

// estimate locates the columns by the counts of their bins, and measures twice around what it found.
func (p *meanPlan) estimate(ctx context.Context, in driver, st Stage, counts []map[float64]int64, with meanNoise) (MeanEstimate, error) {
	e := MeanEstimate{Located: make([]bool, p.d)}
	centre := make([]float64, p.d) // in scales
	for j, c := range counts {
		bin := 0.0
		if p.Locator == PureBins {
			bin, e.Located[j] = descend(c, with.bin), true
		} else {
			bin, e.Located[j] = p.bins.pick(c, with.add)
		}
		if e.Located[j] {
			centre[j] = (bin + 0.5) * binWidth
		}
	}
	n := float64(st.Before.N)
	for _, r := range []*meanRound{&p.first, &p.last} {
		sums, err := p.sums(ctx, in, r, centre)
		if err != nil {
			return MeanEstimate{}, err
		}
		for j, v := range with.sum(r, sums) {
			centre[j] += v / n
		}
	}
	for j, f := range st.In.Features() {
		e.Names = append(e.Names, f.Name)
		e.Values = append(e.Values, clamp(centre[j]*p.scale[j], -math.MaxFloat64, math.MaxFloat64))
	}
	return e, nil
}

// values are sums in steps of the grid as numbers.
func (r *meanRound) values(sums []int64) []float64 {
	out := make([]float64, len(sums))
	for j, s := range sums {
		out[j] = float64(s) * r.h
	}
	return out
}

// sums adds the rows' clipped distances from a centre, in steps. A row that is not there adds nothing.
func (p *meanPlan) sums(ctx context.Context, in driver, r *meanRound, centre []float64) ([]int64, error) {
	// (1, x) ↦ x/scale − centre
	a := make([]float64, p.d*(p.d+1))
	for j := range p.d {
		a[j*(p.d+1)] = -centre[j]
		a[j*(p.d+1)+j+1] = 1 / p.scale[j]
	}
	return integerSums(ctx, in, p.d, func() func([]int64, []float64, float64) {
		u, y, k := make([]float64, p.d+1), make([]float64, p.d), make([]float64, p.d)
		return func(sums []int64, row []float64, _ float64) {
			u[0] = 1
			copy(u[1:], row)
			r.place(k, y, u, a)
			for j, v := range k {
				sums[j] += int64(v)
			}
		}
	})
}
