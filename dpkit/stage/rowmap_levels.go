package stage

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// LevelsOp replaces the code Codes[i] of a text or level in a column by that of level Levels[i], and every other by Other. Missing cells stay.
type LevelsOp struct {
	Column int       `json:"column"`
	Codes  []float64 `json:"codes"`
	Levels []int     `json:"levels"`
	Other  int       `json:"other"`
}

func (op *LevelsOp) compile(in int) (num.Block, int, error) {
	if err := positions([]int{op.Column}, in); err != nil {
		return nil, 0, fmt.Errorf("levels: %w", err)
	}
	if len(op.Codes) != len(op.Levels) || op.Other < 0 {
		return nil, 0, fmt.Errorf("levels: got %d codes of %d levels and the other level %d, want as many and one from 0 on", len(op.Codes), len(op.Levels), op.Other)
	}
	of := make(map[float64]float64, len(op.Codes))
	for i, code := range op.Codes {
		if _, twice := of[code]; twice || math.IsNaN(code) || op.Levels[i] < 0 {
			return nil, 0, fmt.Errorf("levels: code %d is no number, or there twice, or of a level below 0", i+1)
		}
		of[code] = float64(op.Levels[i])
	}
	other := float64(op.Other)
	return num.Columns([]int{op.Column}, func(_ int, x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		if level, ok := of[x]; ok {
			return level
		}
		return other
	}), in, nil
}
