package gradient

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/progress"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// passPrice is the noise of [ByIteration] and what it costs.
type passPrice struct {
	event, free accountant.SGDIteration // on the pair state, and without preprocessing
	guarantee   accountant.Guarantee
}

// settlePass calibrates the noise of one pass. The theorem is on real numbers; what runs is on a grid and in floating point, and
// that is paid for.
//
// The state is u, on the grid h·Z^k. A step projects it, w = Π(u), moves along the row's gradient, rounds to the grid and adds
// discrete Gaussian noise of ησ: u' = round(w − ηg(w)) + noise. Up to a ratio of laws ([noise.RatioTau]) that is T(round(w − ηg(w)) +
// N(0, η²σ²)), where T moves a coordinate to the grid by [noise.RatioReach] steps at most, but for what [noise.Negligible] holds. So the run is one of
// v' = ψ(v) + N(0, η²σ²) with ψ, which draws, within ρ = (1 + RatioReach)√k·h + floating point of a map that does not expand. Two such maps of one row move two points apart by at most 2ρ: in the
// units of a gradient every step shifts by s = 2ρ/η beside the shifts that sum to W.
//
// Let V_T be the least cost of shifts over T steps (Feldman et al. 2018, Theorem 22). √V_T is subadditive in the shifts; that of
// the W at step t is at most W²/(T−t+1), and 0 for T < t, and that of the roundings is at most s²m. As 1 ≤ T−t+1 ≤ m,
//
//	√V_T ≤ W/√(T−t+1) + s√m ≤ (W + sm)/√(T−t+1) for T ≥ t,  and ≤ s√m for T < t,
//
// which is at most the sorted costs of W + sm at step 1: the bound of [accountant.SGDIteration] holds with W + 2ρm/η. ∎
func (f *calibratedGradient) settlePass(g GradientFit, st stage.Stage) error {
	pl, p := f.Descent, st.Before
	const name = "ByIteration"
	switch {
	//dp:refuses gradient/pass-out-of-order a row that changes could move to another place of the pass
	case st.Unordered || st.Empty:
		return fmt.Errorf("%s: a step of the chain removes or reorders rows by their values, or the source gives them in the order of a column of the schema, and the pass needs an order that says nothing of values; use FullBatch: %w", name, stage.ErrOrder)
	case g.Steps != 0:
		return fmt.Errorf("%s: Steps: got %d, want 0, as it takes each row once: %w", name, g.Steps, kind.ErrParameter)
	case g.Rule != StepConstant:
		return fmt.Errorf("%s: Rule: got %q, want StepConstant, for which its bound holds: %w", name, string(g.Rule), kind.ErrParameter)
	case g.Average == AverageAll:
		return fmt.Errorf("%s: Average: got %q, want none: it releases one iterate, and others would show the rows behind it; use PoissonSampling: %w", name, string(g.Average), kind.ErrParameter)
	//dp:refuses gradient/pass-not-convex clipped gradients do not contract
	case !pl.isConvex():
		return fmt.Errorf("%s: Clip: got %g, want at least %.6g: clipped below, the gradients of %v are not those of convex functions and the bound fails; raise Clip or use FullBatch: %w",
			name, pl.Clip/p.R, pl.loss.Steepest(math.Inf(1))*pl.Rx/p.R, pl.loss, stage.ErrOrder)
	}
	if err := oneFreeRow(name, p); err != nil {
		return err
	}
	//dp:refuses gradient/pass-long-step a longer step expands
	if most := pl.largestStep(); g.StepSize != 0 && !(g.StepSize/(p.R*p.R) <= most) {
		return fmt.Errorf("%s: StepSize: got %g, want at most 2/β = %.6g, beyond which a step expands and the bound fails: %w", name, g.StepSize, most*p.R*p.R, stage.ErrOrder)
	}
	var err error
	for _, room := range []float64{0x1p-12, 0x1p-9, 0x1p-6} { // for the roundings, of C
		if err = f.settlePassWith(g, st, room*pl.Bound()); err == nil {
			break
		}
	}
	return err
}

