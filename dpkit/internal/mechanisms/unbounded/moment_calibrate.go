package unbounded

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// MomentMethod says how the second moments of unbounded rows are approached.
type MomentMethod string

const (
	// MomentsAdaptive measures the moments in coordinates in which every earlier measurement says that they are small,
	// until all directions are equally large: each round bounds the moments from above by what it saw and the largest
	// eigenvalue of its noise, in the whole of the matrix.
	MomentsAdaptive MomentMethod = ""
	// Naive measures once, in the coordinates that the largest declared moment needs: the error is that of the condition number.
	Naive MomentMethod = "naive"
	// WeakContraction is a baseline: as MomentsAdaptive, but no round shrinks a direction's bound below 0.7 times what it was
	// (Kamath, Li, Singhal, Ullman 2019, as used by Milionis), so that rounds grow with the logarithm of the condition number
	// to that base.
	WeakContraction MomentMethod = "weak contraction"
)

// Unbounded says how second moments of rows without public bounds are measured: in T + 1 rounds of Gaussian noise of
// the orthogonal ensemble, each on rows that were mapped by what the earlier rounds released and clipped to a public
// radius. Privacy holds for every dataset. Accuracy is promised for rows whose law is sub-Gaussian, as a
// Gaussian one in its tails, and whose declared scales hold; where they do not, the result is biased and nothing else.
type Unbounded struct {
	Epsilon, Delta float64 // target; no defaults
	Method         MomentMethod

	// Smallest and Largest bound the root mean square of ⟨v, z⟩ for every unit vector v and the rows z = (1, x, y), cells
	// in units of their columns' guessed scales. κ = (Largest/Smallest)² bounds the condition number of the second
	// moments, and the price grows with its logarithm: be generous. 0: 1e-4 and 1e4. Directions larger than that are clipped,
	// smaller ones drown in noise.
	Smallest, Largest float64
}

const (
	// momentFailure is the probability with which the noise of a round exceeds what is added to cover it, any of the rows of a
	// Gaussian law the radius of the last measurement, and each of them that of the rounds: to bound the moments they may
	// clip a row in a thousand, which moves the bound by less than what n rows are off. It is no matter of privacy.
	momentFailure = 1e-3
	maxRounds     = 96
	weakest       = 0.7 // see WeakContraction
)

func (o Unbounded) Budget() accountant.Budget {
	return accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}
}

func (o Unbounded) ReadsUnbounded() {}

// CalibratedMoments is a measurement that is settled on a pair state. All of it is public.
type CalibratedMoments struct {
	MomentRows             // of the last measurement
	Search      MomentRows // of the rounds
	st          stage.Stage
	target      accountant.Budget
	units       []float64 // of the cells of (1, x, y): guessed scales times Largest
	Rounds      int       // T
	Share       float64   // of μ² for all of them
	Round, Last query.GaussianQuery
	cover       float64 // τ: bound on the largest eigenvalue of noise of scale 1
	sampling    float64 // e: the moments of n rows are (1 ± e) times their expectation
	floor       float64 // least factor by which a round shrinks a bound
	predicted   float64 // relative spectral error by noise, of Gaussian rows with the declared condition number
}

