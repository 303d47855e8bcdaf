package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/reports"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// PrivacyReport asks for a privacy report beside a model: a function that tells every person a bound on what the release cost
// them, itself private ([pdp.Report]; Redberg, Wang 2021).
//
// With Share = 0 it is made of the coefficients and public constants: it costs nothing. With more, a part of the budget
// is spent on noisy statistics of the data that make its bounds tighter: the gradient at the minimiser, the Hessian there with noise
// of the Gaussian orthogonal ensemble, and its smallest eigenvalue, which compose exactly as Gaussians. The coefficients
// get that much more noise: everybody loses less by them, and the model is less exact.
//
// Its fields:
//
//	Rho   float64 // probability that a bound fails; no default
//	Share float64 // of the release's μ², in [0, 1)
//	// Gradient, Hessian and Eigenvalue part the share, in proportion. All 0: by what is predicted to make the bounds on the
//	// coefficients of a reference population least, from n, d, the target and the public bounds alone.
//	Gradient, Hessian, Eigenvalue float64
type PrivacyReport = reports.PrivacyReport

// FitLogisticWithReport is [Pipeline.FitLogistic] by [ByObjective] with a privacy report: one release under one guarantee. It wants
// the add/remove relation, which is the report's, and a chain that maps every row by itself: public steps.
//
//go:noinline
func (p Pipeline) FitLogisticWithReport(how LogisticMethod, r PrivacyReport) Plan[ReportedLogistic] {
	var fit any
	if how = kind.PointedTo(how); how != nil {
		fit = how.Logistic()
	}
	by, ok := fit.(glm.ObjectiveFit)
	if !ok {
		return newPlan[ReportedLogistic](p, mechanism.Broken[ReportedLogistic]{Call: "FitLogisticWithReport", Err: fmt.Errorf("got method %T, want dpkit.ByObjective{…}: reports bound the loss of objective perturbation: %w", how, ErrParameter)})
	}
	return newPlan[ReportedLogistic](p, reports.ReportFit{ObjectiveFit: by, PrivacyReport: r})
}

// ReportedLogistic is a logistic model with its privacy report, under one guarantee.
//
// Its fields:
//
//	LogisticModel
//	Report pdp.Report
//
// Its methods:
//
//	MemberViews(ctx context.Context, src *frames.PublicFrame, who pdp.Who) ([]pdp.View, error)
//		MemberViews is ReportedLogistic.Views for owners of rows that were fitted (pdp.Bounds.Member): a little less, as a rule.
//	Views(ctx context.Context, src *frames.PublicFrame, who pdp.Who) ([]pdp.View, error)
//		Views tells the owners of the rows of src what they can have lost, in order: the maps of the model bring rows to the
//		columns of the report.
type ReportedLogistic = models.ReportedLogistic
