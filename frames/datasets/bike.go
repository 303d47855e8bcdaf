package datasets

import (
	"strconv"

	"github.com/dpkit-go/dpnb/frames"
)

// integers are the levels from lo to hi.
func integers(lo, hi int) []string {
	var out []string
	for i := lo; i <= hi; i++ {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

// BikeHourSchema is the domain of UCI Bike Sharing by hour (Fanaee-T and Gama 2013, "Event labeling
// combining ensemble detectors and background knowledge", Progress in Artificial Intelligence):
// 12 features and the label cnt. Levels are the codes of its Readme.txt. There hum and windspeed
// are divided by their scales' ends, so that they lie in [0, 1]; temp and atemp are divided by
// their maxima, which frost would make negative: clamped to [0, 1]. The Readme has no bound for
// cnt: [0, 1000] is a round choice of ours, clamped. instant and dteday (record index and date)
// are ignored, and casual and registered, which sum up to the label.
func BikeHourSchema() frames.Schema {
	return schema(
		frames.Ignored("instant"),
		frames.Ignored("dteday"),
		frames.Category("season", integers(1, 4)...),
		frames.Category("yr", "0", "1"),
		frames.Category("mnth", integers(1, 12)...),
		frames.Category("hr", integers(0, 23)...),
		frames.Category("holiday", "0", "1"),
		frames.Category("weekday", integers(0, 6)...),
		frames.Category("workingday", "0", "1"),
		frames.Category("weathersit", integers(1, 4)...),
		frames.Numeric("temp", 0, 1).Clamped(),
		frames.Numeric("atemp", 0, 1).Clamped(),
		frames.Numeric("hum", 0, 1),
		frames.Numeric("windspeed", 0, 1),
		frames.Ignored("casual"),
		frames.Ignored("registered"),
		frames.NumericLabel("cnt", 0, 1000).Clamped(),
	)
}

// BikeHour returns the 17379 hours of UCI Bike Sharing.
func BikeHour() (*frames.Frame, string, error) {
	return load("UCI Bike Sharing, hours", csv(BikeHourSchema(), frames.CSVOptions{Header: true}), "bike/hour.csv")
}

// GaussMixBikeSchema is the domain of the training file of Kaggle's "Bike Sharing Demand", which
// the authors of GaussMix use: 8 features and the label count. Levels are those of the UCI
// Readme.txt, humidity is in per cent. The bounds of temp and atemp (degrees Celsius), windspeed
// (the Readme's scale ends at 67) and count are round choices of ours, clamped. datetime is
// ignored, and casual and registered, which sum up to the label.
func GaussMixBikeSchema() frames.Schema {
	return schema(
		frames.Ignored("datetime"),
		frames.Category("season", integers(1, 4)...),
		frames.Category("holiday", "0", "1"),
		frames.Category("workingday", "0", "1"),
		frames.Category("weather", integers(1, 4)...),
		frames.Numeric("temp", -10, 45).Clamped(),
		frames.Numeric("atemp", -10, 50).Clamped(),
		frames.Numeric("humidity", 0, 100),
		frames.Numeric("windspeed", 0, 70).Clamped(),
		frames.Ignored("casual"),
		frames.Ignored("registered"),
		frames.NumericLabel("count", 0, 1000).Clamped(),
	)
}

// GaussMixBike returns the 10886 hours of Kaggle's training file.
func GaussMixBike() (*frames.Frame, string, error) {
	return load("Kaggle Bike Sharing Demand, as in GaussMix", csv(GaussMixBikeSchema(), frames.CSVOptions{Header: true}), "gaussmix/bike_train.csv")
}
