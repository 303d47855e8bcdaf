package models

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// LocalFacts are what a node tells of itself: public parameters, and what it has released.
type LocalFacts struct {
	Dim       int     `json:"dim"`       // length of θ
	Rows      int     `json:"rows"`      // n
	Rounds    int     `json:"rounds"`    // T
	Lipschitz float64 `json:"lipschitz"` // L: public bound on the curvature of f
	Gamma     float64 `json:"gamma"`     // noise variance relative to ‖gradient‖²; 0 for ClippedNoise
	MaxNorm   float64 `json:"max_norm"`  // W
}

// A Coordinator leads the training: it is asked for a point and told the answer.
type Coordinator interface {
	// Begin is told the node's facts.
	Begin(ctx context.Context, f LocalFacts) error
	// Point returns the point of a round, from 0; at round T it is the result.
	Point(ctx context.Context, round int) ([]float64, error)
	// Answer is told the private gradient there.
	Answer(ctx context.Context, round int, gradient []float64) error
}

// LocalModel is what a node releases: the model at the last point, and every answer that it gave.
type LocalModel struct {
	LinearModel
	Facts   LocalFacts  `json:"facts"`
	Points  [][]float64 `json:"points"`  // T + 1 of them
	Answers [][]float64 `json:"answers"` // T private gradients
}

// Replay tells a coordinator the recorded answers again: after a release that was replayed. It fails where the
// coordinator asks for another point than then: a new answer is a new release.
func (m *LocalModel) Replay(ctx context.Context, c Coordinator) error {
	if len(m.Points) != len(m.Answers)+1 {
		return fmt.Errorf("dpkit: replay: got %d points and %d answers, want a model that TrainLocally released: %w", len(m.Points), len(m.Answers), kind.ErrParameter)
	}
	if err := c.Begin(ctx, m.Facts); err != nil {
		return fmt.Errorf("dpkit: replay: %w", err)
	}
	for t, was := range m.Points {
		theta, err := c.Point(ctx, t)
		if err != nil {
			return fmt.Errorf("dpkit: replay: round %d: %w", t+1, err)
		}
		if len(theta) != len(was) {
			return fmt.Errorf("dpkit: replay: round %d: got a point of %d numbers, want %d: %w", t+1, len(theta), len(was), kind.ErrParameter)
		}
		for j := range was {
			if theta[j] != was[j] {
				return fmt.Errorf("dpkit: replay: round %d: the ledger holds the answer at another point; release it Fresh, which is paid for: %w", t+1, kind.ErrParameter)
			}
		}
		if t < len(m.Answers) {
			if err := c.Answer(ctx, t, m.Answers[t]); err != nil {
				return fmt.Errorf("dpkit: replay: round %d: %w", t+1, err)
			}
		}
	}
	return nil
}

// localFile has the model as a part: its own methods would hide the answers.
type localFile struct {
	modelHeader
	Model   LinearModel `json:"model"`
	Facts   LocalFacts  `json:"facts"`
	Points  [][]float64 `json:"points"`
	Answers [][]float64 `json:"answers"`
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model with what its node said.
func (m LocalModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(localFile{modelHeader{localKind, modelVersion}, m.LinearModel, m.Facts, m.Points, m.Answers})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model with what its node said.
func (m *LocalModel) UnmarshalJSON(data []byte) error {
	return readModel(data, localKind, m, func(f localFile) LocalModel { return LocalModel{f.Model, f.Facts, f.Points, f.Answers} })
}
