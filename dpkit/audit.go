package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/reports"
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
	if pl.joint != nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %s: audit its plans one by one, each with the target of its part: %w", pl.joint.name(), ErrParameter)
	}
	q, err := pl.quote()
	if err != nil {
		return Audit{}, err
	}
	if h, _, ok := q.holdout(); ok {
		return Audit{}, fmt.Errorf("dpkit: audit: %s: the rows of the other side lost nothing, and losses of one side are not in the order of the table; audit a chain of all rows: %w", kind.Describe(h), ErrParameter)
	}
	if q.made.Audit == nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %s: want FitLogistic(ByObjective{…}), FitLogisticWithReport, Gram, GaussMix, or FitLinear with CoefficientsOnly: the law of another release has no closed form: %w", kind.Describe(pl.m), ErrParameter)
	}
	if err := reports.Individual(q.end, "an audit"); err != nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %w", err)
	}
	a, err := q.read(pl.p.s.schema, pl.m).apply(ctx, pl.p.s.src, nil)
	if err != nil {
		return Audit{}, err
	}
	losses, err := q.made.Audit(ctx, a.rows, released)
	if err != nil {
		return Audit{}, fmt.Errorf("dpkit: audit: %s: %w", kind.Describe(pl.m), err)
	}
	return Audit{Losses: pdp.Seal(losses), Worst: q.price.Guarantee.Budget}, nil
}