// Calibrate settles a measurement of (1, x, y).
func (o Unbounded) Calibrate(st stage.Stage, constant, label bool) (*CalibratedMoments, error) {
	if err := o.Budget().Validate(); err != nil {
		return nil, err
	}
	o.Smallest, o.Largest = cmp.Or(o.Smallest, 1e-4), cmp.Or(o.Largest, 1e4)
	for _, f := range []struct {
		name string
		v    float64
	}{{"Smallest", o.Smallest}, {"Largest", o.Largest}} {
		if !(f.v >= 1e-30 && f.v <= 1e30) {
			return nil, fmt.Errorf("%s: got %g, want a number in [1e-30, 1e30], or 0 for the default: %w", f.name, f.v, kind.ErrParameter)
		}
	}
	if !(o.Smallest <= o.Largest && o.Largest/o.Smallest <= 1e12) {
		return nil, fmt.Errorf("sizes Smallest and Largest: got %g and %g, want the former at most the latter and their ratio at most 1e12: beyond it cells are no longer told apart in float64: %w", o.Smallest, o.Largest, kind.ErrParameter)
	}
	switch o.Method {
	case MomentsAdaptive, Naive, WeakContraction:
	default:
		return nil, fmt.Errorf("method: got %q, want MomentsAdaptive, or Naive or WeakContraction of package baseline: %w", string(o.Method), kind.ErrParameter)
	}
	if err := domain.EncodedFeatures(st.In, ""); err != nil {
		return nil, err
	}
	//dp:refuses unbounded/moments-displaced no bound holds for displaced rows
	if st.Before.Displaced() {
		return nil, fmt.Errorf("rows were displaced by a step that was fitted without noise, and no bound holds for them here; use public steps alone: %w", stage.ErrOrder)
	}
	p := &CalibratedMoments{st: st, target: o.Budget()}
	p.to = 1
	n := st.Before.N
	for _, c := range st.In.Features() {
		p.units = append(p.units, o.Largest*cmp.Or(c.Scale, 1))
	}
	if constant {
		p.units = append([]float64{o.Largest}, p.units...)
	}
	if c, ok := st.In.Label(); label && ok {
		p.mid, p.to = labelUnits(c)
		p.units = append(p.units, o.Largest)
	}
	if most := 1000; len(p.units) > most {
		return nil, fmt.Errorf("got %d columns, want at most %d: drop some: %w", len(p.units), most, kind.ErrParameter)
	}
	mu, err := st.Spent.Mu(p.target)
	if err != nil {
		return nil, err
	}
	if err := p.settle(o, n, constant, label, mu); err != nil {
		return nil, err
	}
	return p, p.calibrate(mu)
}

// labelUnits are mid and to of a label y = mid + to·v: v is in [−1, 1] where there are bounds, ±1 of two classes.
func labelUnits(c frames.Column) (mid, to float64) {
	switch {
	case len(c.Levels) > 0:
		return 0.5, 0.5
	case c.NoBounds:
		return 0, cmp.Or(c.Scale, 1)
	}
	to = c.Hi/2 - c.Lo/2
	return c.Lo + to, to
}

// forecast is what the choice of rounds rests on: the size of the problem and the target.
type forecast struct {
	n, m           int
	radius, search float64 // of the last measurement, and of the rounds
	cover          float64 // τ
	sampling, move float64 // e, and the sensitivity of a sum in units of r²
	mu             float64
}

func newForecast(n, m int, rel accountant.Neighbours, mu float64) (forecast, error) {
	f := forecast{n: n, m: m, mu: mu, move: math.Sqrt2, cover: quad.GOEQuantile(m, momentFailure)}
	if rel == accountant.AddRemove {
		f.move = 1
	}
	root := 1 - math.Sqrt(float64(m)/float64(n)) - math.Sqrt(-2*math.Log(momentFailure)/float64(n))
	f.sampling = 1
	if root > 0 {
		f.sampling = 1 - root*root
	}
	var err error
	if f.radius, err = accountant.GaussianRadius(m, n, momentFailure); err != nil {
		return f, err
	}
	f.search, err = accountant.GaussianRadius(m, 1, momentFailure)
	return f, err
}

// scale is s, the noise on an off-diagonal entry of the mean of outer products of rows in a ball, of a part of μ².
func (f forecast) scale(radius, part float64) float64 {
	return f.move * radius * radius / (math.Sqrt2 * float64(f.n) * f.mu * math.Sqrt(part))
}

