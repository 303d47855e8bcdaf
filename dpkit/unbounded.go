package dpkit

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// An unbounded column has no public bounds, so that no sensitivity follows from its domain. What reads rows
// without asking for bounds says so by this method; everything else is refused while such a column is there.
type readsUnbounded interface {
	readsUnbounded()
}

// refuseUnbounded reports that v, a step or a mechanism, rests on bounds that a column of the schema does not have.
func refuseUnbounded(v any, in frames.Schema) error {
	names := in.Unbounded()
	if _, ok := v.(readsUnbounded); ok || len(names) == 0 {
		return nil
	}
	const most = 6
	list := strings.Join(quoteAll(names[:min(len(names), most)]), ", ")
	if len(names) > most {
		list += fmt.Sprintf(", … (%d in all)", len(names))
	}
	return fmt.Errorf("no public bounds are declared for %s, and it rests on bounds; use SecondMoment, Covariance, UnboundedMean, FitUnbounded or Quantile, which need none, or ClipColumns (for a label NumericLabel with Clamped) to give bounds, or Drop the columns: %w", list, ErrOrder)
}

// unboundedRadius stands for the norm bound of rows with unbounded columns. It is no bound: whatever would rest on it
// is refused, and were it asked all the same, its noise would drown the answer.
const unboundedRadius = pair.MaxRadius

func (clipColumns) readsUnbounded() {}
func (choose) readsUnbounded()      {}
func (oneHot) readsUnbounded()      {}
func (fixedImpute) readsUnbounded() {}
func (broken) readsUnbounded()      {}
func (count) readsUnbounded()       {}
func (histogram) readsUnbounded()   {}
func (quantile) readsUnbounded()    {}
