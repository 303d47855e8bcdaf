package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Linear is least-squares regression of the schema's numeric label on all features. The label is
// centred by its public bounds and the model is y = mid + ⟨w, x⟩ + intercept.
//
// Zero values other than ε and δ are public defaults: functions of n, d, the target and the public bounds.
type Linear struct {
	Epsilon, Delta float64 // target; no defaults
	Method         LinearMethod

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
	// with the constant feature, clipped to R̃. [Declare], [Test] or [Bound] it; none: ρ = λ, which always holds.
	Strength Certificate
}

// FitLinear fits a linear model of the schema's numeric label on all features.
//
//go:noinline
func (p Pipeline) FitLinear(o Linear) Plan[LinearModel] {
	return newPlan[LinearModel](p, linear{o})
}

type linear struct {
	Linear `dp:"inline"`
}

// kind: version 1 of the law released, tested or rested on eigenvalues that were led astray.
func (l linear) kind() kind {
	k := kind{"fit/linear", 1, "FitLinear", "dpkit.linear"}
	if l.ReleaseEigenvalue || l.Strength.ground == FromTest || l.Method == Sheffet2017 || l.Method == Sheffet2017Exact {
		k.law = 2
	}
	return k
}

// budget is a target that steps of the chain can take shares of: that of a single Gaussian mechanism. One of
// another law has none.
func (l linear) budget() accountant.Budget {
	switch l.Method {
	case BestLinear, AdaSSP, OutputPerturbation:
		return l.target()
	}
	return accountant.Budget{}
}

func (l linear) target() accountant.Budget {
	return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
}

// check reports what is wrong with the parameters and the schema.
func (l linear) check(in frames.Schema) error {
	if err := knownLinearMethod(l.Method); err != nil {
		return fmt.Errorf("%w: %w", err, ErrParameter)
	}
	if l.Steps < 0 || l.Steps > maxDescentSteps {
		return fmt.Errorf("steps T: got %d, want 1 to %d, or 0 for the default: %w", l.Steps, maxDescentSteps, ErrParameter)
	}
	if l.Strength.given() {
		if l.Method != RelativeGaussianDescent {
			return fmt.Errorf("strength: it is for RelativeGaussianDescent: %w", ErrParameter)
		}
		if err := l.Strength.check("strength ρ"); err != nil {
			return err
		}
		if v := l.Strength.value; !l.Strength.open && !(v >= 1e-6 && v <= 1) {
			return fmt.Errorf("strength ρ: got %g, want a number in [1e-6, 1], in units of R̃²: %w", v, ErrParameter)
		}
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"LabelScale", l.LabelScale}, {"Ridge", l.Ridge}, {"MaxNorm", l.MaxNorm}} {
		if f.v != 0 && !(f.v >= 1e-6 && f.v <= 1e6) {
			return fmt.Errorf("%s: got %g, want a number in [1e-6, 1e6], or 0 for the default: %w", f.name, f.v, ErrParameter)
		}
	}
	if l.Rows < 0 || l.Rows > maxSketchRows {
		return fmt.Errorf("rows of the sketch k: got %d, want 1 to %d, or 0 for the default: %w", l.Rows, maxSketchRows, ErrParameter)
	}
	return numericLabel(in)
}

// numericLabel reports a schema whose label or features linear regression cannot read.
func numericLabel(in frames.Schema) error {
	label, ok := in.Label()
	if !ok || len(label.Levels) > 0 {
		return fmt.Errorf("the schema has no numeric label; declare one with frames.NumericLabel(name, lo, hi): %w", ErrColumn)
	}
	return encodedFeatures(in, "")
}

// linearFit is a method of linear regression that is settled on a pair state.
type linearFit interface {
	// finish settles the last parameters, of the fit that was chosen: once. Nothing changes behind it.
	finish() error
	bill(l linear) (bill, error)
	// fit draws the model's coefficients from the second moments of the rows, which it leaves as they are.
	fit(m *secondMoments, rng *noise.Source) (coefficients, error)
	// predicted is the mean squared error beyond that of the best model, on the reference population.
	predicted(p population) float64
	domain() *linearDomain
}

