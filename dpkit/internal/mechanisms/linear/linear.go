package linear

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Settings are those of every method of [Fit] together: the solvers read them, and identities tell releases apart by them.
type Settings struct {
	Epsilon, Delta float64
	Method         string // one of models

	NoIntercept       bool
	LabelScale        float64
	Rows              int
	ReleaseEigenvalue bool
	CoefficientsOnly  bool
	Ridge             float64
	MaxNorm           float64
	Steps             int
	Strength          query.Certificate

	// Sweep chooses k of [LinearMixing] by the predicted error, where it is not given.
	Sweep bool `dp:"-"`
}

// LeastSquares settles and solves a regression by its settings.
type LeastSquares struct {
	Settings
}

// Check reports what is wrong with the parameters and the schema.
func (l LeastSquares) Check(in frames.Schema) error {
	if l.Steps < 0 || l.Steps > MaxDescentSteps {
		return fmt.Errorf("steps T: got %d, want 1 to %d, or 0 for the default: %w", l.Steps, MaxDescentSteps, kind.ErrParameter)
	}
	if l.Strength.Given() {
		if err := query.CheckCertificate(l.Strength, "strength ρ"); err != nil {
			return err
		}
		if v := l.Strength.Value(); !query.IsOpen(l.Strength) && !(v >= 1e-6 && v <= 1) {
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
	// Bill prices the fit, under the name that it goes by.
	Bill(name string) (query.Bill, error)
	// Fit draws the model's coefficients from the second moments of the rows, which it leaves as they are.
	Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error)
	// predicted is the mean squared error beyond that of the best model, on the reference population.
	predicted(p population) float64
	// Domain is the geometry that the fit's coefficients are in the units of.
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

// Choose settles the method, and its free parameters, that are predicted to have the least error; its Finish is still to be called.
// Errors wrap [kind.ErrParameter], [stage.ErrColumn], [stage.ErrOrder], or are those of the target or of the noise's grid.
func (l LeastSquares) Choose(st stage.Stage) (LinearFit, error) {
	if err := l.Check(st.In); err != nil {
		return nil, err
	}
	if err := l.Target().Validate(); err != nil {
		return nil, err
	}
	if l.Method != models.BestLinear {
		f, err := l.scaled(st)
		if x, ok := f.(*SketchFit); ok && err == nil && l.Sweep {
			return l.sweep(x, st), nil
		}
		return f, err
	}
	var best LinearFit
	var refused error
	least := 0.0
	for _, method := range []string{models.AdaSSP, models.LinearMixing, models.OutputPerturbation} {
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
	if a, ok := best.(*AdaSSPFit); ok && a.constant > 0 && !st.Empty { // how many rows are left where steps remove some is not public
		best = &CentredFit{a}
	}
	return l.floor(best, st), nil
}

// scales are those of the label that are tried.
func (l LeastSquares) scales() []float64 {
	if l.LabelScale != 0 {
		return []float64{l.LabelScale}
	}
	return []float64{0.25, 0.5, 1, 2}
}

// scaled settles the method at the label's scale that is asked for, or the best one.
func (l LeastSquares) scaled(st stage.Stage) (LinearFit, error) {
	var best LinearFit
	least := 0.0
	for _, scale := range l.scales() {
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
	return query.ScopeOf(l.Strength, "least eigenvalue of the rows' mean second moments (Strength)")
}

// Target is what the fit may spend.
func (l LeastSquares) Target() accountant.Budget {
	return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
}
