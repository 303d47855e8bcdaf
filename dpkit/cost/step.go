package cost

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Step is one preprocessing step's entry.
type Step struct {
	Step      int              `json:"step"` // position in the chain, from 1
	Name      string           `json:"name"`
	Role      stage.Role       `json:"role"`
	Scope     accountant.Scope `json:"scope"`
	Constants []stage.Constant `json:"constants"`
	Note      string           `json:"note"`
	Reference string           `json:"reference,omitempty"`
	// State of the worst-case pair after the step.
	Displacement float64 `json:"displacement"` // τ: total, L12
	Frobenius    float64 `json:"frobenius"`
	LargestRow   float64 `json:"largest_row"`
	Moved        int     `json:"moved"` // common rows that may differ
	Free         int     `json:"free"`  // rows that may be any on either side, present or not; 1 at the start
	R            float64 `json:"r"`     // bound on a row's norm
	// Queries are what the step asks of the rows privately: tests of declared numbers, and private fits.
	Queries []Query `json:"queries,omitempty"`
}

// Explain renders the steps of a chain as plain text, those before a release or those of a chain that has none yet.
func Explain(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "\n%d. %s  [%s, %v]\n", s.Step, s.Name, s.Role, s.Scope)
		fmt.Fprintf(&b, "   %s\n", s.Note)
		for _, k := range s.Constants {
			fmt.Fprintf(&b, "     %s\n", k)
		}
		if s.Moved == 0 {
			b.WriteString("   displacement so far: none\n")
		} else {
			fmt.Fprintf(&b, "   displacement so far: τ = %.6g in all, %.6g Frobenius, at most %.6g a row, %d rows\n",
				s.Displacement, s.Frobenius, s.LargestRow, s.Moved)
		}
		if s.Free > 1 {
			fmt.Fprintf(&b, "   free so far: %d rows, which one row that changes can remove, bring back or replace\n", s.Free)
		}
		for _, q := range s.Queries {
			fmt.Fprintf(&b, "   asks privately: %s (%.3g %% of the budget", q.Name, 100*q.Share)
			if q.Delta > 0 {
				fmt.Fprintf(&b, ", δ₀ = %s", accountant.FormatUp(q.Delta))
			}
			if q.Threshold != 0 {
				fmt.Fprintf(&b, "; passes from %.6g", q.Threshold)
			}
			fmt.Fprintf(&b, "; σ = %.6g)\n", q.Sigma)
		}
		if s.Reference != "" {
			fmt.Fprintf(&b, "   %s\n", s.Reference)
		}
	}
	return b.String()
}
