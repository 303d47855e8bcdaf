package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// GradientNoise says how a node of [Pipeline.TrainLocally] hides its gradients.
type GradientNoise string

const (
	// RelativeNoise is the relative Gaussian mechanism: noise that grows with the gradient's norm, and no clipping of
	// gradients (Hendrikx, Mangold, Bellet 2025, corrected as [RelativeGaussianDescent]).
	RelativeNoise GradientNoise = "relative"
	// ClippedNoise clips the gradient of every row to Clip and adds Gaussian noise (Abadi et al. 2016, on all rows).
	ClippedNoise GradientNoise = "clipped"
)

// LocalTraining is one node's part in training ridge regression on several nodes, each with rows and a ledger of its own, which
// exchange gradients that are private already: local differential privacy of datasets. Before the first round the node
// charges its ledger for all of them; then it answers Rounds questions, and no more.
//
// Rows and labels are scaled by public bounds: a row (x, c) with the constant feature, and v in [−b, b], b = R̃. All nodes have the
// same schema and chain of public steps, so that a point θ means the same to them. A node's objective is
// f(θ) = (1/2n) Σ (⟨x, θ⟩ − v)² + (λ/2)‖θ‖².
type LocalTraining struct {
	Epsilon, Delta float64 // target of all rounds together; no defaults
	Rounds         int     // T; no default
	Noise          GradientNoise
	Ridge          float64 // λ in units of R̃², above 0: the same on all nodes
	// Clip of ClippedNoise is the bound on a row's gradient in units of R̃b, what a row has at most at θ = 0; no default.
	Clip    float64
	MaxNorm float64 // W: largest ‖θ‖ that is answered, b/R̃ being the unit; 0: 16
	// Strength certifies the least eigenvalue for RelativeNoise, see [Linear].
	Strength    Certificate
	NoIntercept bool
}

// TrainLocally answers a coordinator's questions with private gradients. Release charges the ledger for all rounds, then
// leads the conversation; if it ends early the charge stands. A release that is replayed has no conversation: see
// [LocalModel.Replay]. The coordinator is no part of the release's identity: whoever asks, answers are private.
//
//go:noinline
func (p Pipeline) TrainLocally(o LocalTraining, c Coordinator) Plan[LocalModel] {
	return newPlan[LocalModel](p, localTraining{o, c})
}

type localTraining struct {
	LocalTraining `dp:"inline"`
	coordinator   Coordinator `dp:"-"`
}

func (localTraining) kind() kind {
	return kind{"train/local", 1, "TrainLocally", "dpkit.localTraining"}
}

func (l localTraining) maxNorm() float64 { return orDefault(l.MaxNorm, 16) }

func (l localTraining) asks() bool { return l.Strength.ground == FromTest }

func (l localTraining) scope() accountant.Scope { return linear{Linear{Strength: l.Strength}}.scope() }

// budget is a target that steps can take shares of: that of a Gaussian mechanism.
func (l localTraining) budget() accountant.Budget {
	if l.Noise == ClippedNoise {
		return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
	}
	return accountant.Budget{}
}

func (l localTraining) check(in frames.Schema) error {
	if l.Rounds < 1 || l.Rounds > maxDescentSteps {
		return fmt.Errorf("rounds T: got %d, want 1 to %d: %w", l.Rounds, maxDescentSteps, ErrParameter)
	}
	if !(l.Ridge >= 1e-6 && l.Ridge <= 1e6) {
		return fmt.Errorf("ridge: got %g, want a number in [1e-6, 1e6], the same on all nodes: %w", l.Ridge, ErrParameter)
	}
	if w := l.maxNorm(); !(w >= 1e-6 && w <= 1e6) {
		return fmt.Errorf("MaxNorm: got %g, want a number in [1e-6, 1e6], or 0 for 16: %w", w, ErrParameter)
	}
	switch l.Noise {
	case RelativeNoise:
		if l.Clip != 0 {
			return fmt.Errorf("clip: it is for ClippedNoise: %w", ErrParameter)
		}
	case ClippedNoise:
		if !(l.Clip >= 1e-9 && l.Clip <= 1e9) {
			return fmt.Errorf("clip: got %g, want a number in [1e-9, 1e9], in units of R̃b: %w", l.Clip, ErrParameter)
		}
		if l.Strength.given() {
			return fmt.Errorf("strength: it is for RelativeNoise: %w", ErrParameter)
		}
	default:
		return fmt.Errorf("noise: got %q, want RelativeNoise or ClippedNoise: %w", string(l.Noise), ErrParameter)
	}
	return l.linear().check(in)
}

// linear is the descent whose gradients are told.
func (l localTraining) linear() linear {
	o := Linear{Epsilon: l.Epsilon, Delta: l.Delta, NoIntercept: l.NoIntercept, Ridge: l.Ridge, LabelScale: 1, Method: AdaSSP}
	if l.Noise == RelativeNoise {
		o.Method, o.Steps, o.Strength = RelativeGaussianDescent, l.Rounds, l.Strength
	}
	return linear{o}
}

