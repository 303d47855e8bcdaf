package datasets

import "github.com/dpkit-go/dpnb/frames"

// PimaSchema is the domain of Pima Indians Diabetes (Smith, Everhart, Dickson, Knowler and Johannes
// 1988, "Using the ADAP learning algorithm to forecast the onset of diabetes mellitus"): 8 features
// and the label class. Five of them may miss: the file writes 0 where a living person has none.
// Ages start at 21 by pima-indians-diabetes.names, which has no other bound: they are round choices
// of ours, clamped.
func PimaSchema() frames.Schema {
	return schema(
		frames.Numeric("pregnancies", 0, 20).Clamped(),
		frames.Numeric("glucose", 0, 300).Clamped().MayMiss(),  // plasma, mg/dl, after 2 hours
		frames.Numeric("pressure", 0, 150).Clamped().MayMiss(), // diastolic, mm Hg
		frames.Numeric("skin", 0, 100).Clamped().MayMiss(),     // triceps fold, mm
		frames.Numeric("insulin", 0, 1000).Clamped().MayMiss(), // serum, mu U/ml, after 2 hours
		frames.Numeric("bmi", 10, 70).Clamped().MayMiss(),      // kg/m²
		frames.Numeric("pedigree", 0, 3).Clamped(),
		frames.Numeric("age", 21, 100).Clamped(),
		frames.Label("class", "0", "1"),
	)
}

// pimaOptions reads the file: no header, 0 for a missing cell in the columns that may miss.
func pimaOptions() frames.CSVOptions {
	zero := []string{"0", "0.0"}
	return frames.CSVOptions{Missing: []string{}, MissingIn: map[string][]string{
		"glucose": zero, "pressure": zero, "skin": zero, "insulin": zero, "bmi": zero,
	}}
}

// Pima returns the 768 women of Pima Indians Diabetes.
func Pima() (*frames.Frame, string, error) {
	return load("Pima Indians Diabetes", csv(PimaSchema(), pimaOptions()), "pima/pima-indians-diabetes.data.csv")
}
