package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ReportedLogistic is a logistic model with its privacy report, under one guarantee.
type ReportedLogistic struct {
	LogisticModel
	Report pdp.Report `json:"report"`
}

// Views tells the owners of the rows of src what they can have lost, in order: the maps of the model bring rows to the columns of
// the report. As with [LogisticModel.Predict] the rows must be public, and a view is for the row's owner: a person who
// asks makes a frame of their own row. It holds for members and for others; see [ReportedLogistic.MemberViews].
func (m *ReportedLogistic) Views(ctx context.Context, src *frames.PublicFrame, who pdp.Who) ([]pdp.View, error) {
	return m.views(ctx, src, who, (*pdp.Bounds).At)
}

// MemberViews is [ReportedLogistic.Views] for owners of rows that were fitted ([pdp.Bounds.Member]): a little less, as a rule.
func (m *ReportedLogistic) MemberViews(ctx context.Context, src *frames.PublicFrame, who pdp.Who) ([]pdp.View, error) {
	return m.views(ctx, src, who, (*pdp.Bounds).Member)
}

func (m *ReportedLogistic) views(ctx context.Context, src *frames.PublicFrame, who pdp.Who, at func(*pdp.Bounds, []float64, float64) (pdp.View, error)) ([]pdp.View, error) {
	if src == nil {
		return nil, fmt.Errorf("dpkit: views: got no frame, want one that frames.Public returned: %w", kind.ErrParameter)
	}
	label, ok := src.Schema().Label()
	if !ok || label.Name != m.Label || len(label.Levels) != 2 || label.Levels[0] != m.Classes[0] || label.Levels[1] != m.Classes[1] {
		return nil, fmt.Errorf("dpkit: views: want the label %q with the levels %q: load the rows with the schema of the training rows: %w", m.Label, m.Classes, stage.ErrColumn)
	}
	t, err := m.open(src.Schema(), len(m.Coef))
	if err != nil {
		return nil, err
	}
	bounds, err := m.Report.Bounds(who)
	if err != nil {
		return nil, fmt.Errorf("dpkit: views: %w", err)
	}
	var out []pdp.View
	z := make([]float64, len(m.Coef))
	err = src.Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			t.Map(z, b.Row(i), 1)
			v, err := at(bounds, z, 2*b.Y[i]-1)
			if err != nil {
				return fmt.Errorf("dpkit: views: %w", err)
			}
			out = append(out, v)
		}
		return nil
	})
	return out, err
}

// reportedFile has the model as a part: its own methods would hide the report.
type reportedFile struct {
	modelHeader
	Model  LogisticModel `json:"model"`
	Report *pdp.Report   `json:"report"`
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model with its report.
func (m ReportedLogistic) MarshalJSON() ([]byte, error) {
	return json.Marshal(reportedFile{modelHeader{reportedKind, modelVersion}, m.LogisticModel, &m.Report})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model with its report.
func (m *ReportedLogistic) UnmarshalJSON(data []byte) error {
	return readModel(data, reportedKind, m, func(f reportedFile) ReportedLogistic {
		if f.Report == nil {
			f.Report = new(pdp.Report)
		}
		return ReportedLogistic{f.Model, *f.Report}
	})
}

func (m *ReportedLogistic) Check() error {
	if len(m.Report.Theta) == 0 {
		return errors.New("got no report")
	}
	if err := m.Report.Validate(); err != nil {
		return err
	}
	if got, want := len(m.Report.Theta), len(m.Coef)+1; got != want {
		return fmt.Errorf("got a report on %d coefficients for a model of %d with its intercept", got, want)
	}
	return m.LogisticModel.Check()
}
