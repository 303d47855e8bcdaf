package linear

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Linear is least-squares regression of the schema's numeric label on all features. The label is
// centred by its public bounds and the model is y = mid + ⟨w, x⟩ + intercept.
//
// Zero values other than ε and δ are public defaults: functions of n, d, the target and the public bounds.
type Linear struct {
	Epsilon, Delta float64 // target; no defaults
	Method         models.LinearMethod

	NoIntercept bool    // leave the constant feature out
	LabelScale  float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
	Rows        int     // k: rows of the sketch (LinearMixing, Sheffet2017); 0: 8 for each coefficient and the label
	// ReleaseEigenvalue spends a part of the budget of LinearMixing on the smallest eigenvalue of the rows' Gram
	// matrix and adds less noise where that is large (ModifiedGaussMix).
	ReleaseEigenvalue bool
	// CoefficientsOnly draws the coefficients of LinearMixing by their multivariate t law, without the sketch
	// behind them: as many normal variates as rows of the sketch and columns, but no intervals.
	CoefficientsOnly bool
	Ridge            float64 // λ of OutputPerturbation and RelativeGaussianDescent: n·λ/2·‖w‖², in units of R̃²; 0: chosen for the predicted error
	MaxNorm          float64 // W of OutputPerturbation: bound on ‖w‖, in units of the label's bound over R̃; 0: 2
	Steps            int     // T of RelativeGaussianDescent; 0: chosen for the predicted error
	// Strength certifies ρ of RelativeGaussianDescent: that the least eigenvalue of (1/n) Σ x xᵀ + λI is at least ρR̃², x being rows
	// with the constant feature, clipped to R̃. [query.Declare], [query.Test] or [query.Bound] it; none: ρ = λ, which always holds.
	Strength query.Certificate
}

type LeastSquares struct {
	Linear `dp:"inline"`
}

// Kind: version 1 of the law released, tested or rested on eigenvalues that were led astray.
func (l LeastSquares) Kind() kind.Kind {
	k := kind.Kind{Name: "fit/linear", Law: 1, Call: "FitLinear", Was: "dpkit.linear"}
	if l.ReleaseEigenvalue || l.Strength.Ground() == stage.FromTest || l.Method == models.Sheffet2017 || l.Method == models.Sheffet2017Exact {
		k.Law = 2
	}
	return k
}

// Budget is a target that steps of the chain can take shares of: that of a single Gaussian mechanism. One of
// another law has none.
func (l LeastSquares) Budget() accountant.Budget {
	switch l.Method {
	case models.BestLinear, models.AdaSSP, models.OutputPerturbation:
		return l.Target()
	}
	return accountant.Budget{}
}

func (l LeastSquares) Target() accountant.Budget {
	return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
}

// Check reports what is wrong with the parameters and the schema.
func (l LeastSquares) Check(in frames.Schema) error {
	if err := models.KnownLinearMethod(l.Method); err != nil {
		return fmt.Errorf("%w: %w", err, kind.ErrParameter)
	}
	if l.Steps < 0 || l.Steps > MaxDescentSteps {
		return fmt.Errorf("steps T: got %d, want 1 to %d, or 0 for the default: %w", l.Steps, MaxDescentSteps, kind.ErrParameter)
	}
	if l.Strength.Given() {
		if l.Method != models.RelativeGaussianDescent {
			return fmt.Errorf("strength: it is for RelativeGaussianDescent: %w", kind.ErrParameter)
		}
		if err := l.Strength.Check("strength ρ"); err != nil {
			return err
		}
		if v := l.Strength.Value(); !l.Strength.Open() && !(v >= 1e-6 && v <= 1) {
			return fmt.Errorf("strength ρ: got %g, want a number in [1e-6, 1], in units of R̃²: %w", v, kind.ErrParameter)
		}
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"LabelScale", l.LabelScale}, {"Ridge", l.Ridge}, {"MaxNorm", l.MaxNorm}} {
		if f.v != 0 && !(f.v >= 1e-6 && f.v <= 1e6) {
			return fmt.Errorf("%s: got %g, want a number in [1e-6, 1e6], or 0 for the default: %w", f.name, f.v, kind.ErrParameter)
		}
	}
	if l.Rows < 0 || l.Rows > MaxSketchRows {
		return fmt.Errorf("rows of the sketch k: got %d, want 1 to %d, or 0 for the default: %w", l.Rows, MaxSketchRows, kind.ErrParameter)
	}
	return NumericLabel(in)
}

// NumericLabel reports a schema whose label or features linear regression cannot read.
func NumericLabel(in frames.Schema) error {
	label, ok := in.Label()
	if !ok || len(label.Levels) > 0 {
		return fmt.Errorf("the schema has no numeric label; declare one with frames.NumericLabel(name, lo, hi): %w", stage.ErrColumn)
	}
	return domain.EncodedFeatures(in, "")
}

// LinearFit is a method of linear regression that is settled on a pair state.
type LinearFit interface {
	// Finish settles the last parameters, of the fit that was chosen: once. Nothing changes behind it.
	Finish() error
	Bill(l LeastSquares) (query.Bill, error)
	// Fit draws the model's coefficients from the second moments of the rows, which it leaves as they are.
	Fit(m *SecondMoments, rng *noise.Source) (Coefficients, error)
	// predicted is the mean squared error beyond that of the best model, on the reference population.
	predicted(p population) float64
	Domain() *LinearDomain
}

