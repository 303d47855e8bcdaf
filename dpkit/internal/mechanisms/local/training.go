package local

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Training is one node's part in training ridge regression on several nodes, each with rows and a ledger of its own, which
// exchange gradients that are private already: local differential privacy of datasets. Before the first round the node
// charges its ledger for all of them; then it answers Rounds questions, and no more.
//
// Rows and labels are scaled by public bounds: a row (x, c) with the constant feature, and v in [−b, b], b = R̃. All nodes have the
// same schema and chain of public steps, so that a point θ means the same to them. A node's objective is
// f(θ) = (1/2n) Σ (⟨x, θ⟩ − v)² + (λ/2)‖θ‖².
type Training struct {
	Epsilon, Delta float64 // target of all rounds together; no defaults
	Rounds         int     // T; no default
	Noise          models.GradientNoise
	Ridge          float64 // λ in units of R̃², above 0: the same on all nodes
	// Clip of ClippedNoise is the bound on a row's gradient in units of R̃b, what a row has at most at θ = 0; no default.
	Clip    float64
	MaxNorm float64 // W: largest ‖θ‖ that is answered, b/R̃ being the unit; 0: 16
	// Strength certifies the least eigenvalue for RelativeNoise, see [linear.RelativeGaussianDescent].
	Strength    query.Certificate
	NoIntercept bool
}

// LocalFit is the mechanism of [Training]; Coordinator asks the questions. A price needs none.
type LocalFit struct {
	Training    `dp:"inline"`
	Coordinator models.Coordinator `dp:"-"`
}

func (LocalFit) Kind() kind.Kind {
	return kind.Kind{Name: "train/local", Law: 1, Call: "TrainLocally", Was: "dpkit.localTraining"}
}

func (l LocalFit) maxNorm() float64 { return cmp.Or(l.MaxNorm, 16) }

func (l LocalFit) Asks() bool { return l.Strength.Ground() == stage.FromTest }

func (l LocalFit) Scope() accountant.Scope {
	return linear.LeastSquares{Settings: linear.Settings{Strength: l.Strength}}.Scope()
}

// Budget is a target that steps can take shares of: that of a Gaussian mechanism.
func (l LocalFit) Budget() accountant.Budget {
	if l.Noise == models.ClippedNoise {
		return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
	}
	return accountant.Budget{}
}

func (l LocalFit) check(in frames.Schema) error {
	if l.Rounds < 1 || l.Rounds > linear.MaxDescentSteps {
		return fmt.Errorf("rounds T: got %d, want 1 to %d: %w", l.Rounds, linear.MaxDescentSteps, kind.ErrParameter)
	}
	if !(l.Ridge >= 1e-6 && l.Ridge <= 1e6) {
		return fmt.Errorf("ridge: got %g, want a number in [1e-6, 1e6], the same on all nodes: %w", l.Ridge, kind.ErrParameter)
	}
	if w := l.maxNorm(); !(w >= 1e-6 && w <= 1e6) {
		return fmt.Errorf("MaxNorm: got %g, want a number in [1e-6, 1e6], or 0 for 16: %w", w, kind.ErrParameter)
	}
	switch l.Noise {
	case models.RelativeNoise:
		if l.Clip != 0 {
			return fmt.Errorf("clip: it is for ClippedNoise: %w", kind.ErrParameter)
		}
	case models.ClippedNoise:
		if !(l.Clip >= 1e-9 && l.Clip <= 1e9) {
			return fmt.Errorf("clip: got %g, want a number in [1e-9, 1e9], in units of R̃b: %w", l.Clip, kind.ErrParameter)
		}
		if l.Strength.Given() {
			return fmt.Errorf("strength: it is for RelativeNoise: %w", kind.ErrParameter)
		}
	default:
		return fmt.Errorf("noise: got %q, want RelativeNoise or ClippedNoise: %w", string(l.Noise), kind.ErrParameter)
	}
	return l.linear().Check(in)
}

// linear is the descent whose gradients are told.
func (l LocalFit) linear() linear.LeastSquares {
	o := linear.Settings{Epsilon: l.Epsilon, Delta: l.Delta, NoIntercept: l.NoIntercept, Ridge: l.Ridge, LabelScale: 1, Method: models.AdaSSP}
	if l.Noise == models.RelativeNoise {
		o.Method, o.Steps, o.Strength = models.RelativeGaussianDescent, l.Rounds, l.Strength
	}
	return linear.LeastSquares{Settings: o}
}

