package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
)

// Audit is what a release cost each row of the private table: for the curator alone.
type Audit struct {
	// Losses are ex-post per-instance privacy losses, ln of the ratio of the densities of what was released with the row and
	// without it, in the order of the rows. Their absolute values are the ex-post pDP.
	Losses pdp.Curator[[]float64]
	Worst  accountant.Budget // what everybody was promised
}

// String tells nothing of the losses.
func (a Audit) String() string {
	return fmt.Sprintf("audit at the worst case %v; losses are for the curator only", a.Worst)
}

// audit is [Plan.Audit].
func (pl *plan) audit(ctx context.Context, released any) (Audit, error) {
	if s := pl.p.s; s != nil && s.mode == modePublic {
		return Audit{}, fmt.Errorf("dpkit: audit: the data was declared public: nobody lost anything: %w", ErrParameter)
	}
	q, err := pl.quote()
	if err != nil {
		return Audit{}, err
	}
	if q.made.audit == nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %s: want FitLogisticByObjective, FitLogisticWithReport, Gram, GaussMix, or FitLinear with CoefficientsOnly: the law of another release has no closed form: %w", describe(pl.m), ErrParameter)
	}
	if err := individual(q.end, "an audit"); err != nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %w", err)
	}
	a, err := q.apply(ctx, pl.p.s.src, nil)
	if err != nil {
		return Audit{}, err
	}
	losses, err := q.made.audit(ctx, a.rows, released)
	if err != nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %s: %w", describe(pl.m), err)
	}
	return Audit{Losses: pdp.Seal(losses), Worst: q.price.Guarantee.Budget}, nil
}

func (pl *objectivePlan) auditModel(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	m := released.(LogisticModel)
	if len(m.Coef) != pl.d {
		return nil, fmt.Errorf("got a model of %d coefficients for %d columns, want the release of this plan: %w", len(m.Coef), pl.d, ErrParameter)
	}
	return pl.audit(ctx, in, append(append([]float64{}, m.Coef...), m.Intercept/pl.c))
}

func (pl *reportPlan) auditReport(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	m := released.(ReportedLogistic)
	if len(m.Report.Theta) != pl.k {
		return nil, fmt.Errorf("got a report on %d coefficients, want %d, the release of this plan: %w", len(m.Report.Theta), pl.k, ErrParameter)
	}
	return pl.audit(ctx, in, m.Report.Theta)
}

func (pl *objectivePlan) audit(ctx context.Context, in frames.Source, theta []float64) ([]float64, error) {
	k := pl.d + 1
	at, err := pl.lossSums(ctx, inProcess{in}, theta)
	if err != nil {
		return nil, err
	}
	for i := range k {
		for j := range i {
			at.hessian[i*k+j] = at.hessian[j*k+i]
		}
	}
	release := pdp.ObjectivePerturbation{Theta: theta, Sigma: pl.sigma, Lambda: pl.lambda, Loss: pdp.Logistic{}}
	a, err := release.AuditOf(at.gradient, at.hessian, in.Rows())
	if err != nil {
		return nil, err
	}
	return pl.losses(ctx, in, a)
}

// losses of all rows, as they entered the sums.
func (pl *objectivePlan) losses(ctx context.Context, in frames.Source, a pdp.Audit) ([]float64, error) {
	return eachLoss(ctx, in, pl.d+1, func(z, row []float64, y float64) float64 {
		copy(z, row)
		if size := norm2(row); size > pl.r {
			for j := range row {
				z[j] *= pl.r / size
			}
		}
		z[pl.d] = pl.c
		return 2*y - 1
	}, func(x, y []float64) (pdp.Curator[[]float64], error) { return a.Losses(x, y, true) })
}

