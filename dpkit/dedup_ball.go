package dpkit

import (
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

func (b Ball) deduper(keys []string) Preprocessor { return ballDedup{b, keys} }

type ballDedup struct {
	Ball
	Keys []string
}

func (ballDedup) kind() kind { return kind{"dedup/ball", 1, "Dedup", "dpkit.ballDedup"} }

func (b ballDedup) Check(in frames.Schema) (frames.Schema, error) {
	k, err := keysOf(in, b.Keys)
	if err != nil {
		return in, err
	}
	return in, b.check(in, k)
}

// Propagate is dedupFreed. A row that is there on one side only differs by its whole contribution,
// whatever η is: it becomes a free row.
func (b ballDedup) Propagate(st Stage) (Propagation, error) {
	if err := dedupable(st); err != nil {
		return Propagation{}, err
	}
	k, err := keysOf(st.In, b.Keys)
	if err != nil {
		return Propagation{}, err
	}
	d, p := len(k.numeric), st.Before
	pr, err := removal(st, p, b.dedupFreed(d, p.F, p.N),
		"a row that changes can destroy good clusters, whose rows all come back: each of them is paid for as a row that changes",
		"Hu, Sanyal, Schölkopf 2024, Prop. 3, corrected (preprocessing Theorem 1.1)")
	pr.Scope = b.scope()
	pr.Constants = slices.Concat(b.clusterConstants(d, p.N), []Constant{
		{"Δ∞", b.dedupRows(d, p.N), FromConstruction, "rows that are removed on one side only when one row is replaced"},
	}, pr.Constants)
	return pr, err
}

func (b ballDedup) expenses(st Stage) ([]expense, error) { return b.blockExpenses(st), nil }

func (b ballDedup) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	k, err := keysOf(st.In, b.Keys)
	if err != nil {
		return nil, err
	}
	return b.measureBlock(ctx, in, st, k)
}

func (b ballDedup) withBounds(st Stage, v []float64) Preprocessor {
	b.Ball = b.withBlock(st, v)
	return b
}

// Fit copies the rows; rewrite removes the duplicates.
func (b ballDedup) Fit(context.Context, frames.Source, Stage) (Transform, error) {
	return copyRow, nil
}

func (b ballDedup) rewrite(ctx context.Context, m *matrix, st Stage) error {
	k, err := keysOf(st.In, b.Keys)
	if err != nil {
		return err
	}
	return m.goodClusters(ctx, k, st.In, b.Eta, func(rows []int32, centre int) {
		if !b.changes(len(rows)) {
			return
		}
		for _, r := range rows {
			if int(r) != centre {
				m.remove(int(r))
			}
		}
	})
}

// Deploy is the identity: rows to predict are not deduplicated.
func (b ballDedup) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }
