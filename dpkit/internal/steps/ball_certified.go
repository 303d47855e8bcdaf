package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The certificate of [Ball].

func (b Ball) checkBlock() error {
	if b.MaxCluster != 0 || b.Declared {
		return fmt.Errorf("got MaxBlock and MaxCluster or Declared, want MaxBlock alone: %w", kind.ErrParameter)
	}
	if err := query.CheckCertificate(b.MaxBlock, "rows of the largest block"); err != nil {
		return err
	}
	if b.MaxBlock.Known() && !query.IsDrawn(b.MaxBlock) && b.MaxBlock.Value() < 2 {
		return fmt.Errorf("rows of the largest block: got %g, want at least 2: %w", b.MaxBlock.Value(), kind.ErrParameter)
	}
	return nil
}

// block is p, the rows of the largest block; n where nothing is known.
func (b Ball) block(n int) float64 {
	if b.MaxBlock.Known() {
		return num.Clamp(math.Floor(b.MaxBlock.Value()), 2, float64(max(n, 2)))
	}
	return float64(max(n, 2))
}

func (b Ball) blockAtMost() string {
	if query.IsOpen(b.MaxBlock) {
		return fmt.Sprintf("a bound on the rows of a block of cells of side 8η, η = %g", b.Eta)
	}
	return fmt.Sprintf("at most %g rows in a block of cells of side 8η, η = %g", b.MaxBlock.Value(), b.Eta)
}

// blockRows bounds the common rows whose fate differs when f rows of n are replaced, on both sides
// together, where no block has more than p rows: 2f(p − 1), at most n − f (docs/theory/preprocessing.md#certified-blocks).
//
// Proof. Let x be such a row of A, in the notation of ClusterFreed. It lies in a cluster C that is good on
// one side, X' say, and is not the same on the other. By that proof a row z of Z lies within 3η of a row
// of A that is a centre of C, hence within 4η of x; or C holds a row z of Z', within 2η of x. A cell is 8η
// wide, so that x and z lie in one block, on the side that z is on. So every x shares a block with one of
// the 2f free rows, and beside that row there are p − 1 others at most in it. Only the two ends were used. ∎
//
// As in ClusterFreed, all of them can be kept on the same side, so that f' = f + 2f(p − 1); under add/remove
// both sides together have at most (2f − 1)p ≤ 2f' − 1 rows that differ.
func blockRows(p float64, f, n int) float64 {
	return min(2*float64(f)*(p-1), float64(n-f))
}

// blockExpenses: the largest block changes by 1 at most for each free row; its keys are clean.
func (b Ball) blockExpenses(st stage.Stage) []query.Expense {
	if b.MaxBlock.Ground() != stage.FromTest {
		return nil
	}
	return []query.Expense{query.ExpenseOf(b.MaxBlock, b.blockAtMost(), -b.MaxBlock.Value(), query.GaussianQuery{
		Coordinates: 1, Sensitivity: float64(st.Before.F), Max: float64(st.Before.N),
	})}
}

func (b Ball) measureBlock(ctx context.Context, in frames.Source, st stage.Stage, k rows.KeySet) ([][]float64, error) {
	if b.MaxBlock.Ground() != stage.FromTest {
		return nil, nil
	}
	m, err := rows.Materialise(ctx, in, st.In, stage.ByRow(CopyRow))
	if err != nil {
		return nil, err
	}
	largest, err := m.LargestBlock(ctx, k, st.In, b.Eta)
	return [][]float64{{-float64(largest)}}, err
}

// withBlock reads the private bound.
func (b Ball) withBlock(st stage.Stage, v []float64) Ball {
	b.MaxBlock = query.Found(b.MaxBlock, num.Clamp(math.Floor(-v[0]), 2, float64(max(st.Before.N, 2))))
	return b
}
