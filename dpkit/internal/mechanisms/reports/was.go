package reports

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (r ReportFit) WasText() string {
	args := []string{r.Settings().Was(), fmt.Sprintf("Rho = %g", r.Rho)}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Share", r.Share}, {"Gradient", r.Gradient}, {"Hessian", r.Hessian}, {"Eigenvalue", r.Eigenvalue}} {
		if f.v != 0 {
			args = append(args, fmt.Sprintf("%s = %g", f.name, f.v))
		}
	}
	return kind.Call("FitLogisticWithReport", strings.Join(args, ", "))
}

// IdentityText: options were named arguments of one call.
func (r ReportFit) IdentityText() string {
	return kind.Named("FitLogisticWithReport", r.Settings(), r.PrivacyReport)
}