// bestMargin is how far below the predicted error of AdaSSP another method must be. Where the target is tight all
// predictions are near that of a model that says nothing; rows of real tables have a few strong directions, which the reference
// population has not, and AdaSSP keeps them (notebooks/studies/linear).
const bestMargin = 0.75

// settle chooses the method's free parameters, and the method, by the predicted error, and finishes it.
func (l linear) settle(st Stage) (linearFit, error) {
	f, err := l.choose(st)
	if err != nil {
		return nil, err
	}
	return f, f.finish()
}

func (l linear) choose(st Stage) (linearFit, error) {
	if err := l.check(st.In); err != nil {
		return nil, err
	}
	if err := l.target().Validate(); err != nil {
		return nil, err
	}
	if label, _ := st.In.Label(); st.Taint[label.Name] {
		return nil, fmt.Errorf("the label %q is displaced by an earlier step, want one that is as it was read: %w", label.Name, ErrOrder)
	}
	if l.Method != BestLinear {
		return l.scaled(st)
	}
	var best linearFit
	var refused error
	least := 0.0
	for _, method := range []LinearMethod{AdaSSP, LinearMixing, OutputPerturbation} {
		l.Method = method
		if method == LinearMixing && len(st.spent.events) > 0 {
			continue // it cannot share a budget
		}
		f, err := l.scaled(st)
		if err != nil {
			refused = err
			continue
		}
		if e := f.predicted(f.domain().population()); best == nil || e < least {
			best, least = f, e
			if method == AdaSSP {
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
func (l linear) scaled(st Stage) (linearFit, error) {
	scales := []float64{l.LabelScale}
	if l.LabelScale == 0 {
		scales = []float64{0.25, 0.5, 1, 2}
	}
	var best linearFit
	least := 0.0
	for _, scale := range scales {
		dom, err := linearDomainOf(st, scale, !l.NoIntercept)
		if err != nil {
			return nil, err
		}
		var f linearFit
		switch l.Method {
		case AdaSSP:
			f, err = newAdaSSP(l, dom, st)
		case OutputPerturbation:
			f, err = newOutputPerturbation(l, dom, st)
		case Sheffet2017, Sheffet2017Exact:
			f, err = newSheffet(l, dom, st)
		case RelativeGaussianDescent:
			f, err = newRelativeDescent(l, dom, st, 0)
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

// scope is what the fit's own bounds rest on.
func (l linear) scope() accountant.Scope {
	return l.Strength.scope("least eigenvalue of the rows' mean second moments (Strength)")
}

// asks reports a private test or bound of the mechanism's own: the release may be refused.
func (l linear) asks() bool { return l.Strength.ground == FromTest }

func (l linear) Settle(st Stage) (settled[LinearModel], error) {
	f, err := l.settle(st)
	if err != nil {
		return settled[LinearModel]{}, err
	}
	b, err := f.bill(l)
	dom := f.domain()
	s := readOnce(b, dom.moments, func(m *secondMoments, rng *noise.Source) (LinearModel, error) {
		rng.Rekey()
		c, err := f.fit(m, rng)
		if err != nil {
			return LinearModel{}, err
		}
		return dom.model(st.In, c), nil
	})
	s.audit = auditOfLinear(f)
	s.predicted = prediction{excessError, []float64{f.predicted(dom.population())}}
	return s, err
}

// excessError is what methods of regression predict.
const excessError = "excess of the mean squared error over that of the best model, on the reference population, in units of the scaled label's bound squared"

// Exact fits least squares without noise, with a ridge that only makes the solution unique.
func (l linear) Exact(ctx context.Context, in driver, st Stage) (LinearModel, error) {
	if err := l.check(st.In); err != nil {
		return LinearModel{}, err
	}
	dom, err := linearDomainOf(st, 1, !l.NoIntercept)
	if err != nil {
		return LinearModel{}, err
	}
	m, err := dom.moments(ctx, in)
	if err != nil {
		return LinearModel{}, err
	}
	s, err := m.solve(publicRidge * dom.rx * dom.rx * float64(dom.n) / 1e3)
	if err != nil {
		return LinearModel{}, err
	}
	return dom.model(st.In, coefficients{w: s.w}), nil
}