func (l localTraining) settle(st Stage) (answerer, error) {
	if err := l.check(st.In); err != nil {
		return nil, err
	}
	lin := l.linear()
	if err := lin.target().Validate(); err != nil {
		return nil, err
	}
	if label, _ := st.In.Label(); st.Taint[label.Name] {
		return nil, fmt.Errorf("the label %q is displaced by an earlier step, want one that is as it was read: %w", label.Name, ErrOrder)
	}
	dom, err := linearDomainOf(st, 1, !l.NoIntercept)
	if err != nil {
		return nil, err
	}
	wide := l.maxNorm() * dom.height / dom.rx
	if l.Noise == ClippedNoise {
		return newClippedGradients(l.LocalTraining, dom, st, wide)
	}
	r, err := newRelativeDescent(lin, dom, st, wide)
	if err != nil {
		return nil, err
	}
	return &relativeGradients{r}, r.finish()
}

func (l localTraining) Settle(st Stage) (settled[LocalModel], error) {
	a, err := l.settle(st)
	if err != nil {
		return settled[LocalModel]{}, err
	}
	b, err := a.bill(describe(l))
	dom := a.domain()
	return settled[LocalModel]{bill: b, read: func(ctx context.Context, in driver) (draws[LocalModel], error) {
		begin, err := a.read(ctx, in)
		return func(ctx context.Context, rng *noise.Source) (LocalModel, error) {
			rng.Rekey()
			facts, answer, err := begin(ctx, rng)
			if err != nil {
				return LocalModel{}, err
			}
			facts.Dim, facts.Rows, facts.Rounds = dom.coefficients(), dom.n, l.Rounds
			facts.MaxNorm = l.maxNorm() * dom.height / dom.rx
			return l.converse(ctx, st, dom, facts, answer)
		}, err
	}}, err
}

// localMethod names the fit in its model.
func localMethod(noise GradientNoise) LinearMethod {
	if noise == ClippedNoise {
		return localClipped
	}
	return localRelative
}

// ready reports that there is nobody to train with, before anything is charged.
func (l localTraining) ready() error {
	if l.coordinator == nil {
		return fmt.Errorf("coordinator: got none, want one that asks: %w", ErrParameter)
	}
	return nil
}

// converse leads the conversation; answer draws a private gradient.
func (l localTraining) converse(ctx context.Context, st Stage, dom *linearDomain, facts LocalFacts, answer func([]float64) ([]float64, error)) (LocalModel, error) {
	out := LocalModel{Facts: facts}
	if err := l.coordinator.Begin(ctx, facts); err != nil {
		return LocalModel{}, fmt.Errorf("coordinator: %w", err)
	}
	for t := 0; ; t++ {
		theta, err := l.coordinator.Point(ctx, t)
		if err != nil {
			return LocalModel{}, fmt.Errorf("coordinator: round %d: %w", t+1, err)
		}
		// A point is public: it was chosen from what was released.
		var square float64
		for _, v := range theta {
			square += v * v
		}
		if len(theta) != facts.Dim || !(square <= facts.MaxNorm*facts.MaxNorm*(1+1e-9)) { // NaN fails
			return LocalModel{}, fmt.Errorf("coordinator: round %d: got a point of %d numbers and norm %g, want %d and a norm of at most %g: %w", t+1, len(theta), math.Sqrt(square), facts.Dim, facts.MaxNorm, ErrParameter)
		}
		theta = append([]float64{}, theta...)
		out.Points = append(out.Points, theta)
		if t == l.Rounds {
			out.LinearModel = dom.model(st.In, coefficients{method: localMethod(l.Noise), w: theta})
			return out, nil
		}
		g, err := answer(theta)
		if err != nil {
			return LocalModel{}, err
		}
		out.Answers = append(out.Answers, g)
		if err := l.coordinator.Answer(ctx, t, g); err != nil {
			return LocalModel{}, fmt.Errorf("coordinator: round %d: %w", t+1, err)
		}
	}
}

// Exact tells exact gradients.
func (l localTraining) Exact(ctx context.Context, in driver, st Stage) (LocalModel, error) {
	if err := l.check(st.In); err != nil {
		return LocalModel{}, err
	}
	dom, err := linearDomainOf(st, 1, !l.NoIntercept)
	if err != nil {
		return LocalModel{}, err
	}
	m, err := dom.moments(ctx, in)
	if err != nil {
		return LocalModel{}, err
	}
	r := &relativeDescent{linearDomain: dom}
	r.lambda = l.Ridge * dom.rx * dom.rx
	facts := LocalFacts{Dim: dom.coefficients(), Rows: dom.n, Rounds: l.Rounds, Lipschitz: r.lipschitz(), MaxNorm: l.maxNorm() * dom.height / dom.rx}
	return l.converse(ctx, st, dom, facts, func(theta []float64) ([]float64, error) { return r.at(m, theta), nil })
}
