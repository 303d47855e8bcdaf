package reports

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
)

func (pl *calibratedReport) auditReport(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	m := released.(models.ReportedLogistic)
	if len(m.Report.Theta) != pl.K {
		return nil, fmt.Errorf("got a report on %d coefficients, want %d, the release of this plan: %w", len(m.Report.Theta), pl.K, kind.ErrParameter)
	}
	return pl.Audit(ctx, in, m.Report.Theta)
}
