package reports

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
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

// ReportFit is logistic regression by objective perturbation, with a privacy report.
type ReportFit struct {
	glm.ObjectiveFit `dp:"base"`
	PrivacyReport
}

// Kind: version 1 of the law released eigenvalues that were led astray; the one before the last had more noise for about the same ridge where the release
// composes as a Gaussian.
func (r ReportFit) Kind() kind.Kind {
	k := kind.Kind{Name: "fit/logistic-report", Law: 1, Call: "FitLogisticWithReport", Was: "dpkit.reportedLogistic"}
	if r.Share > 0 {
		k.Law = 2
	}
	k.Law, k.Replays = k.Law+1, k.Law
	return k
}

func (r ReportFit) Budget() accountant.Budget { return r.ObjectiveFit.Budget() }

// task is that of the coefficients, under the name of the whole.
func (r ReportFit) task() glm.ObjectiveTask {
	t := r.ObjectiveFit.Task()
	t.Name, t.Reported = kind.Describe(r), true
	return t
}

// check reports parameters out of range, and places in the chain at which a person's loss is not that of their row.
func (r ReportFit) check(st stage.Stage) error {
	if !(r.Rho > 0 && r.Rho < 1) {
		return fmt.Errorf("report: Rho: got %g, want a probability of failure strictly between 0 and 1: %w", r.Rho, kind.ErrParameter)
	}
	if !(r.Share >= 0 && r.Share < 1-0x1p-10) {
		return fmt.Errorf("report: Share: got %g, want a part of the budget in [0, 1): %w", r.Share, kind.ErrParameter)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Gradient", r.Gradient}, {"Hessian", r.Hessian}, {"Eigenvalue", r.Eigenvalue}} {
		if !(f.v >= 0 && f.v <= 1e6) || f.v > 0 && r.Share == 0 {
			return fmt.Errorf("report: %s: got %g with Share = %g, want a number in [0, 1e6], and 0 where there is no share to part: %w", f.name, f.v, r.Share, kind.ErrParameter)
		}
	}
	//dp:refuses report/share-alone it does not compose as a Gaussian
	if o := r.Settings(); r.Share > 0 && (o.Alone || o.Kifer) {
		return fmt.Errorf("report: Share beside a calibration that does not compose as a Gaussian; want ByObjective without Alone: %w", stage.ErrOrder)
	}
	if err := r.ObjectiveFit.Check(st.In); err != nil {
		return err
	}
	return Individual(st, "a report")
}

// Individual reports a chain behind which a person's loss is not that of their row, as what tells losses needs.
func Individual(st stage.Stage, what string) error {
	switch {
	//dp:refuses report/replaced-rows its losses are of a row that is there or not
	case st.Before.Neighbours != accountant.AddRemove:
		return fmt.Errorf("%s speaks of one row that is there or zeroed out, and the session's neighbours replace rows; use AddRemove, under which the number of rows stays public too: %w", what, stage.ErrOrder)
	//dp:refuses report/removed-rows a row also changes which others stay
	case st.Empty:
		return fmt.Errorf("%s behind a step that removes rows: a row also changes which others stay; leave that step out: %w", what, stage.ErrOrder)
	//dp:refuses report/displaced a row also moves others
	case st.Before.Displaced() || st.Before.F != 1:
		return fmt.Errorf("%s behind a step that was fitted to the rows: a row also moves others; use public steps (Impute(Midpoint{}), Scale()): %w", what, stage.ErrOrder)
	//dp:refuses report/after-queries the losses leave out what queries cost
	case len(st.Spent.Events) > 0:
		return fmt.Errorf("%s behind steps that ask private queries, which cost something too; use public steps: %w", what, stage.ErrOrder)
	}
	return nil
}

// calibratedReport is the plan of the coefficients and of the statistics beside them.
type calibratedReport struct {
	*glm.CalibratedObjective
	rho      float64
	K        int
	gradient *query.GaussianQuery // nil: not released
	hessian  *query.GaussianQuery
	Smallest *query.GaussianQuery
}

