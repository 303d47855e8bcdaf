package cost

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
)

// Plan is the price of a plan: one entry for each step and the release at the end. It is made of
// public facts only.
type Plan struct {
	// NotPrivate says why nothing that this plan releases is private; empty for a private session.
	NotPrivate string                `json:"not_private,omitempty"`
	Rows       int                   `json:"rows"`
	Neighbours accountant.Neighbours `json:"neighbours"`
	Steps      []Step                `json:"steps"`
	Release    Release               `json:"release"`
	// Guarantee is the end-to-end promise, preprocessing included.
	Guarantee accountant.Guarantee `json:"guarantee"`
	// Charged is what the session's ledger charges the release as, at the δ of its budget, where that is another
	// number than the guarantee's; else zero, as without a ledger. See Price of package accountant/ledger.
	Charged accountant.Budget `json:"charged,omitzero"`
	// Taken says what of each part of the ledger's budget the charge takes, beside Charged.
	Taken string `json:"taken,omitempty"`
	// Members are the plans of a joint release, each with its part; Steps is empty then, and Release tells of all of them, with the
	// sensitivities of the one whose preprocessing costs most.
	Members []Member `json:"members,omitempty"`
	// Together is, of one plan among several that are released together, what all of them promise, and the only promise there is; nil
	// for a plan that is released alone.
	Together *accountant.Guarantee `json:"together,omitempty"`
	// Predicted is how far off the release will be by its noise, at the level 0.95; nil where nothing is predicted.
	Predicted *Prediction `json:"predicted,omitempty"`
	// Held is what the chain holds of its tables while it releases, beside the source.
	Held Held `json:"held,omitzero"`
	// Warnings say what weakens the promise, although it holds.
	Warnings []string `json:"warnings,omitempty"`

	law    *Law    // of a plan that was priced here; nil for a cost that was read
	curves *Curves // that were read with it
}

// Amplified reports whether the preprocessing changes what the release costs: its noise grew, or steps ask private
// queries. Where it does not, Uncounted and Nominal say nothing of interest.
func (c Plan) Amplified() bool {
	for _, s := range c.Steps {
		if len(s.Queries) > 0 {
			return true
		}
	}
	for _, m := range c.Members {
		if m.Cost.Amplified() {
			return true
		}
	}
	return !(c.Release.Amplification() <= 1+1e-9)
}

// ChargedAs says what a ledger charges, "" where that is what the guarantee says.
func (c Plan) ChargedAs() string {
	if c.Charged == (accountant.Budget{}) {
		return ""
	}
	up := accountant.FormatUp
	s := fmt.Sprintf("a ledger at δ = %s charges this as ε = %s", up(c.Charged.Delta), up(c.Charged.Epsilon))
	if strings.Contains(c.Taken, ",") { // of several parts
		s += " (" + c.Taken + ")"
	}
	switch dearer := c.Charged.Epsilon > c.Guarantee.Epsilon; {
	case dearer && c.Guarantee.Delta == 0:
		s += ": a release of pure DP is composed as the Gaussian that covers it; Gaussian noise composes for less, or a part of ε is kept for it (Options.Pure)"
	case dearer && c.Charged.Delta >= c.Guarantee.Delta:
		s += ": alone it costs what the guarantee says; in company a ledger adds up the Gaussians that cover releases, at its δ without the Reserve"
	}
	return s
}

// String renders the cost as a plain table with its annotations.
func (c Plan) String() string {
	var b strings.Builder
	if c.NotPrivate != "" {
		fmt.Fprintf(&b, "NOT PRIVATE: %s; the numbers are those of a private session\n", c.NotPrivate)
	}
	fmt.Fprintf(&b, "%d %s, %v neighbours, no row read\n", c.Rows, c.Guarantee.Unit.Counted(), c.Neighbours)
	if len(c.Members) > 0 {
		b.WriteString(c.members())
		return c.promised(&b)
	}
	b.WriteString(Explain(c.Steps))
	r := c.Release
	fmt.Fprintf(&b, "\n%d. %s\n", len(c.Steps)+1, r.Name)
	for _, k := range r.Constants {
		fmt.Fprintf(&b, "     %s\n", k)
	}
	fmt.Fprintf(&b, "   event: %s\n", r.Event)
	up := accountant.FormatUp
	switch {
	case c.Amplified():
		fmt.Fprintf(&b, "   sensitivity S = %.6g, without preprocessing %.6g: noise × %.3g\n", r.Sensitivity, r.FreeSensitivity, r.Amplification())
		fmt.Fprintf(&b, "   ε with preprocessing counted: %s; the same noise with preprocessing ignored would be sold as ε = %s\n", up(c.Guarantee.Epsilon), up(r.Uncounted))
		fmt.Fprintf(&b, "   noise calibrated without counting it would be proved to give ε = %s only\n", up(r.Nominal))
	case len(c.Steps) > 0:
		fmt.Fprintf(&b, "   sensitivity S = %.6g, to which the preprocessing adds nothing\n", r.Sensitivity)
	default:
		fmt.Fprintf(&b, "   sensitivity S = %.6g\n", r.Sensitivity)
	}
	if r.Reference != "" {
		fmt.Fprintf(&b, "   %s\n", r.Reference)
	}
	return c.promised(&b)
}

// promised ends the table.
func (c Plan) promised(b *strings.Builder) string {
	switch {
	case c.Together != nil:
		fmt.Fprintf(b, "\nthe noise alone: (%s, %s)-DP; guarantee, of all plans released together: %v (%s)\n",
			accountant.FormatUp(c.Guarantee.Epsilon), accountant.FormatUp(c.Guarantee.Delta), *c.Together, c.Together.Route)
	case len(c.Members) > 0:
		fmt.Fprintf(b, "\nguarantee of all together: %v (%s)\n", c.Guarantee, c.Guarantee.Route)
	default:
		fmt.Fprintf(b, "\nguarantee: %v (%s)\n", c.Guarantee, c.Guarantee.Route)
	}
	b.WriteString(c.explainCurves())
	if s := c.ChargedAs(); s != "" {
		fmt.Fprintf(b, "ledger: %s\n", s)
	}
	if p := c.Predicted; p != nil && p.Level == 0 { // of a model; of statistics Plan.Error tells more
		fmt.Fprintf(b, "predicted: %s\n", p.Line())
	}
	if s := c.Held.String(); s != "" {
		fmt.Fprintf(b, "memory: %s\n", s)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(b, "warning: %s\n", w)
	}
	return b.String()
}
