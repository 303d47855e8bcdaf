package datasets

import (
	"os"

	"github.com/dpkit-go/dpnb/frames"
)

// adultColumns is the domain of UCI Adult (Becker and Kohavi 1996, "Adult", UCI Machine Learning
// Repository, doi:10.24432/C5XW20), in the order of adult.data. Levels are those of adult.names,
// in its order; bounds are those of the 1994 Current Population Survey that it was extracted from:
//
//   - age: adult.names keeps AAGE > 16; the survey top-coded age at 90 (IPUMS CPS, age in the basic
//     monthly files: "top coded at 90 for July 1985-December 2002").
//   - education-num: the position of the 16 levels of education from Preschool (1) to Doctorate (16).
//   - capital-gain: a field of five digits (IPUMS CPS, CAPGAIN: codes up to 99999).
//   - capital-loss: a field of five digits as well. A bound of 99999 would drown the column, so
//     5000 is a choice of ours, made valid for every row by clamping.
//   - hours-per-week: adult.names keeps HRSWK > 0; a field of two digits.
//
// fnlwgt, a survey weight, and education, which education-num repeats, are ignored.
func adultColumns() []frames.Column {
	return []frames.Column{
		frames.Numeric("age", 17, 90),
		frames.Category("workclass", "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked").MayMiss(),
		frames.Ignored("fnlwgt"),
		frames.Ignored("education"),
		frames.Numeric("education-num", 1, 16),
		frames.Category("marital-status", "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent", "Married-AF-spouse"),
		frames.Category("occupation", "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty", "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv", "Armed-Forces").MayMiss(),
		frames.Category("relationship", "Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
		frames.Category("race", "White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
		frames.Category("sex", "Female", "Male"),
		frames.Numeric("capital-gain", 0, 99999),
		frames.Numeric("capital-loss", 0, 5000).Clamped(),
		frames.Numeric("hours-per-week", 1, 99),
		frames.Category("native-country", "United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany", "Outlying-US(Guam-USVI-etc)", "India", "Japan", "Greece", "South", "China", "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica", "Vietnam", "Mexico", "Portugal", "Ireland", "France", "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia", "Hungary", "Guatemala", "Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands").MayMiss(),
		frames.Label("income", "<=50K", ">50K"),
	}
}

// AdultSchema is the public domain of UCI Adult: 12 features and the label income, whose positive
// class is ">50K". Every bound and level is a fact of the codebook or a clamped choice, none was
// read off the rows; the sources stand beside the columns in this package's code.
func AdultSchema() frames.Schema { return schema(adultColumns()...) }

// AdultOptions reads adult.data: no header, ", " between fields, "?" for a missing cell.
func AdultOptions() frames.CSVOptions {
	return frames.CSVOptions{TrimSpace: true, Missing: []string{"?"}}
}

// adultRows is the number of rows of adult.data (adult.names: train=32561).
const adultRows = 32561

// Origins that [Adult] reports.
const (
	OriginUCI       = "UCI Adult, $DPNB_DATA/adult/adult.data"
	OriginSynthetic = "synthetic look-alike of UCI Adult (32561 generated rows, seed 1; set DPNB_DATA to use the real file)"
)

// Adult returns UCI Adult from $DPNB_DATA/adult/adult.data if DPNB_DATA is set (then it is an
// error if the file is not there), and else [SyntheticAdult] with as many rows and seed 1. Origin
// says which, for printing beside results.
func Adult() (f *frames.Frame, origin string, err error) {
	if os.Getenv(variable) == "" {
		f, err = SyntheticAdult(adultRows, 1)
		return f, OriginSynthetic, err
	}
	return load("UCI Adult", csv(AdultSchema(), AdultOptions()), "adult/adult.data")
}