// bestMargin is how far below the predicted error of AdaSSP another method must be. Where the target is tight all
// predictions are near that of a model that says nothing; rows of real tables have a few strong directions, which the reference
// population has not, and AdaSSP keeps them (notebooks/studies/linear).
const bestMargin = 0.75

// Prepare chooses the method's free parameters, and the method, by the predicted error, and finishes it.
func (l LeastSquares) Prepare(st stage.Stage) (LinearFit, error) {
	f, err := l.Choose(st)
	if err != nil {
		return nil, err
	}
	return f, f.Finish()
}

func (l LeastSquares) Choose(st stage.Stage) (LinearFit, error) {
	if err := l.Check(st.In); err != nil {
		return nil, err
	}
	if err := l.Target().Validate(); err != nil {
		return nil, err
	}
	if label, _ := st.In.Label(); st.Taint[label.Name] {
		return nil, fmt.Errorf("the label %q is displaced by an earlier step, want one that is as it was read: %w", label.Name, stage.ErrOrder)
	}
	if l.Method != models.BestLinear {
		return l.scaled(st)
	}
	var best LinearFit
	var refused error
	least := 0.0
	for _, method := range []models.LinearMethod{models.AdaSSP, models.LinearMixing, models.OutputPerturbation} {
		l.Method = method
		if method == models.LinearMixing && len(st.Spent.Events) > 0 {
			continue // it cannot share a budget
		}
		f, err := l.scaled(st)
		if err != nil {
			refused = err
			continue
		}
		if e := f.predicted(f.Domain().population()); best == nil || e < least {
			best, least = f, e
			if method == models.AdaSSP {
				least *= bestMargin
			}
		}
	}
	if best == nil {
		return nil, refused
	}
	return best, nil
}

// scaled settles the method at the label's scale that is asked for, or the best one.
func (l LeastSquares) scaled(st stage.Stage) (LinearFit, error) {
	scales := []float64{l.LabelScale}
	if l.LabelScale == 0 {
		scales = []float64{0.25, 0.5, 1, 2}
	}
	var best LinearFit
	least := 0.0
	for _, scale := range scales {
		dom, err := LinearDomainOf(st, scale, !l.NoIntercept)
		if err != nil {
			return nil, err
		}
		var f LinearFit
		switch l.Method {
		case models.AdaSSP:
			f, err = newAdaSSP(l, dom, st)
		case models.OutputPerturbation:
			f, err = newOutputPerturbation(l, dom, st)
		case models.Sheffet2017, models.Sheffet2017Exact:
			f, err = newSheffet(l, dom, st)
		case models.RelativeGaussianDescent:
			f, err = NewRelativeDescent(l, dom, st, 0)
		default:
			f, err = newLinearMixing(l, dom, st)
		}
		if err != nil {
			return nil, err
		}
		if e := f.predicted(dom.population()); best == nil || e < least {
			best, least = f, e
		}
	}
	return best, nil
}

// Scope is what the fit's own bounds rest on.
func (l LeastSquares) Scope() accountant.Scope {
	return l.Strength.Scope("least eigenvalue of the rows' mean second moments (Strength)")
}

// Asks reports a private test or bound of the mechanism's own: the release may be refused.
func (l LeastSquares) Asks() bool { return l.Strength.Ground() == stage.FromTest }

func (l LeastSquares) Settle(st stage.Stage) (mechanism.Settled[models.LinearModel], error) {
	f, err := l.Prepare(st)
	if err != nil {
		return mechanism.Settled[models.LinearModel]{}, err
	}
	b, err := f.Bill(l)
	dom := f.Domain()
	s := mechanism.ReadOnce(b, dom.Moments, func(m *SecondMoments, rng *noise.Source) (models.LinearModel, error) {
		rng.Rekey()
		c, err := f.Fit(m, rng)
		if err != nil {
			return models.LinearModel{}, err
		}
		return dom.Model(st.In, c), nil
	})
	s.Audit = auditOfLinear(f)
	s.Predicted = mechanism.Prediction{Of: excessError, Size: []float64{f.predicted(dom.population())}}
	return s, err
}

// excessError is what methods of regression predict.
const excessError = "excess of the mean squared error over that of the best model, on the reference population, in units of the scaled label's bound squared"

// Exact fits least squares without noise, with a ridge that only makes the solution unique.
func (l LeastSquares) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LinearModel, error) {
	if err := l.Check(st.In); err != nil {
		return models.LinearModel{}, err
	}
	dom, err := LinearDomainOf(st, 1, !l.NoIntercept)
	if err != nil {
		return models.LinearModel{}, err
	}
	m, err := dom.Moments(ctx, in)
	if err != nil {
		return models.LinearModel{}, err
	}
	s, err := m.Solve(domain.PublicRidge * dom.Rx * dom.Rx * float64(dom.N) / 1e3)
	if err != nil {
		return models.LinearModel{}, err
	}
	return dom.Model(st.In, Coefficients{W: s.W}), nil
}
