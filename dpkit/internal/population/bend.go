package population

// Slope is the mean gradient of a loss over normal rows: E ℓ′·x = Σ(Curvature·w − …), and E ℓ′ up to a constant.
type Slope struct{ Response, Curvature float64 }

// A Bend is what a loss makes of the law of a model's margins.
type Bend func(m Margins, f Fitted) Slope

// Logistic is that of ln(1 + e^−ym).
func Logistic(_ Margins, f Fitted) Slope {
	q, h := responseOf(f.Shift, f.Variance)
	return Slope{q, h}
}

// Quadratic is that of a loss with constant curvature about its minimiser.
func Quadratic(curvature float64) Bend {
	return func(_ Margins, f Fitted) Slope { return Slope{curvature * f.Shift, curvature} }
}
