package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
)

// Suggestion is a choice of the parameters that were left open, and why.
type Suggestion = gradient.Suggestion

// SuggestGradient settles the parameters of g that are 0 as [Pipeline.FitByGradient] does, from public facts alone: n, d, the
// bounds and the target. No row is read, and nothing is charged. The rules were chosen on simulated populations.
func (p Pipeline) SuggestGradient(g Gradient) (Suggestion, error) {
	g.Loss, g.Solver = kind.PointedTo(g.Loss), kind.PointedTo(g.Solver)
	q, err := p.FitByGradient(g).plan().quote()
	if err != nil {
		return Suggestion{}, err
	}
	if p.s.mode == modePublic {
		return Suggestion{}, fmt.Errorf("dpkit: suggest: the data was declared public: there is nothing to choose: %w", ErrParameter)
	}
	f, err := gradient.GradientFit{Gradient: g}.Plan(q.end)
	if err != nil {
		return Suggestion{}, fmt.Errorf("dpkit: suggest: %w", err)
	}
	return f.Suggestion(g, q.end), nil
}
