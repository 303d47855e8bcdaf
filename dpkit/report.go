package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// PrivacyReport asks for a privacy report beside a model: a function that tells every person a bound on what the release cost
// them, itself private ([pdp.Report]; Redberg, Wang 2021).
//
// With Share = 0 it is made of the coefficients and public constants: it costs nothing. With more, a part of the budget
// is spent on noisy statistics of the data that make its bounds tighter: the gradient at the minimiser, the Hessian there with noise
// of the Gaussian orthogonal ensemble, and its smallest eigenvalue, which compose exactly as Gaussians. The coefficients
// get that much more noise: everybody loses less by them, and the model is less exact.
type PrivacyReport struct {
	Rho   float64 // probability that a bound fails; no default
	Share float64 // of the release's μ², in [0, 1)
	// Gradient, Hessian and Eigenvalue part the share, in proportion. All 0: by what is predicted to make the bounds on the
	// coefficients of a reference population least, from n, d, the target and the public bounds alone.
	Gradient, Hessian, Eigenvalue float64
}

// FitLogisticWithReport is [Pipeline.FitLogisticByObjective] with a privacy report: one release under one guarantee. It wants
// the add/remove relation, which is the report's, and a chain that maps every row by itself: public steps.
//
//go:noinline
func (p Pipeline) FitLogisticWithReport(o ObjectivePerturbation, r PrivacyReport) Plan[ReportedLogistic] {
	return newPlan[ReportedLogistic](p, reportedLogistic{objectivePerturbation{o}, r})
}

type reportedLogistic struct {
	Fit           objectivePerturbation `dp:"inline"`
	PrivacyReport `dp:"inline"`
}

// kind: version 1 of the law released eigenvalues that were led astray.
func (r reportedLogistic) kind() kind {
	k := kind{"fit/logistic-report", 1, "FitLogisticWithReport", "dpkit.reportedLogistic"}
	if r.Share > 0 {
		k.law = 2
	}
	return k
}

func (r reportedLogistic) budget() accountant.Budget { return r.Fit.budget() }

// task is that of the coefficients, under the name of the whole.
func (r reportedLogistic) task() objectiveTask {
	t := r.Fit.task()
	t.name = describe(r)
	return t
}

// check reports parameters out of range, and places in the chain at which a person's loss is not that of their row.
func (r reportedLogistic) check(st Stage) error {
	if !(r.Rho > 0 && r.Rho < 1) {
		return fmt.Errorf("report: Rho: got %g, want a probability of failure strictly between 0 and 1: %w", r.Rho, ErrParameter)
	}
	if !(r.Share >= 0 && r.Share < 1-0x1p-10) {
		return fmt.Errorf("report: Share: got %g, want a part of the budget in [0, 1): %w", r.Share, ErrParameter)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Gradient", r.Gradient}, {"Hessian", r.Hessian}, {"Eigenvalue", r.Eigenvalue}} {
		if !(f.v >= 0 && f.v <= 1e6) || f.v > 0 && r.Share == 0 {
			return fmt.Errorf("report: %s: got %g with Share = %g, want a number in [0, 1e6], and 0 where there is no share to part: %w", f.name, f.v, r.Share, ErrParameter)
		}
	}
	if r.Share > 0 && (r.Fit.Alone || r.Fit.Kifer) {
		return fmt.Errorf("report: Share beside a calibration that does not compose as a Gaussian; leave Alone and Kifer out: %w", ErrOrder)
	}
	if err := r.Fit.check(st.In); err != nil {
		return err
	}
	return individual(st, "a report")
}

// individual reports a chain behind which a person's loss is not that of their row, as what tells losses needs.
func individual(st Stage, what string) error {
	switch {
	case st.Before.Neighbours != accountant.AddRemove:
		return fmt.Errorf("%s speaks of one row that is there or zeroed out, and the session's neighbours replace rows; use AddRemove, under which the number of rows stays public too: %w", what, ErrOrder)
	case st.Empty:
		return fmt.Errorf("%s behind a step that removes rows: a row also changes which others stay; leave that step out: %w", what, ErrOrder)
	case st.Before.Displaced() || st.Before.F != 1:
		return fmt.Errorf("%s behind a step that was fitted to the rows: a row also moves others; use public steps (Impute(Midpoint{}), Scale()): %w", what, ErrOrder)
	case len(st.spent.events) > 0:
		return fmt.Errorf("%s behind steps that ask private queries, which cost something too; use public steps: %w", what, ErrOrder)
	}
	return nil
}

