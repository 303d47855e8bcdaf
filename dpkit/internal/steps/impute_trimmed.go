package steps

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TrimmedMean imputes numeric columns by trimmed means, fitted without noise and priced: the mean
// of the central share 1 − 2·Trim of the observed values, padded to at least Pad of them with the
// public midpoint. It resists outliers and costs 1/(1 − 2·Trim) times what [Mean] costs.
type TrimmedMean struct {
	// Trim is the share cut from either end, 0 < Trim < 1/2; there is no default.
	Trim float64
	// Pad is m0, as in [Mean]; 0 means n.
	Pad int
	// MaxMissing and MinObserved are as in [Mean].
	MaxMissing, MinObserved query.Certificate
}

func (m TrimmedMean) Imputer(columns []string) stage.Preprocessor {
	return TrimmedImpute{m, ColumnSet(columns)}
}

// TrimmedImpute is Impute(TrimmedMean{…}): trimmed means are fitted without noise and priced. What its certificates test or
// bound is asked for first.
type TrimmedImpute struct {
	TrimmedMean
	Columns ColumnSet
}

func (TrimmedImpute) Kind() kind.Kind {
	return kind.Kind{Name: "impute/trimmed-mean", Law: 1, Call: "Impute", Was: "dpkit.trimmedImpute"}
}

func (TrimmedImpute) LabelBlind() {}

// mean is the imputer by means with the same floor and certificate.
func (m TrimmedImpute) mean() MeanImpute {
	return MeanImpute{Mean{Pad: m.Pad, MaxMissing: m.MaxMissing, MinObserved: m.MinObserved}, m.Columns}
}

func (m TrimmedImpute) Expenses(st stage.Stage) ([]query.Expense, error) {
	return m.mean().Expenses(st)
}

func (m TrimmedImpute) WithBounds(st stage.Stage, b []float64) stage.Preprocessor {
	c := m.mean().masks()
	c.withBounds(st, b)
	m.MaxMissing, m.MinObserved = c.missing, c.observed
	return m
}

func (m TrimmedImpute) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	return m.mean().Measure(ctx, in, st)
}

func (m TrimmedImpute) Check(in frames.Schema) (frames.Schema, error) {
	if !(m.Trim > 0) || !(m.Trim < 0.5) {
		return in, fmt.Errorf("share Trim: got %g, want a share strictly between 0 and 1/2: %w", m.Trim, kind.ErrParameter)
	}
	us, out, err := m.Columns.units(in)
	if err != nil {
		return in, err
	}
	for _, u := range us {
		if u.Block {
			return in, fmt.Errorf("column %q encodes a category, which has no order; impute it by Mean{} or Midpoint{}: %w", u.Name, stage.ErrColumn)
		}
	}
	return out, errors.Join(m.mean().checkPad(), m.mean().masks().check())
}

// kappa is the weight bound of the L-statistic: J = κ on [Trim, 1 − Trim], 0 elsewhere.
func (m TrimmedImpute) kappa() float64 { return 1 / (1 - 2*m.Trim) }

func (m TrimmedImpute) Propagate(st stage.Stage) (stage.Propagation, error) {
	pr, err := m.mean().propagate(st, stage.Up(m.kappa()))
	pr.Note = "trimmed means of private rows fill missing cells: every such row moves when one row changes"
	return pr, err
}

func (m TrimmedImpute) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	theta := defaults(us, st.In.Width())
	windows := make([]Window, len(us))
	for k, u := range us {
		windows[k] = Window{
			column: u.At, Grid: gridOf(u), Lo: u.Lo, Hi: u.Hi,
			From: m.Trim, To: 1 - m.Trim, pad: theta[u.At], Floor: m.mean().floor(st.Before.N),
		}
	}
	means, err := WindowMeans(ctx, in, windows)
	if err != nil {
		return nil, err
	}
	for k, u := range us {
		theta[u.At] = means[k]
	}
	return fillWith(stage.Hide(theta), st), nil
}

func (m TrimmedImpute) Deploy(st stage.Stage) (stage.RowMap, error) {
	return m.mean().Deploy(st)
}

var _ stage.Deployer = TrimmedImpute{}
