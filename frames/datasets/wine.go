package datasets

import "github.com/dpkit-go/dpnb/frames"

// WineSchema is the domain of both files of UCI Wine Quality (Cortez, Cerdeira, Almeida, Matos and
// Reis 2009, "Modeling wine preferences by data mining from physicochemical properties", Decision
// Support Systems 47(4):547–553): 11 features and the label quality, "score between 0 and 10" by
// winequality.names. The description gives no other bound. Those of the features are choices of
// ours, round numbers around what wine can be and what European law allows, and clamped: acids,
// sugar, chlorides and sulphates in g/l (volatile acidity is capped near 1.2, citric acid at 1,
// "sweet" starts at 45 g/l of sugar), sulphur dioxide in mg/l (total capped at 400), density in
// kg/l, alcohol in per cent by volume (table wine: 8.5 to 15).
func WineSchema() frames.Schema {
	return schema(
		frames.Numeric("fixed acidity", 0, 20).Clamped(),
		frames.Numeric("volatile acidity", 0, 2).Clamped(),
		frames.Numeric("citric acid", 0, 1).Clamped(),
		frames.Numeric("residual sugar", 0, 50).Clamped(),
		frames.Numeric("chlorides", 0, 1).Clamped(),
		frames.Numeric("free sulfur dioxide", 0, 100).Clamped(),
		frames.Numeric("total sulfur dioxide", 0, 400).Clamped(),
		frames.Numeric("density", 0.98, 1.05).Clamped(),
		frames.Numeric("pH", 2.5, 4.5).Clamped(),
		frames.Numeric("sulphates", 0, 2).Clamped(),
		frames.Numeric("alcohol", 8, 15).Clamped(),
		frames.NumericLabel("quality", 0, 10),
	)
}

// WineRed returns the 1599 red wines of UCI Wine Quality.
func WineRed() (*frames.Frame, string, error) {
	return load("UCI Wine Quality, red", csv(WineSchema(), frames.CSVOptions{Comma: ';', Header: true}), "wine/winequality-red.csv")
}

// WineWhite returns the 4898 white wines of UCI Wine Quality.
func WineWhite() (*frames.Frame, string, error) {
	return load("UCI Wine Quality, white", csv(WineSchema(), frames.CSVOptions{Comma: ';', Header: true}), "wine/winequality-white.csv")
}

// GaussMixWine returns the red wines as the authors of GaussMix saved them, with commas.
func GaussMixWine() (*frames.Frame, string, error) {
	return load("UCI Wine Quality, red, as in GaussMix", csv(WineSchema(), frames.CSVOptions{Header: true}), "gaussmix/winequality-red.csv")
}
