package datasets

import (
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// CreditSchema is the domain of UCI Default of Credit Card Clients (Yeh and Lien 2009, "The
// comparisons of data mining techniques for the predictive accuracy of probability of default of
// credit card clients", Expert Systems with Applications 36(2):2473–2480): 23 features and the
// label default.payment.next.month.
//
//   - SEX (1 male, 2 female), EDUCATION (1 to 4; the Kaggle copy's description adds 5 and 6,
//     "unknown"), MARRIAGE (1 to 3) have the codebook's levels, and 0, which the file uses beyond
//     its codebook, as a level of its own.
//   - PAY_1 to PAY_6, the months of delay: −1 and 1 to 9 by the codebook, and −2 (no
//     consumption) and 0 (revolving credit), which the file uses beyond it.
//   - AGE in years, from 18, and the amounts in NT dollars have no bound in the codebook: round
//     choices of ours, clamped.
func CreditSchema() frames.Schema {
	cols := []frames.Column{
		frames.Ignored("ID"),
		frames.Numeric("LIMIT_BAL", 0, 1e6).Clamped(),
		frames.Category("SEX", "1", "2"),
		frames.Category("EDUCATION", integers(0, 6)...),
		frames.Category("MARRIAGE", integers(0, 3)...),
		frames.Numeric("AGE", 18, 100).Clamped(),
	}
	months := func(name string, lo, hi float64, clamp bool) {
		for m := 1; m <= 6; m++ {
			c := frames.Numeric(fmt.Sprint(name, m), lo, hi)
			c.Clamp = clamp
			cols = append(cols, c)
		}
	}
	months("PAY_", -2, 9, false)
	months("BILL_AMT", -1e5, 1e6, true)
	months("PAY_AMT", 0, 1e5, true)
	return schema(append(cols, frames.Label("default.payment.next.month", "0", "1"))...)
}

// Credit returns the 30000 clients of UCI Default of Credit Card Clients.
func Credit() (*frames.Frame, string, error) {
	return load("UCI Default of Credit Card Clients", csv(CreditSchema(), frames.CSVOptions{Header: true}), "credit/UCI_Credit_Card.csv")
}
