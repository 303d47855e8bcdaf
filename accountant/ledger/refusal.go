package ledger

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
)

// Refusal says why a release of the event could not be charged even while nothing was, to this ledger or to one of its projects, and what
// it would need; "" where it could. It follows from the configurations alone, so that it is the same before and after releases; what is left
// is in Status.
func (l *Ledger) Refusal(e accountant.Event) string {
	whose := ""
	for ; l != nil; l = l.project {
		if why := l.refusal(e); why != "" {
			return whose + why
		}
		whose = "the project's ledger: "
	}
	return ""
}

func (l *Ledger) refusal(e accountant.Event) string {
	ways, err := costOf(e, l.Config())
	if err != nil {
		return err.Error()
	}
	l.mu.Lock()
	f := *l.hist.filter
	l.mu.Unlock()
	f.totals = noTotals()
	why := f.refusal(ways...)
	switch {
	case why == tooMuch:
		why = fmt.Sprintf("it takes ε = %s at the ledger's δ = %v, whose budget is ε = %v", roundedUp(f.asked(ways)), f.budget.Delta, f.budget.Epsilon)
		if f.pureMax > 0 {
			why += fmt.Sprintf(", of which %v are for pure releases", f.pureMax)
		}
	case strings.Contains(why, reserveName):
		why += "; Options.Reserve sets it, and a larger one is taken over until the first charge"
	}
	return why
}
