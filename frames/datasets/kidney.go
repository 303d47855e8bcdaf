package datasets

import "github.com/dpkit-go/dpnb/frames"

// KidneySchema is the domain of UCI Chronic Kidney Disease (Rubini, Soundarapandian and Eswaran
// 2015): 24 features, each of which may miss, and the label class with ckd as the positive one.
// Levels and units are those of the file's header, which is its codebook. It has no bounds: those
// of the numeric columns are round choices of ours, wide around what a laboratory reports, clamped.
func KidneySchema() frames.Schema {
	may := func(c frames.Column) frames.Column { return c.MayMiss() }
	number := func(name string, lo, hi float64) frames.Column { return may(frames.Numeric(name, lo, hi).Clamped()) }
	level := func(name string, levels ...string) frames.Column { return may(frames.Category(name, levels...)) }
	return schema(
		number("age", 0, 100), // years
		number("bp", 0, 200),  // blood pressure, mm Hg
		level("sg", "1.005", "1.010", "1.015", "1.020", "1.025"),
		level("al", integers(0, 5)...),
		level("su", integers(0, 5)...),
		level("rbc", "normal", "abnormal"),
		level("pc", "normal", "abnormal"),
		level("pcc", "present", "notpresent"),
		level("ba", "present", "notpresent"),
		number("bgr", 0, 500),    // blood glucose, mg/dl
		number("bu", 0, 400),     // blood urea, mg/dl
		number("sc", 0, 20),      // serum creatinine, mg/dl
		number("sod", 100, 200),  // sodium, mEq/l
		number("pot", 0, 10),     // potassium, mEq/l
		number("hemo", 0, 20),    // hemoglobin, g
		number("pcv", 0, 60),     // packed cell volume, per cent
		number("wbcc", 0, 30000), // white blood cells per mm³
		number("rbcc", 0, 10),    // red blood cells, millions per mm³
		level("htn", "yes", "no"),
		level("dm", "yes", "no"),
		level("cad", "yes", "no"),
		level("appet", "good", "poor"),
		level("pe", "yes", "no"),
		level("ane", "yes", "no"),
		frames.Label("class", "notckd", "ckd"),
	)
}

// Kidney returns the 400 patients of UCI Chronic Kidney Disease.
func Kidney() (*frames.Frame, string, error) {
	read := func(paths ...string) (*frames.Frame, error) {
		return frames.ReadARFF(paths[0], KidneySchema(), frames.ARFFOptions{})
	}
	return load("UCI Chronic Kidney Disease", read, "kidney/chronic_kidney_disease_full.arff")
}
