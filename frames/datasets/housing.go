package datasets

import "github.com/dpkit-go/dpnb/frames"

// HousingSchema is the domain of Boston Housing (Harrison and Rubinfeld 1978, "Hedonic prices and
// the demand for clean air", J. Environ. Economics & Management 5:81–102): 13 features and the
// label MEDV. What housing.names says bounds these for every row:
//
//   - ZN, INDUS, AGE ("proportion", in per cent) and LSTAT ("%") lie in [0, 100]; CHAS is 0 or 1.
//   - B = 1000(Bk − 0.63)² with Bk in [0, 1] lies in [0, 1000·0.63²] = [0, 396.9].
//   - MEDV, in $1000's, comes from the 1970 Census, which coded house values of $50,000 and more
//     as one class (Gilley and Pace 1996, "On the Harrison and Rubinfeld data", same journal 31:403–405).
//
// The other bounds are round choices of ours, clamped.
func HousingSchema() frames.Schema {
	return schema(
		frames.Numeric("CRIM", 0, 100).Clamped(),
		frames.Numeric("ZN", 0, 100),
		frames.Numeric("INDUS", 0, 100),
		frames.Category("CHAS", "0", "1"),
		frames.Numeric("NOX", 0, 1).Clamped(),
		frames.Numeric("RM", 1, 10).Clamped(),
		frames.Numeric("AGE", 0, 100),
		frames.Numeric("DIS", 0, 15).Clamped(),
		frames.Numeric("RAD", 0, 25).Clamped(),
		frames.Numeric("TAX", 0, 1000).Clamped(),
		frames.Numeric("PTRATIO", 0, 30).Clamped(),
		frames.Numeric("B", 0, 396.9),
		frames.Numeric("LSTAT", 0, 100),
		frames.NumericLabel("MEDV", 0, 50),
	)
}

// Housing returns the 506 census tracts of Boston Housing.
func Housing() (*frames.Frame, string, error) {
	return load("Boston Housing", csv(HousingSchema(), frames.CSVOptions{Blanks: true}), "housing/housing.data")
}