// error predicts the relative spectral error by noise after T rounds with that share of μ². With Σ ⪯ I in the
// coordinates of a round, its bound is W ⪯ ((1+e)Σ + 2τs)/(1−e), so that the smallest eigenvalue λ becomes at
// least (1−e)/(1 + e + 2τs/λ); the noise of the last measurement is of norm 2√m s, relative to that.
func (f forecast) error(kappa float64, rounds int, share, floor float64) float64 {
	lambda := 1 / kappa
	last := f.scale(f.radius, 1)
	if rounds > 0 {
		last = f.scale(f.radius, 1-share)
		s := f.scale(f.search, share/float64(rounds))
		for range rounds {
			next := (1 - f.sampling) / (1 + f.sampling + 2*f.cover*s/lambda)
			if floor > 0 {
				next = min(next, lambda/floor)
			}
			lambda = next
		}
	}
	return 2 * math.Sqrt(float64(f.m)) * last / lambda
}

// best is a number of rounds and their share with about the least predicted error: the smallest number within a
// twentieth of it, since each is a pass over the rows.
func (f forecast) best(o Unbounded) (rounds int, share, least float64) {
	kappa := (o.Largest / o.Smallest) * (o.Largest / o.Smallest)
	least = f.error(kappa, 0, 0, 0)
	if o.Method == Naive {
		return 0, 0, least
	}
	floor := 0.0
	if o.Method == WeakContraction {
		floor = weakest
	}
	errs, shares := [maxRounds + 1]float64{least}, [maxRounds + 1]float64{}
	for t := 1; t <= maxRounds; t++ {
		errs[t] = math.Inf(1)
		for k := 1; k < 20; k++ {
			a := float64(k) / 20
			if e := f.error(kappa, t, a, floor); e < errs[t] {
				errs[t], shares[t] = e, a
			}
		}
		least = min(least, errs[t])
	}
	for errs[rounds] > least*1.05 {
		rounds++
	}
	return rounds, shares[rounds], errs[rounds]
}

// settle chooses the rounds from public numbers, and refuses where rows are too few for any choice.
func (p *CalibratedMoments) settle(o Unbounded, n int, constant, label bool, mu float64) error {
	f, err := newForecast(n, len(p.units), p.st.Before.Neighbours, mu)
	if err != nil {
		return err
	}
	p.Rounds, p.Share, p.predicted = f.best(o)
	if f.sampling >= 1 || (o.Method == MomentsAdaptive && !(p.predicted < 1)) {
		return fmt.Errorf("got %d rows of %d columns, want about %d for second moments that are not lost in noise at this target; raise ε, drop columns or bring Smallest and Largest together: %w", n, f.m, neededRows(o, f, p.st.Before.Neighbours), kind.ErrParameter)
	}
	p.cover, p.sampling = f.cover, f.sampling
	if o.Method == WeakContraction {
		p.floor = weakest
	}
	mid, to := p.mid, p.to
	if p.MomentRows, err = NewMomentRows(n, p.st.In.Width(), constant, label, f.radius); err != nil {
		return err
	}
	p.Search, err = NewMomentRows(n, p.st.In.Width(), constant, label, f.search)
	p.mid, p.to = mid, to
	p.Search.mid, p.Search.to = mid, to
	return err
}

// neededRows is the least n of a rising list, √2 apart, at which a measurement is worth its price.
func neededRows(o Unbounded, f forecast, rel accountant.Neighbours) int {
	const most = min(1<<36, math.MaxInt)
	for n := float64(f.n); n < most; n *= math.Sqrt2 {
		g, err := newForecast(int(n), f.m, rel, f.mu)
		if err != nil || g.sampling >= 1 {
			continue
		}
		if _, _, e := g.best(o); e < 1 {
			return int(n)
		}
	}
	return most
}

