package linear

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Fit is least-squares regression of the schema's numeric label on all features, by one of its methods. The label is
// centred by its public bounds and the model is y = mid + ⟨w, x⟩ + intercept.
type Fit struct {
	How Method
}

// squares are the settings of the method; those of BestLinear where there is none, which [Fit.check] reports.
func (f Fit) squares() LeastSquares {
	if f.How == nil {
		return LeastSquares{}
	}
	return LeastSquares{f.How.Settings()}
}

// Kind: version 1 of the law released, tested or rested on eigenvalues that were led astray; that of [BestLinear] knew no mean of the
// label, version 2 shrank it in proportion, and the ridge of version 3 shrank to the middle of the label's bounds; that of [LinearMixing] had 8 rows of the sketch for each coefficient and the label.
func (f Fit) Kind() kind.Kind {
	k := kind.Kind{Name: "fit/linear", Law: 1, Call: "FitLinear", Was: "dpkit.linear"}
	l := f.squares()
	switch {
	case f.How != nil && l.Method == models.BestLinear:
		k.Law, k.Replays = 4, 1
	case l.Sweep:
		k.Law, k.Replays = 2, 1
	}
	if l.ReleaseEigenvalue || l.Strength.Ground() == stage.FromTest || l.Method == models.Sheffet2017 || l.Method == models.Sheffet2017Exact {
		k.Law = 2
	}
	return k
}

// Budget is a target that steps of the chain can take shares of: that of a single Gaussian mechanism. One of
// another law has none.
func (f Fit) Budget() accountant.Budget {
	l := f.squares()
	switch l.Method {
	case models.BestLinear, models.AdaSSP, models.OutputPerturbation:
		return l.Target()
	}
	return accountant.Budget{}
}

// check reports what is no method of this module.
func (f Fit) check() error {
	if f.How == nil {
		return fmt.Errorf("got no method, want dpkit.BestLinear{…}, AdaSSP{…}, LinearMixing{…}, OutputPerturbation{…} or RelativeGaussianDescent{…}: %w", kind.ErrParameter)
	}
	return kind.Closed("method", f.How)
}

// Check reports what is wrong with the parameters and the schema.
func (f Fit) Check(in frames.Schema) error {
	if err := f.check(); err != nil {
		return err
	}
	return f.squares().Check(in)
}

// Scope is what the fit's own bounds rest on.
func (f Fit) Scope() accountant.Scope { return f.squares().Scope() }

// Asks reports a private test or bound of the mechanism's own: the release may be refused.
func (f Fit) Asks() bool { return f.squares().Strength.Ground() == stage.FromTest }

func (f Fit) Settle(st stage.Stage) (mechanism.Settled[models.LinearModel], error) {
	if err := f.check(); err != nil {
		return mechanism.Settled[models.LinearModel]{}, err
	}
	s, err := f.squares().Prepare(st)
	if err != nil {
		return mechanism.Settled[models.LinearModel]{}, err
	}
	b, err := s.Bill(kind.Describe(f))
	dom := s.Domain()
	out := mechanism.ReadOnce(b, dom.NormalEquations, func(m *NormalEquations, rng *noise.Source) (models.LinearModel, error) {
		rng.Rekey()
		c, err := s.Fit(m, rng)
		if err != nil {
			return models.LinearModel{}, err
		}
		return dom.Model(st.In, c), nil
	})
	out.Audit = auditOfLinear(s)
	out.Predicted = dom.population().prediction(s)
	if m, ok := s.(*MeanFit); ok {
		out.Predicted.Instead = m.instead
	}
	return out, err
}

// Exact fits least squares without noise, with a ridge that only makes the solution unique.
func (f Fit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LinearModel, error) {
	if err := f.Check(st.In); err != nil {
		return models.LinearModel{}, err
	}
	dom, err := LinearDomainOf(st, 1, !f.squares().NoIntercept)
	if err != nil {
		return models.LinearModel{}, err
	}
	m, err := dom.NormalEquations(ctx, in)
	if err != nil {
		return models.LinearModel{}, err
	}
	s, err := m.Solve(domain.PublicRidge * dom.Rx * dom.Rx * float64(dom.N) / 1e3)
	if err != nil {
		return models.LinearModel{}, err
	}
	return dom.Model(st.In, Coefficients{W: s.W, law: &coefficient.Law{Law: coefficient.NoNoise}}), nil
}