// eachLoss asks for the losses of all rows, a chunk at a time: put writes a row as it entered the sum, of k numbers, and
// returns its label.
func eachLoss(ctx context.Context, in frames.Source, k int, put func(z, row []float64, y float64) float64, ask func(x, y []float64) (pdp.Curator[[]float64], error)) ([]float64, error) {
	losses := make([]float64, in.Rows())
	type lane struct {
		x, y []float64
		err  error
	}
	var all [lanes]lane
	err := scanChunks(ctx, in, chunkRows(len(in.Schema().Features())), func() chunkFunc {
		return func(at int, b *frames.Block) {
			l := &all[at]
			if l.err != nil {
				return
			}
			l.x, l.y = grown(l.x, b.Rows*k), grown(l.y, b.Rows)
			for i := range b.Rows {
				y := 0.0
				if b.Y != nil {
					y = b.Y[i]
				}
				l.y[i] = put(l.x[i*k:(i+1)*k], b.Row(i), y)
			}
			var sealed pdp.Curator[[]float64]
			if sealed, l.err = ask(l.x, l.y); l.err == nil {
				got, _ := sealed.Open()
				copy(losses[b.First:], got)
			}
		}
	})
	for _, l := range all {
		if err == nil {
			err = l.err
		}
	}
	return losses, err
}

func (x *linearMixing) auditSketch(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	if x.eigenvalue {
		return nil, fmt.Errorf("ReleaseEigenvalue: the noise follows a private draw that is not kept; leave it out: %w", ErrParameter)
	}
	gram, err := x.moments(ctx, inProcess{in})
	if err != nil {
		return nil, err
	}
	g := pdp.GaussMix{Inner: released.(Sketch).Inner, Rows: x.k, Sigma: math.Sqrt(x.variance() + x.share)}
	a, err := g.Audit(gram.sum)
	if err != nil {
		return nil, err
	}
	return x.eachRow(ctx, in, func(z []float64) (pdp.Curator[float64], error) { return a.Loss(z, true) })
}

// auditOfLinear computes the losses of a fit by LinearMixing whose coefficients alone were drawn, and refuses those of others.
func auditOfLinear(f linearFit) func(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	x, ok := f.(*linearMixing)
	if ok && x.only {
		return x.auditCoefficients
	}
	return func(context.Context, frames.Source, any) ([]float64, error) {
		return nil, fmt.Errorf("the coefficients alone tell less than was drawn, and their law has no closed form; release Gram or GaussMix and regress on that, or fit by LinearMixing with CoefficientsOnly: %w", ErrParameter)
	}
}

func (x *linearMixing) auditCoefficients(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	w, err := x.unscaled(released.(LinearModel))
	if err != nil {
		return nil, err
	}
	gram, err := x.moments(ctx, inProcess{in})
	if err != nil {
		return nil, err
	}
	a, err := pdp.LinearMixing{Coef: w, Rows: x.k, Sigma: math.Sqrt(x.variance() + x.share)}.Audit(gram.sum)
	if err != nil {
		return nil, err
	}
	p := x.coefficients()
	return x.eachRow(ctx, in, func(z []float64) (pdp.Curator[float64], error) { return a.Loss(z[:p], z[p], true) })
}

// unscaled are the coefficients of a model in the domain's units.
func (g *linearDomain) unscaled(m LinearModel) ([]float64, error) {
	if len(m.Coef) != g.d {
		return nil, fmt.Errorf("got a model of %d coefficients for %d columns, want the release of this plan: %w", len(m.Coef), g.d, ErrParameter)
	}
	w := make([]float64, 0, g.coefficients())
	for _, v := range m.Coef {
		w = append(w, v/g.to)
	}
	if g.constant > 0 {
		w = append(w, (m.Intercept-g.mid)/g.to/g.constant)
	}
	return w, nil
}

// eachRow asks for the loss of every row of the domain.
func (g *linearDomain) eachRow(ctx context.Context, in frames.Source, ask func(z []float64) (pdp.Curator[float64], error)) ([]float64, error) {
	m := g.size()
	return eachLoss(ctx, in, m, func(z, row []float64, y float64) float64 {
		g.row(z, row, y)
		return 0
	}, func(x, y []float64) (pdp.Curator[[]float64], error) {
		losses := make([]float64, len(y))
		for i := range losses {
			one, err := ask(x[i*m : (i+1)*m])
			if err != nil {
				return pdp.Curator[[]float64]{}, err
			}
			losses[i], _ = one.Open()
		}
		return pdp.Seal(losses), nil
	})
}

// row writes a row as it entered the sum: features, the constant and the label, on the domain's grid.
func (g *linearDomain) row(z, features []float64, y float64) {
	g.rounded(z, features, y)
	for j := range z {
		z[j] *= g.h
	}
}