// reportPlan is the plan of the coefficients and of the statistics beside them.
type reportPlan struct {
	*objectivePlan
	rho      float64
	k        int
	gradient *gaussianQuery // nil: not released
	hessian  *gaussianQuery
	smallest *gaussianQuery
}

func (r reportedLogistic) plan(st Stage) (*reportPlan, error) {
	if err := r.check(st); err != nil {
		return nil, err
	}
	o, err := r.task().planBeside(st, r.Share)
	if err != nil {
		return nil, err
	}
	pl := &reportPlan{objectivePlan: o, rho: r.Rho, k: o.d + 1}
	if r.Share == 0 {
		return pl, nil
	}
	mu, err := st.spent.mu(r.budget())
	if err != nil {
		return nil, err
	}
	mu *= math.Sqrt(r.Share) * (1 - 0x1p-50)
	parts := [3]float64{r.Gradient, r.Hessian, r.Eigenvalue}
	if parts == [3]float64{} {
		parts = pl.bestParts(mu)
	}
	sum := parts[0] + parts[1] + parts[2]
	for i, to := range []**gaussianQuery{&pl.gradient, &pl.hessian, &pl.smallest} {
		if parts[i] == 0 {
			continue
		}
		q := pl.query(i)
		if err := q.calibrate(mu * math.Sqrt(parts[i]/sum) * (1 - 0x1p-50)); err != nil {
			return nil, err
		}
		*to = &q
	}
	return pl, nil
}

// query is the i-th statistic: given the minimiser θ*, of which the coefficients are a noisy copy, a row moves
//
//   - −b = ∇J(θ*) by ℓ'x̃, of norm at most C; the drawn b is the ideal one on a grid, as float64.
//   - Σℓ”x̃x̃ᵀ at the released coefficients by ℓ”‖x̃‖² ≤ C²/4 in the Frobenius norm.
//   - the smallest eigenvalue of that by as much (Weyl).
func (pl *reportPlan) query(i int) gaussianQuery {
	k, n := float64(pl.k), float64(pl.n)
	if i == 0 {
		return gaussianQuery{coordinates: pl.k, sensitivity: up(pl.c2 + math.Sqrt(k)*pl.grid.Step() + 0x1p-51*pl.bNorm), max: pl.bNorm}
	}
	bend := pl.c2 * pl.c2 / 4 * (1 + 0x1p-40)
	if i == 1 {
		return gaussianQuery{
			coordinates: pl.k * (pl.k + 1) / 2, sensitivity: up(bend + 2*gramRounding(pl.n)*n*bend), max: up(math.Sqrt2 * n * bend),
		}
	}
	return gaussianQuery{coordinates: 1, sensitivity: up(bend + 2*spectralRounding(pl.n, pl.k)*n*bend), max: up(n * bend)}
}

func (pl *reportPlan) statistics(rel accountant.Neighbours) (out []accountant.Event) {
	for _, q := range []*gaussianQuery{pl.gradient, pl.hessian, pl.smallest} {
		if q != nil {
			out = append(out, q.event(rel, q.s))
		}
	}
	return out
}

func (r reportedLogistic) Settle(st Stage) (settled[ReportedLogistic], error) {
	none := settled[ReportedLogistic]{}
	if err := r.task().placed(st); err != nil {
		return none, err
	}
	pl, err := r.plan(st)
	if err != nil {
		return none, err
	}
	blank, err := pl.blank(r.budget())
	if err != nil {
		return none, err
	}
	b, err := r.price(pl, st)
	value := func(report pdp.Report) ReportedLogistic {
		return ReportedLogistic{newLogisticModel(st.In, append([]float64{}, report.Theta...), pl.c), report}
	}
	return settled[ReportedLogistic]{bill: b, read: drawnAs(pl.reader(blank), value), audit: pl.auditReport}, err
}

func (r reportedLogistic) price(pl *reportPlan, st Stage) (bill, error) {
	b, err := pl.price(r.task(), st, pl.statistics(st.Before.Neighbours)...)
	b.Cost.Reference += "; report: Redberg, Wang 2021, Algorithms 2 and 4, corrected"
	for _, q := range []struct {
		name, what string
		of         *gaussianQuery
	}{
		{"σ_g", "noise on each coordinate of the report's gradient", pl.gradient},
		{"σ_H", "noise on the diagonal of the report's Hessian; off it σ_H/√2", pl.hessian},
		{"σ_λ", "noise on the report's smallest eigenvalue", pl.smallest},
	} {
		if q.of != nil {
			b.Cost.Constants = append(b.Cost.Constants, Constant{q.name, q.of.sigma, FromParameter, q.what})
		}
	}
	return b, err
}

