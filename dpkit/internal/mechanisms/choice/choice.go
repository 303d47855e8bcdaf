package choice

import (
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Choice is which of several models was chosen.
type Choice struct {
	Index  int      `json:"index"`  // of the chosen one, from 0, in the order in which they were given
	Models []string `json:"models"` // what each of them is
	Of     string   `json:"of"`     // what was counted: "wrong rows", or "squared errors" of a number
	// Rate is η: models were drawn with weight e^{−η·errors}, errors being wrong rows, or squared errors in units of the label's squared
	// range. It is public; 0 where there is no noise.
	Rate float64 `json:"rate,omitempty"`
	// Scale is the label's squared range, of squared errors; 0 of wrong rows.
	Scale float64 `json:"scale,omitempty"`
	// Unread says why no row was read, and the model taken that was predicted to be best, free of charge; "" where the rows decided.
	Unread string `json:"unread,omitempty"`
	origin.Provenance
}

// Margin bounds by how many more wrong rows the chosen model has than the best one, or by how much more squared error, summed over
// the rows and in squared units of the label, with the given probability, 0 < level < 1: (ln(k − 1) − ln(1 − level))/η for k models.
// Where no row was read there is no bound, and an error.
func (c Choice) Margin(level float64) (float64, error) {
	switch {
	case !(level > 0) || !(level < 1):
		return 0, fmt.Errorf("dpkit: margin of a choice: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	case c.Unread != "":
		return 0, fmt.Errorf("dpkit: margin of a choice: %s: %w", c.Unread, kind.ErrParameter)
	case c.Rate == 0:
		return 0, nil
	case len(c.Models) < 2 || !(c.Rate > 0):
		return 0, fmt.Errorf("dpkit: margin of a choice: got %d models at the rate %g, want at least 2 and a positive rate; store and read all of it: %w", len(c.Models), c.Rate, kind.ErrParameter)
	}
	m := (math.Log(float64(len(c.Models)-1)) - math.Log1p(-level)) / c.Rate
	if c.Scale > 0 {
		m *= c.Scale
	}
	return m, nil
}

// Name is what the chosen model is.
func (c Choice) Name() string {
	if c.Index < 0 || c.Index >= len(c.Models) {
		return ""
	}
	return c.Models[c.Index]
}

// String renders the choice on one line.
func (c Choice) String() string {
	line := fmt.Sprintf("model %d of %d: %s", c.Index+1, len(c.Models), c.Name())
	if c.Unread != "" {
		return origin.Under(c.Provenance, line+"; "+c.Unread+"\n")
	}
	if m, err := c.Margin(0.95); err == nil {
		line += fmt.Sprintf("; at most %.3g more %s than the best, with probability 0.95", m, c.Of)
	}
	return origin.Under(c.Provenance, line+"\n")
}

// Gota is the choice as a gota frame, a row for each model: "model" (what it is), "chosen" (1 or 0), "margin" of the chosen one at 0.95,
// NaN of the others and where no row was read, and what the release promises, as Estimates.Gota has it.
func (c Choice) Gota() dataframe.DataFrame {
	chosen, margin := make([]float64, len(c.Models)), make([]float64, len(c.Models))
	for i := range c.Models {
		margin[i] = math.NaN()
		if i != c.Index {
			continue
		}
		chosen[i] = 1
		if m, err := c.Margin(0.95); err == nil {
			margin[i] = m
		}
	}
	return origin.Gota(c.Provenance, origin.Words("model", c.Models), origin.Numbers("chosen", chosen), origin.Numbers("margin", margin))
}