// settlePassWith calibrates with that much room for roundings, in the units of a gradient, and checks that they keep to it.
func (f *calibratedGradient) settlePassWith(g GradientFit, st stage.Stage, room float64) error {
	pl, p := f.Descent, st.Before
	target := g.target()
	target.Delta *= 1 - accountant.SamplerShare
	bound := pl.Bound()
	free := accountant.SGDIteration{C: bound, Shift: room, Steps: p.N, Neighbours: p.Neighbours}
	out := &passPrice{free: free, event: free}
	cal, err := calibratedPass(target, free)
	if err != nil {
		return err
	}
	out.free.Sigma = cal.sigma
	if p.Displaced() {
		shift := 2 * bound * float64(p.M)
		if !math.IsInf(pl.Lip, 1) {
			shift = min(shift, pl.Lip*p.T1)
		}
		out.event.Shift = stage.Up(shift + 2*pl.Fp*float64(p.M) + room)
		if cal, err = calibratedPass(target, out.event); err != nil {
			return err
		}
	}
	out.event.Sigma, out.guarantee = cal.sigma, cal.guarantee
	pl.Draws, pl.average = 1, AverageLast
	pl.Eta = g.StepSize / (p.R * p.R)
	if g.StepSize == 0 {
		// The best constant step for a distance of a quarter of W (Nemirovski, Juditsky, Lan, Shapiro 2009): D/(G√n),
		// G² = C² + kσ².
		size := math.Hypot(bound, math.Sqrt(float64(pl.Coordinates))*cal.sigma)
		pl.Eta = min(pl.largestStep(), pl.W/4/(size*math.Sqrt(float64(p.N))))
	}
	if pl.Grid, pl.GridSD, err = noise.NewGrid(stage.Up(pl.Eta*cal.sigma), stage.Up(2*(pl.W+pl.Eta*bound))); err != nil {
		return fmt.Errorf("noise grid: %w", err)
	}
	pl.Sigma = float64(pl.GridSD) * pl.Grid.Step() / pl.Eta * (1 - 0x1p-50)
	// ρ: the grid; the projection, a conversion and a sum; and a gradient.
	k := float64(pl.Coordinates)
	off := stage.Up((1+noise.RatioReach)*math.Sqrt(k)*pl.Grid.Step() + (k+16)*0x1p-52*pl.W + pl.Eta*pl.Fp)
	whole := free.C*sides(p.Neighbours) + out.event.Shift // W, of which the noise may be short by a little
	if !(2*off/pl.Eta*float64(p.N)+0x1p-46*whole <= room) || !(pl.Sigma >= cal.sigma*(1-0x1p-48)) || pl.GridSD < noise.RatioSigma {
		return fmt.Errorf("ByIteration: steps of %.3g over %d rows in a ball of %.3g: rounding would cost more than is kept for it; raise StepSize or lower MaxNorm: %w", pl.Eta, p.N, pl.W, kind.ErrParameter)
	}
	pl.S = stage.Up(free.C*sides(p.Neighbours) + out.event.Shift)
	pl.Free = stage.Up(free.C*sides(p.Neighbours) + room)
	f.Pass = out
	return nil
}

// sides is how many gradients the free row has.
func sides(rel accountant.Neighbours) float64 {
	if rel == accountant.AddRemove {
		return 1
	}
	return 2
}

func calibratedPass(target accountant.Budget, e accountant.SGDIteration) (out sgdNoise, err error) {
	mu, err := accountant.CalibrateGaussian(target)
	if err != nil {
		return out, err
	}
	// ε falls about as 1/σ. Where the search ends ε was computed at the σ that is returned.
	out.sigma = (sides(e.Neighbours)*e.C + e.Shift) / mu // with nothing behind it a step is a Gaussian release
	for range 60 {
		e.Sigma = out.sigma
		if out.guarantee, err = accountant.EpsilonOf(e, e.Neighbours, target.Delta); err != nil {
			return out, err
		}
		ratio := out.guarantee.Epsilon / target.Epsilon
		if ratio <= 1 && ratio >= 1-1e-4 {
			return out, nil
		}
		out.sigma *= min(max(ratio*(1+3e-5), 0.1), 10)
	}
	return out, fmt.Errorf("calibration: no noise meets ε = %g; choose a larger δ: %w", target.Epsilon, kind.ErrParameter)
}