// blank is the report without what is drawn.
//
// Outside a probability of e^−t, t = ln(2^21/ρ), a normal vector in k dimensions is at most √k + √(2t) long (Laurent,
// Massart 2000): that bounds how far the output noise moves the coefficients, beside the computed ones' distance from
// the minimiser. Samplers are as far from normal laws as GaussianTV says.
func (pl *reportPlan) blank(worst accountant.Budget) (pdp.Report, error) {
	tail := pl.rho * 0x1p-21
	length := math.Sqrt(float64(pl.k)) + math.Sqrt(-2*math.Log(tail))
	mu := up(pl.out.s / pl.out.sigma)
	r := pdp.Report{
		Constant: pl.c, Radius: pl.r, Sigma: pl.sigma, Lambda: pl.lambda, Rows: pl.n, Rho: pl.rho, Worst: worst,
		Near:   up(pl.radius + pl.out.sigma*length + 2*math.Sqrt(float64(pl.k))*pl.out.grid.Step()),
		Output: mu,
		Slip:   tail + float64(pl.k)*(noise.GaussianTV(pl.gridSD)+noise.GaussianTV(pl.out.gridSD)) + 0x1p-100,
	}
	for _, q := range []*gaussianQuery{pl.gradient, pl.hessian, pl.smallest} {
		if q != nil {
			r.Slip += float64(q.coordinates) * noise.GaussianTV(q.gridSD)
		}
	}
	if r.Slip = up(r.Slip); !(r.Slip <= pl.rho/2) {
		return r, fmt.Errorf("report: Rho: got %g, want one above %g, by which samplers are off normal laws: %w", pl.rho, 2*r.Slip, ErrParameter)
	}
	return r, nil
}

// reader gathers the rows where the driver can. A draw fills in what is drawn of a report that is blank.
func (pl *reportPlan) reader(blank pdp.Report) func(ctx context.Context, in driver) (draws[pdp.Report], error) {
	return func(ctx context.Context, in driver) (draws[pdp.Report], error) {
		rows, err := in.gathered(ctx)
		return func(ctx context.Context, rng *noise.Source) (pdp.Report, error) {
			report := blank
			b := pl.draw(rng)
			w, err := pl.minimise(ctx, rows, b)
			if err != nil {
				return pdp.Report{}, err
			}
			report.Theta = pl.out.draw(rng, w)
			if pl.gradient != nil {
				exact := make([]float64, pl.k)
				for j, v := range b {
					exact[j] = -v
				}
				report.Gradient = &pdp.NoisyVector{Value: pl.gradient.draw(rng, exact), Sigma: pl.gradient.sigma}
			}
			return report, pl.curvature(ctx, rows, &report, rng)
		}, err
	}
}

// curvature draws the statistics of the Hessian at the released coefficients.
func (pl *reportPlan) curvature(ctx context.Context, rows driver, report *pdp.Report, rng *noise.Source) error {
	if pl.hessian == nil && pl.smallest == nil {
		return nil
	}
	at, err := pl.lossSums(ctx, rows, report.Theta)
	if err != nil {
		return err
	}
	if pl.hessian != nil {
		packed := packSymmetric(make([]float64, 0, pl.hessian.coordinates), at.hessian, pl.k, pl.k)
		report.Hessian = &pdp.NoisyVector{Value: pl.hessian.draw(rng, packed), Sigma: pl.hessian.sigma}
	}
	if pl.smallest != nil {
		values := (&gram{d: pl.k, total: at.hessian}).eigen(pl.smallest.max).Values
		report.Eigenvalue = &pdp.NoisyNumber{Value: pl.smallest.draw(rng, []float64{values[pl.k-1]})[0], Sigma: pl.smallest.sigma}
	}
	return nil
}

// Exact refuses: there is nothing to report of what is not private.
func (r reportedLogistic) Exact(context.Context, driver, Stage) (ReportedLogistic, error) {
	return ReportedLogistic{}, fmt.Errorf("dpkit: a privacy report on data that was declared public, want a session whose releases are private; use FitLogisticByObjective here: %w", ErrParameter)
}