// calibrate settles the noise of all rounds.
func (p *CalibratedMoments) calibrate(mu float64) error {
	whole, each := math.Sqrt(1-p.Share), 0.0
	if p.Rounds > 0 {
		each = math.Sqrt(p.Share / float64(p.Rounds))
	}
	for _, c := range []struct {
		rows *MomentRows
		q    *query.GaussianQuery
		part float64
	}{{&p.Search, &p.Round, each}, {&p.MomentRows, &p.Last, whole}} {
		if c.part == 0 {
			continue
		}
		state := p.st.Before
		state.R = c.rows.Norm()
		s, err := pair.GramSensitivity(state)
		if err != nil {
			return err
		}
		c.q.Coordinates = p.m * (p.m + 1) / 2
		c.q.Max = stage.Up(math.Sqrt2 * float64(p.n) * c.rows.Limit * c.rows.H * c.rows.H)
		// √2 times an exact entry is rounded once, on either side.
		c.q.Sensitivity = stage.Up(s + 2*math.Sqrt(float64(c.q.Coordinates))*0x1p-52*c.q.Max)
		if err := c.q.Calibrate(mu * c.part * (1 - 0x1p-40)); err != nil {
			return err
		}
	}
	return nil
}

// Scale is s of a query: the noise on an off-diagonal entry of the mean.
func (p *CalibratedMoments) Scale(q *query.GaussianQuery) float64 {
	return q.Sigma / (math.Sqrt2 * float64(p.n))
}

// event is the composition of all rounds. Each is Gaussian for every dataset, whatever the earlier ones
// released: they compose adaptively, μ² adding up (Dong, Roth, Su 2022).
func (p *CalibratedMoments) event() accountant.Event {
	rel := p.st.Before.Neighbours
	last := p.Last.Event(rel, p.Last.S)
	switch p.Rounds {
	case 0:
		return last
	case 1:
		return accountant.Compose(p.Round.Event(rel, p.Round.S), last)
	}
	return accountant.Compose(accountant.Repeat(p.Round.Event(rel, p.Round.S), p.Rounds), last)
}

func (p *CalibratedMoments) bill(name string) (query.Bill, error) {
	rel := p.st.Before.Neighbours
	ev := p.event()
	whole := p.st.Spent.Compose(ev, rel)
	g, err := accountant.EpsilonOf(whole, rel, p.target.Delta)
	if err != nil {
		return query.Bill{}, err
	}
	if !(g.Epsilon <= p.target.Epsilon) {
		return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", g.Epsilon, p.target.Epsilon)
	}
	return query.Bill{Event: whole, Guarantee: g, Cost: cost.Release{
		Name: name, Event: ev.String(),
		Constants: []stage.Constant{
			{Symbol: "r", Value: p.Norm(), Origin: stage.FromParameter, Meaning: "radius to which mapped rows are clipped in the last measurement, rounding included: privacy rests on the radii alone"},
			{Symbol: "r₀", Value: p.Search.Norm(), Origin: stage.FromParameter, Meaning: "radius in the rounds before it"},
			{Symbol: "T", Value: float64(p.Rounds), Origin: stage.FromParameter, Meaning: "rounds that find the coordinates, each one pass over the rows"},
			{Symbol: "a", Value: p.Share, Origin: stage.FromParameter, Meaning: "their share of the budget"},
			{Symbol: "s", Value: p.Scale(&p.Last), Origin: stage.FromParameter, Meaning: "noise on an off-diagonal entry of the last mean of outer products, √2 s on the diagonal"},
			{Symbol: "α", Value: p.predicted, Origin: stage.FromParameter, Meaning: "predicted relative spectral error by noise, if rows are as Gaussian ones and the declared scales hold: no part of the guarantee"},
		},
		Reference:   "adaptive preconditioning by Gaussian noise of the orthogonal ensemble, √2 r² for a replaced row; after Kamath, Li, Singhal, Ullman 2019 and Milionis",
		Sensitivity: p.Last.S, FreeSensitivity: p.Last.S, Sigma: p.Last.Sigma,
		Uncounted: g.Epsilon, Nominal: g.Epsilon,
	}}, nil
}