// Iterate makes the pass. All steps are made, and the iterate behind a secret one is kept, so that time does not tell which.
func (f *calibratedGradient) Iterate(ctx context.Context, in rows.Driver, rng *noise.Source) ([]float64, error) {
	pl := f.Descent
	stop := int(rng.Uint64n(uint64(in.Rows())))
	u, w, kept := make([]int64, pl.Coordinates), make([]float64, pl.Coordinates), make([]float64, pl.Coordinates)
	factors, square := make([][]float64, pl.margins), make([]float64, 1)
	cells := make([]float64, pl.margins)
	for k := range factors {
		factors[k] = cells[k : k+1]
	}
	width, at, step := pl.width(), 0, pl.Grid.Step()
	var scaled []float64
	report := progress.Of(ctx)
	defer report(in.Rows(), in.Rows())
	err := in.InOrder(ctx, func(b *frames.Block) error {
		report(at, in.Rows())
		for i := range b.Rows {
			row, y := b.Row(i), b.Y[i:i+1]
			for k := range factors {
				v := w[k*width : (k+1)*width]
				if err := linalg.Margins(factors[k], square, row, 1, pl.D, pl.D, v[:pl.D]); err != nil {
					return err
				}
				if pl.C > 0 {
					factors[k][0] += v[pl.D] * pl.C
				}
			}
			square[0] += pl.C * pl.C
			if pl.label.half > 0 {
				scaled = pl.label.scale(scaled[:0], y)
				y = scaled
			}
			if err := pl.loss.Factors(factors, square, y, pl.Clip, -pl.Eta); err != nil {
				return err
			}
			for k := range factors {
				g := factors[k][0]
				if b.Empty != nil && b.Empty[i] {
					g = 0
				}
				v := w[k*width : (k+1)*width]
				for j, z := range row {
					v[j] += g * z
				}
				if pl.C > 0 {
					v[pl.D] += g * pl.C
				}
			}
			for j, v := range w {
				u[j] = int64(math.RoundToEven(v / step))
			}
			noise.AddGaussian(rng, u, pl.GridSD)
			for j, v := range u {
				w[j] = pl.Grid.Value(v)
			}
			pl.Project(w)
			if at == stop {
				copy(kept, w)
			}
			at++
		}
		return ctx.Err()
	})
	return kept, err
}

// passBehind is the pass, with its noise, on any pair state; see [query.Bill].
func (f *calibratedGradient) passBehind(st stage.Stage) func(p pair.State) (accountant.Event, error) {
	lipschitz := query.LipschitzBehind(st.Taint, f.Lip, f.Any)
	return func(p pair.State) (accountant.Event, error) {
		if err := oneFreeRow("ByIteration", p); err != nil {
			return nil, err
		}
		e := f.Pass.event
		e.Shift = f.Pass.free.Shift // what rounding costs
		if p.Displaced() {
			shift := min(2*f.Bound()*float64(p.M), lipschitz*p.T1)
			e.Shift = stage.Up(shift + 2*f.Fp*float64(p.M) + e.Shift)
		}
		if p.F == 0 {
			e.C = 0
		}
		return e, nil
	}
}

// passBill accounts for the pass: with the preprocessing counted, ignored, and not paid for.
func (f *calibratedGradient) passBill(target accountant.Budget, st stage.Stage, c cost.Release) (query.Bill, error) {
	s := f.Pass
	rel := s.event.Neighbours
	g := s.guarantee
	g.Delta = target.Delta
	g.Route += ", and samplers"
	at := func(e accountant.SGDIteration, sigma float64) (float64, error) {
		e.Sigma = sigma
		g, err := accountant.EpsilonOf(e, rel, target.Delta*(1-accountant.SamplerShare))
		return min(g.Epsilon, math.MaxFloat64), err
	}
	c.Uncounted, c.Nominal = g.Epsilon, g.Epsilon
	if s.event.Shift > s.free.Shift {
		var err error
		if c.Uncounted, err = at(s.free, s.event.Sigma); err != nil {
			return query.Bill{}, err
		}
		if c.Nominal, err = at(s.event, s.free.Sigma); err != nil {
			return query.Bill{}, err
		}
	}
	c.Event, c.Sigma, c.Sensitivity, c.FreeSensitivity = s.event.String(), f.Sigma, f.S, f.Free
	return query.Bill{Event: query.CoveredEvents(s.event, rel, target.Delta/2, accountant.CoverByOrders), Guarantee: g, Cost: c, Behind: f.passBehind(st), OwnRoute: true}, nil
}
