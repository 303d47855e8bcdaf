package dpkit

import (
	"context"
	"errors"
	"fmt"

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
	MaxMissing, MinObserved Certificate
}

func (m TrimmedMean) imputer(columns []string) Preprocessor {
	return trimmedImpute{m, columnSet(columns)}
}

type trimmedImpute struct {
	TrimmedMean
	Columns columnSet
}

func (trimmedImpute) kind() kind {
	return kind{"impute/trimmed-mean", 1, "Impute", "dpkit.trimmedImpute"}
}

func (trimmedImpute) labelBlind() {}

// mean is the imputer by means with the same floor and certificate.
func (m trimmedImpute) mean() meanImpute {
	return meanImpute{Mean{Pad: m.Pad, MaxMissing: m.MaxMissing, MinObserved: m.MinObserved}, m.Columns}
}

func (m trimmedImpute) expenses(st Stage) ([]expense, error) { return m.mean().expenses(st) }

func (m trimmedImpute) withBounds(st Stage, b []float64) Preprocessor {
	c := m.mean().masks()
	c.withBounds(st, b)
	m.MaxMissing, m.MinObserved = c.missing, c.observed
	return m
}

func (m trimmedImpute) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	return m.mean().measure(ctx, in, st)
}

func (m trimmedImpute) Check(in frames.Schema) (frames.Schema, error) {
	if !(m.Trim > 0) || !(m.Trim < 0.5) {
		return in, fmt.Errorf("share Trim: got %g, want a share strictly between 0 and 1/2: %w", m.Trim, ErrParameter)
	}
	us, out, err := m.Columns.units(in)
	if err != nil {
		return in, err
	}
	for _, u := range us {
		if u.block {
			return in, fmt.Errorf("column %q encodes a category, which has no order; impute it by Mean{} or Midpoint{}: %w", u.name, ErrColumn)
		}
	}
	return out, errors.Join(m.mean().checkPad(), m.mean().masks().check())
}

// kappa is the weight bound of the L-statistic: J = κ on [Trim, 1 − Trim], 0 elsewhere.
func (m trimmedImpute) kappa() float64 { return 1 / (1 - 2*m.Trim) }

func (m trimmedImpute) Propagate(st Stage) (Propagation, error) {
	pr, err := m.mean().propagate(st, up(m.kappa()))
	pr.Note = "trimmed means of private rows fill missing cells: every such row moves when one row changes"
	return pr, err
}

func (m trimmedImpute) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	theta := defaults(us, len(st.In.Features()))
	windows := make([]window, len(us))
	for k, u := range us {
		windows[k] = window{
			column: u.at, grid: gridOf(u), lo: u.lo, hi: u.hi,
			from: m.Trim, to: 1 - m.Trim, pad: theta[u.at], floor: m.mean().floor(st.Before.N),
		}
	}
	means, err := windowMeans(ctx, in, windows)
	if err != nil {
		return nil, err
	}
	for k, u := range us {
		theta[u.at] = means[k]
	}
	return fillWith(hide(theta), st), nil
}

func (m trimmedImpute) Deploy(st Stage) (RowMap, error) {
	return m.mean().Deploy(st)
}

var _ Deployer = trimmedImpute{}