// Calibrate settles the model on what the statistics leave of the budget, (1 − Share)·μ², and each statistic on its part. Errors
// wrap [kind.ErrParameter], [stage.ErrColumn], and [stage.ErrOrder] behind steps that [Individual] refuses.
func (r ReportFit) Calibrate(st stage.Stage) (*calibratedReport, error) {
	if err := r.check(st); err != nil {
		return nil, err
	}
	o, err := r.task().CalibrateBeside(st, r.Share)
	if err != nil {
		return nil, err
	}
	pl := &calibratedReport{CalibratedObjective: o, rho: r.Rho, K: o.D + 1}
	if r.Share == 0 {
		return pl, nil
	}
	mu, err := st.Spent.Mu(r.Budget())
	if err != nil {
		return nil, err
	}
	mu *= math.Sqrt(r.Share) * (1 - 0x1p-50)
	parts := [3]float64{r.Gradient, r.Hessian, r.Eigenvalue}
	if parts == [3]float64{} {
		parts = pl.bestParts(mu)
	}
	sum := parts[0] + parts[1] + parts[2]
	for i, to := range []**query.GaussianQuery{&pl.gradient, &pl.hessian, &pl.Smallest} {
		if parts[i] == 0 {
			continue
		}
		q := pl.query(i)
		if err := q.Calibrate(mu * math.Sqrt(parts[i]/sum) * (1 - 0x1p-50)); err != nil {
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
func (pl *calibratedReport) query(i int) query.GaussianQuery {
	k, n := float64(pl.K), float64(pl.N)
	if i == 0 {
		return query.GaussianQuery{Coordinates: pl.K, Sensitivity: stage.Up(pl.C2 + math.Sqrt(k)*pl.Grid.Step() + 0x1p-51*pl.BNorm), Max: pl.BNorm}
	}
	bend := pl.C2 * pl.C2 / 4 * (1 + 0x1p-40)
	if i == 1 {
		return query.GaussianQuery{
			Coordinates: pl.K * (pl.K + 1) / 2, Sensitivity: stage.Up(bend + 2*rows.GramRounding(pl.N, pl.K)*n*bend), Max: stage.Up(math.Sqrt2 * n * bend),
		}
	}
	return query.GaussianQuery{Coordinates: 1, Sensitivity: stage.Up(bend + 2*rows.GridSpectralRounding(pl.N, pl.K)*n*bend), Max: stage.Up(n * bend)}
}

func (pl *calibratedReport) statistics(rel accountant.Neighbours) (out []accountant.Event) {
	for _, q := range []*query.GaussianQuery{pl.gradient, pl.hessian, pl.Smallest} {
		if q != nil {
			out = append(out, q.Event(rel, q.S))
		}
	}
	return out
}

func (r ReportFit) Settle(st stage.Stage) (mechanism.Settled[models.ReportedLogistic], error) {
	none := mechanism.Settled[models.ReportedLogistic]{}
	if err := r.task().Placed(st); err != nil {
		return none, err
	}
	pl, err := r.Calibrate(st)
	if err != nil {
		return none, err
	}
	blank, err := pl.blank(r.Budget())
	if err != nil {
		return none, err
	}
	b, err := r.price(pl, st)
	law := pl.NoiseLaw(1)
	value := func(report pdp.Report) models.ReportedLogistic {
		m := models.NewLogisticModel(st.In, append([]float64{}, report.Theta...), pl.C)
		return models.ReportedLogistic{LogisticModel: models.WithLaw(m, law), Report: report}
	}
	return mechanism.Settled[models.ReportedLogistic]{Bill: b, Read: mechanism.DrawnAs(pl.reader(blank), value), Audit: pl.auditReport, Predicted: pl.Predicted(st)}, err
}

func (r ReportFit) price(pl *calibratedReport, st stage.Stage) (query.Bill, error) {
	b, err := pl.Price(r.task(), st, pl.statistics(st.Before.Neighbours)...)
	b.Cost.Reference += "; report: Redberg, Wang 2021, Algorithms 2 and 4, corrected"
	for _, q := range []struct {
		name, what string
		of         *query.GaussianQuery
	}{
		{"σ_g", "noise on each coordinate of the report's gradient", pl.gradient},
		{"σ_H", "noise on the diagonal of the report's Hessian; off it σ_H/√2", pl.hessian},
		{"σ_λ", "noise on the report's smallest eigenvalue", pl.Smallest},
	} {
		if q.of != nil {
			b.Cost.Constants = append(b.Cost.Constants, stage.Constant{Symbol: q.name, Value: q.of.Sigma, Origin: stage.FromParameter, Meaning: q.what})
		}
	}
	return b, err
}

// blank is the report without what is drawn.
//
// Outside a probability of e^−t, t = ln(2^21/ρ), a normal vector in k dimensions is at most √k + √(2t) long (Laurent,
// Massart 2000): that bounds how far the output noise moves the coefficients, beside the computed ones' distance from
// the minimiser. Samplers are as far from normal laws as GaussianTV says.
func (pl *calibratedReport) blank(worst accountant.Budget) (pdp.Report, error) {
	tail := pl.rho * 0x1p-21
	length := math.Sqrt(float64(pl.K)) + math.Sqrt(-2*math.Log(tail))
	mu := stage.Up(pl.Out.S / pl.Out.Sigma)
	r := pdp.Report{
		Constant: pl.C, Radius: pl.R, Sigma: pl.Sigma, Lambda: pl.Lambda, Rows: pl.N, Rho: pl.rho, Worst: worst,
		Near:   stage.Up(pl.Radius + pl.Out.Sigma*length + 2*math.Sqrt(float64(pl.K))*pl.Out.Grid.Step()),
		Output: mu,
		Slip:   tail + float64(pl.K)*(noise.GaussianTV(pl.GridSD)+noise.GaussianTV(pl.Out.GridSD)) + 0x1p-100,
	}
	for _, q := range []*query.GaussianQuery{pl.gradient, pl.hessian, pl.Smallest} {
		if q != nil {
			r.Slip += float64(q.Coordinates) * noise.GaussianTV(q.GridSD)
		}
	}
	if r.Slip = stage.Up(r.Slip); !(r.Slip <= pl.rho/2) {
		return r, fmt.Errorf("report: Rho: got %g, want one above %g, by which samplers are off normal laws: %w", pl.rho, 2*r.Slip, kind.ErrParameter)
	}
	return r, nil
}

// reader gathers the rows where the driver can. A draw fills in what is drawn of a report that is blank.
func (pl *calibratedReport) reader(blank pdp.Report) func(ctx context.Context, in rows.Driver) (mechanism.Draws[pdp.Report], error) {
	return func(ctx context.Context, in rows.Driver) (mechanism.Draws[pdp.Report], error) {
		rows, err := in.Gathered(ctx)
		return func(ctx context.Context, rng *noise.Source) (pdp.Report, error) {
			report := blank
			b := pl.Draw(rng)
			w, err := pl.Minimise(ctx, rows, b)
			if err != nil {
				return pdp.Report{}, err
			}
			report.Theta = pl.Out.Draw(rng, w)
			if pl.gradient != nil {
				exact := make([]float64, pl.K)
				for j, v := range b {
					exact[j] = -v
				}
				report.Gradient = &pdp.NoisyVector{Value: pl.gradient.Draw(rng, exact), Sigma: pl.gradient.Sigma}
			}
			return report, pl.curvature(ctx, rows, &report, rng)
		}, err
	}
}

// curvature draws the statistics of the Hessian at the released coefficients.
func (pl *calibratedReport) curvature(ctx context.Context, table rows.Driver, report *pdp.Report, rng *noise.Source) error {
	if pl.hessian == nil && pl.Smallest == nil {
		return nil
	}
	at, err := pl.LossSums(ctx, table, report.Theta)
	if err != nil {
		return err
	}
	if pl.hessian != nil {
		packed := rows.PackSymmetric(make([]float64, 0, pl.hessian.Coordinates), at.Hessian, pl.K, pl.K)
		report.Hessian = &pdp.NoisyVector{Value: pl.hessian.Draw(rng, packed), Sigma: pl.hessian.Sigma}
	}
	if pl.Smallest != nil {
		values := (&rows.Gram{D: pl.K, Total: at.Hessian}).Eigen(pl.Smallest.Max).Values
		report.Eigenvalue = &pdp.NoisyNumber{Value: pl.Smallest.Draw(rng, []float64{values[pl.K-1]})[0], Sigma: pl.Smallest.Sigma}
	}
	return nil
}

// Exact refuses: there is nothing to report of what is not private.
func (r ReportFit) Exact(context.Context, rows.Driver, stage.Stage) (models.ReportedLogistic, error) {
	return models.ReportedLogistic{}, fmt.Errorf("dpkit: a privacy report on data that was declared public, want a session whose releases are private; use FitLogistic(ByObjective{…}) here: %w", kind.ErrParameter)
}
