package steps

import (
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

func (b Ball) Deduper(keys []string) stage.Preprocessor { return BallDedup{b, keys} }

// BallDedup is Dedup(Ball{…}): of the rows of a good cluster the centre stays. Keys are what is compared; without any, whole
// rows.
type BallDedup struct {
	Ball
	Keys []string
}

func (BallDedup) Kind() kind.Kind {
	return kind.Kind{Name: "dedup/ball", Law: 1, Call: "Dedup", Was: "dpkit.ballDedup"}
}

func (b BallDedup) Check(in frames.Schema) (frames.Schema, error) {
	k, err := rows.KeysOf(in, b.Keys)
	if err != nil {
		return in, err
	}
	return in, b.check(in, k)
}

// Propagate is by [DedupFreed]. A row that is there on one side only differs by its whole contribution,
// whatever η is: it becomes a free row.
func (b BallDedup) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := dedupable(st); err != nil {
		return stage.Propagation{}, err
	}
	k, err := rows.KeysOf(st.In, b.Keys)
	if err != nil {
		return stage.Propagation{}, err
	}
	d, p := len(k.Numeric), st.Before
	pr, err := removal(st, p, DedupFreed(b.Ball, d, p.F, p.N),
		"a row that changes can destroy good clusters, whose rows all come back: each of them is paid for as a row that changes",
		"Hu, Sanyal, Schölkopf 2024, Prop. 3, corrected (preprocessing Theorem 1.1)")
	pr.Scope = b.scope()
	pr.Constants = slices.Concat(b.clusterConstants(d, p.N), []stage.Constant{
		{Symbol: "Δ∞", Value: DedupRows(b.Ball, d, p.N), Origin: stage.FromConstruction, Meaning: "rows that are removed on one side only when one row is replaced"},
	}, pr.Constants)
	return pr, err
}

func (b BallDedup) Expenses(st stage.Stage) ([]query.Expense, error) { return b.blockExpenses(st), nil }

func (b BallDedup) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	k, err := rows.KeysOf(st.In, b.Keys)
	if err != nil {
		return nil, err
	}
	return b.measureBlock(ctx, in, st, k)
}

func (b BallDedup) WithBounds(st stage.Stage, v []float64) stage.Preprocessor {
	b.Ball = b.withBlock(st, v)
	return b
}

// Fit copies the rows; Rewrite removes the duplicates.
func (b BallDedup) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

func (b BallDedup) Rewrite(ctx context.Context, m *rows.Matrix, st stage.Stage) error {
	k, err := rows.KeysOf(st.In, b.Keys)
	if err != nil {
		return err
	}
	return m.GoodClusters(ctx, k, st.In, b.Eta, func(rows []int32, centre int) {
		if !b.changes(len(rows)) {
			return
		}
		for _, r := range rows {
			if int(r) != centre {
				m.Remove(int(r))
			}
		}
	})
}

// Deploy is the identity: rows to predict are not deduplicated.
func (b BallDedup) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }
