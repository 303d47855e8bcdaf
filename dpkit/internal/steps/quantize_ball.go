package steps

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// BallQuantize is dpkit.Pipeline.QuantizeBall: the rows of a good cluster move to its centre.
type BallQuantize struct{ Ball }

func (BallQuantize) Kind() kind.Kind {
	return kind.Kind{Name: "quantize/ball", Law: 1, Call: "QuantizeBall", Was: "dpkit.ballQuantize"}
}

// keys are all features, without the label.
func (b BallQuantize) keys(in frames.Schema) (rows.KeySet, error) {
	k, err := rows.KeysOf(in, nil)
	k.Label = false
	return k, err
}

func (b BallQuantize) Check(in frames.Schema) (frames.Schema, error) {
	k, err := b.keys(in)
	if err != nil {
		return in, err
	}
	return in, b.check(in, k)
}

func (b BallQuantize) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := dedupable(st); err != nil {
		return stage.Propagation{}, err
	}
	k, err := b.keys(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	d := len(k.Numeric)
	rounded := b.Ball
	rounded.Eta = stage.Up(b.Eta * rows.Stretch(d)) // distances are those of rounded coordinates
	bounds := QuantizeBounds(rounded, d, st.Before)
	bounds.A1, bounds.AF, bounds.AInf = stage.Up(bounds.A1), stage.Up(bounds.AF), stage.Up(bounds.AInf)
	q, err := st.Before.Propagate(bounds)
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(k.Numbers(st.In)...), Scope: b.scope(), Role: stage.RoleNonPrivate,
		Constants: append(b.clusterConstants(d, st.Before.N), []stage.Constant{
			{Symbol: "a1", Value: bounds.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row"},
			{Symbol: "a∞", Value: bounds.AInf, Origin: stage.FromConstruction, Meaning: "displacement of one common row by one replaced row: 2η"},
			{Symbol: "Δ∞", Value: float64(bounds.Affected), Origin: stage.FromConstruction, Meaning: "common rows that may be displaced"},
			{Symbol: "R", Value: q.R, Origin: stage.FromConstruction, Meaning: "rows move onto rows"},
		}...),
		Note:      "a row that changes can destroy good clusters, whose rows all move back, or change their centres",
		Reference: "Hu, Sanyal, Schölkopf 2024, Prop. 3, corrected (preprocessing Theorem 1.1)",
	}, err
}

func (b BallQuantize) Expenses(st stage.Stage) ([]query.Expense, error) {
	return b.blockExpenses(st), nil
}

func (b BallQuantize) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	k, err := b.keys(st.In)
	if err != nil {
		return nil, err
	}
	return b.measureBlock(ctx, in, st, k)
}

func (b BallQuantize) WithBounds(st stage.Stage, v []float64) stage.Preprocessor {
	b.Ball = b.withBlock(st, v)
	return b
}

// Fit copies the rows; Rewrite moves them.
func (b BallQuantize) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

func (b BallQuantize) Rewrite(ctx context.Context, m *rows.Matrix, st stage.Stage) error {
	k, err := b.keys(st.In)
	if err != nil {
		return err
	}
	return m.GoodClusters(ctx, k, st.In, b.Eta, func(rows []int32, centre int) {
		if !b.changes(len(rows)) {
			return
		}
		for _, r := range rows {
			copy(m.Row(int(r)), m.Row(centre))
		}
	})
}

// Deploy is the identity: rows to predict stay as they are.
func (b BallQuantize) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }
