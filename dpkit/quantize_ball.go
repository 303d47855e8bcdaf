package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// QuantizeBall moves the features of all rows of a good cluster to those of its centre (see [Ball]).
// Labels stay, and have no say in which rows are close. Put it before the steps that are fitted to
// the data. The cells of a public grid ([Pipeline.Quantize]) do the same for nothing. At prediction
// time rows stay as they are.
func (p Pipeline) QuantizeBall(b Ball) Pipeline { return p.with(ballQuantize{b}) }

type ballQuantize struct{ Ball }

func (ballQuantize) kind() kind {
	return kind{"quantize/ball", 1, "QuantizeBall", "dpkit.ballQuantize"}
}

// keys are all features, without the label.
func (b ballQuantize) keys(in frames.Schema) (keySet, error) {
	k, err := keysOf(in, nil)
	k.label = false
	return k, err
}

func (b ballQuantize) Check(in frames.Schema) (frames.Schema, error) {
	k, err := b.keys(in)
	if err != nil {
		return in, err
	}
	return in, b.check(in, k)
}

func (b ballQuantize) Propagate(st Stage) (Propagation, error) {
	if err := dedupable(st); err != nil {
		return Propagation{}, err
	}
	k, err := b.keys(st.In)
	if err != nil {
		return Propagation{}, err
	}
	d := len(k.numeric)
	rounded := b.Ball
	rounded.Eta = up(b.Eta * stretch(d)) // distances are those of rounded coordinates
	bounds := rounded.quantizeBounds(d, st.Before)
	bounds.A1, bounds.AF, bounds.AInf = up(bounds.A1), up(bounds.AF), up(bounds.AInf)
	q, err := st.Before.Propagate(bounds)
	return Propagation{
		Pair: q, Taint: st.Taint.with(k.numbers(st.In)...), Scope: b.scope(), Role: RoleTrainOnly,
		Constants: append(b.clusterConstants(d, st.Before.N), []Constant{
			{"a1", bounds.A1, FromConstruction, "total displacement of the common rows by one replaced row"},
			{"a∞", bounds.AInf, FromConstruction, "displacement of one common row by one replaced row: 2η"},
			{"Δ∞", float64(bounds.Affected), FromConstruction, "common rows that may be displaced"},
			{"R", q.R, FromConstruction, "rows move onto rows"},
		}...),
		Note:      "a row that changes can destroy good clusters, whose rows all move back, or change their centres",
		Reference: "Hu, Sanyal, Schölkopf 2024, Prop. 3, corrected (preprocessing Theorem 1.1)",
	}, err
}

func (b ballQuantize) expenses(st Stage) ([]expense, error) { return b.blockExpenses(st), nil }

func (b ballQuantize) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	k, err := b.keys(st.In)
	if err != nil {
		return nil, err
	}
	return b.measureBlock(ctx, in, st, k)
}

func (b ballQuantize) withBounds(st Stage, v []float64) Preprocessor {
	b.Ball = b.withBlock(st, v)
	return b
}

// Fit copies the rows; rewrite moves them.
func (b ballQuantize) Fit(context.Context, frames.Source, Stage) (Transform, error) {
	return copyRow, nil
}

func (b ballQuantize) rewrite(ctx context.Context, m *matrix, st Stage) error {
	k, err := b.keys(st.In)
	if err != nil {
		return err
	}
	return m.goodClusters(ctx, k, st.In, b.Eta, func(rows []int32, centre int) {
		if !b.changes(len(rows)) {
			return
		}
		for _, r := range rows {
			copy(m.row(int(r)), m.row(centre))
		}
	})
}

// Deploy is the identity: rows to predict stay as they are.
func (b ballQuantize) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }
