package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/choice"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Choose releases which of several released models suits the rows best: the one with the fewest wrong rows or, of a numeric label, the
// least squared error within the label's bounds, by the exponential mechanism (McSherry, Talwar 2007; priced by its bounded range, Durfee,
// Rogers 2019). δ may be 0, for pure ε; a δ above 0 lowers the noise a little. The plan's text holds the models. They are released
// values, so that being fitted to the same rows costs no more than both releases together; on the rows that it was fitted to every
// model looks better than it is, the more so the more it has of coefficients and ε. Beside a model that no private release made,
// or one whose release was private for others (per row in a session per person), the guarantee is conditional: it must not depend on these rows.
//
// A model reads rows as they were before its own chain, and brings its steps along: let chain be the data themselves, or steps
// that remove rows. Behind steps that displace the columns that models read every displaced row may change every error, and is paid for.
//
// Where n·η is below 1000, η being what is left of ε for each row (ε in add/remove and ε/2 in replace-one, where no step displaces
// rows), no choice is made by rows: the release says so, as Cost does, and takes the predicted best: the first model or, among those that
// read the same columns, the one whose release was predicted to be off least by its noise ([Provenance]). What other columns are worth
// public facts do not tell: give the model first that you would take without a choice. No row is read then, and nothing is charged.
//
// Plans are not chosen among: choosing among releases of which the others are thrown away costs two to three times the ε of each (Liu,
// Talwar 2019; Papernot, Steinke 2022). [Together] parts one ε among all of them, exactly, and what is released is kept.
//
//go:noinline
func (p Pipeline) Choose(t Target, among ...Predictor) Plan[Choice] {
	m := choice.Choose{Target: t}
	for _, a := range among {
		m.Models = append(m.Models, models.NewCandidate(a))
	}
	return newPlan[Choice](p, m)
}

// Predictor is a released model that predicts a label: a value of one of the types of models here, such as LogisticModel.
type Predictor = models.Predictor

// Choice is which of several models was chosen.
//
// Its fields:
//
//	Index  int      // of the chosen one, from 0, in the order in which they were given
//	Models []string // what each of them is
//	Of     string   // what was counted: "wrong rows", or "squared errors" of a number
//	// Rate is η: models were drawn with weight e^{−η·errors}, errors being wrong rows, or squared errors in units of the label's squared
//	// range. It is public; 0 where there is no noise.
//	Rate float64
//	// Scale is the label's squared range, of squared errors; 0 of wrong rows.
//	Scale float64
//	// Unread says why no row was read, and the model taken that was predicted to be best, free of charge; "" where the rows decided.
//	Unread string
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the choice as a gota frame, a row for each model: "model" (what it is), "chosen" (1 or 0), "margin" of the
//		chosen one at 0.95, NaN of the others and where no row was read, and what the release promises, as Estimates.Gota has
//		it.
//	Margin(level float64) (float64, error)
//		Margin bounds by how many more wrong rows the chosen model has than the best one, or by how much more squared error,
//		summed over the rows and in squared units of the label, with the given probability, 0 < level < 1: (ln(k − 1) − ln(1
//		− level))/η for k models.
//	Name() string
//		Name is what the chosen model is.
type Choice = choice.Choice
