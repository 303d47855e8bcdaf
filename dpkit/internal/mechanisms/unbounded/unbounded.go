package unbounded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// An unbounded column has no public bounds, so that no sensitivity follows from its domain. What reads rows
// without asking for bounds says so by this method; everything else is refused while such a column is there.
type readsUnbounded interface {
	ReadsUnbounded()
}

// The cells of a column of texts are no numbers. What leaves them alone, or takes them for names of groups, says so by this method; everything else is
// refused while such a column is there.
type leavesTexts interface {
	LeavesTexts()
}

// RefuseUnbounded reports that v, a step or a mechanism, rests on bounds that a column of the schema does not have.
func RefuseUnbounded(v any, in frames.Schema) error {
	texts := textsAmong(in)
	//dp:refuses unbounded/texts a text has no number
	if _, ok := v.(leavesTexts); !ok && len(texts) > 0 {
		return fmt.Errorf("no codebook lists the texts of %s; find them by Levels or by By and Found, give them levels by Codebook, or Drop the columns: %w", strings.Join(kind.QuoteAll(texts), ", "), stage.ErrOrder)
	}
	names := slices.DeleteFunc(in.Unbounded(), func(name string) bool { return slices.Contains(texts, name) })
	if _, ok := v.(readsUnbounded); ok || len(names) == 0 {
		return nil
	}
	const most = 6
	list := strings.Join(kind.QuoteAll(names[:min(len(names), most)]), ", ")
	if len(names) > most {
		list += fmt.Sprintf(", … (%d in all)", len(names))
	}
	//dp:refuses unbounded/no-bounds what rests on bounds has none
	return fmt.Errorf("no public bounds are declared for %s, and it rests on bounds; use SecondMoment, Covariance, UnboundedMean, FitUnbounded or Quantile, which need none, or ClipColumns (for a label NumericLabel with Clamped) to give bounds, or Drop the columns: %w", list, stage.ErrOrder)
}

// textsAmong names the columns of texts.
func textsAmong(in frames.Schema) (names []string) {
	for _, c := range in.Features() {
		if c.Kind == frames.KindText {
			names = append(names, c.Name)
		}
	}
	return names
}