// AnswererOf settles what answers the questions. Errors wrap [kind.ErrParameter], [stage.ErrColumn], and [stage.ErrOrder] for
// a label that a step displaced.
func (l LocalFit) AnswererOf(st stage.Stage) (answerer, error) {
	if err := l.check(st.In); err != nil {
		return nil, err
	}
	lin := l.linear()
	if err := lin.Target().Validate(); err != nil {
		return nil, err
	}
	dom, err := linear.LinearDomainOf(st, 1, !l.NoIntercept)
	if err != nil {
		return nil, err
	}
	wide := l.maxNorm() * dom.Height / dom.Rx
	if l.Noise == models.ClippedNoise {
		return newClippedGradients(l.Training, dom, st, wide)
	}
	r, err := linear.NewRelativeDescent(lin, dom, st, wide)
	if err != nil {
		return nil, err
	}
	return &relativeGradients{r}, r.Finish()
}

func (l LocalFit) Settle(st stage.Stage) (mechanism.Settled[models.LocalModel], error) {
	a, err := l.AnswererOf(st)
	if err != nil {
		return mechanism.Settled[models.LocalModel]{}, err
	}
	b, err := a.bill(kind.Describe(l))
	dom := a.Domain()
	return mechanism.Settled[models.LocalModel]{Bill: b, Read: func(ctx context.Context, in rows.Driver) (mechanism.Draws[models.LocalModel], error) {
		begin, err := a.Read(ctx, in)
		return func(ctx context.Context, rng *noise.Source) (models.LocalModel, error) {
			rng.Rekey()
			facts, answer, err := begin(ctx, rng)
			if err != nil {
				return models.LocalModel{}, err
			}
			facts.Dim, facts.Rows, facts.Rounds = dom.Coefficients(), dom.N, l.Rounds
			facts.MaxNorm = l.maxNorm() * dom.Height / dom.Rx
			return l.converse(ctx, st, dom, facts, answer)
		}, err
	}}, err
}

// Ready reports that there is nobody to train with, before anything is charged.
func (l LocalFit) Ready() error {
	if l.Coordinator == nil {
		return fmt.Errorf("coordinator: got none, want one that asks: %w", kind.ErrParameter)
	}
	return nil
}

// converse leads the conversation; answer draws a private gradient.
func (l LocalFit) converse(ctx context.Context, st stage.Stage, dom *linear.LinearDomain, facts models.LocalFacts, answer func([]float64) ([]float64, error)) (models.LocalModel, error) {
	out := models.LocalModel{Facts: facts}
	if err := l.Coordinator.Begin(ctx, facts); err != nil {
		return models.LocalModel{}, fmt.Errorf("coordinator: %w", err)
	}
	for t := 0; ; t++ {
		theta, err := l.Coordinator.Point(ctx, t)
		if err != nil {
			return models.LocalModel{}, fmt.Errorf("coordinator: round %d: %w", t+1, err)
		}
		// A point is public: it was chosen from what was released.
		var square float64
		for _, v := range theta {
			square += v * v
		}
		if len(theta) != facts.Dim || !(square <= facts.MaxNorm*facts.MaxNorm*(1+1e-9)) { // NaN fails
			return models.LocalModel{}, fmt.Errorf("coordinator: round %d: got a point of %d numbers and norm %g, want %d and a norm of at most %g: %w", t+1, len(theta), math.Sqrt(square), facts.Dim, facts.MaxNorm, kind.ErrParameter)
		}
		theta = append([]float64{}, theta...)
		out.Points = append(out.Points, theta)
		if t == l.Rounds {
			m := dom.Model(st.In, linear.Coefficients{Method: models.LocalMethod(l.Noise), W: theta})
			out.LinearModel = models.WithLaw(m, &coefficient.Law{Law: coefficient.OfCoordinator})
			return out, nil
		}
		g, err := answer(theta)
		if err != nil {
			return models.LocalModel{}, err
		}
		out.Answers = append(out.Answers, g)
		if err := l.Coordinator.Answer(ctx, t, g); err != nil {
			return models.LocalModel{}, fmt.Errorf("coordinator: round %d: %w", t+1, err)
		}
	}
}

// Exact tells exact gradients.
func (l LocalFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LocalModel, error) {
	if err := l.check(st.In); err != nil {
		return models.LocalModel{}, err
	}
	dom, err := linear.LinearDomainOf(st, 1, !l.NoIntercept)
	if err != nil {
		return models.LocalModel{}, err
	}
	m, err := dom.NormalEquations(ctx, in)
	if err != nil {
		return models.LocalModel{}, err
	}
	r := &linear.RelativeDescent{LinearDomain: dom}
	r.Lambda = l.Ridge * dom.Rx * dom.Rx
	facts := models.LocalFacts{Dim: dom.Coefficients(), Rows: dom.N, Rounds: l.Rounds, Lipschitz: r.Lipschitz(), MaxNorm: l.maxNorm() * dom.Height / dom.Rx}
	return l.converse(ctx, st, dom, facts, func(theta []float64) ([]float64, error) { return r.At(m, theta), nil })
}
