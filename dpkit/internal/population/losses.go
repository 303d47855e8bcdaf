package population

import "math"

// Surrogate is how a convex loss of the margin other than the logistic one sees the population: its best model has margins Scale times
// those of the logistic one, and the mean curvature there.
type Surrogate struct{ Scale, Curvature float64 }

// SurrogateOf finds it, for the derivative and the curvature of ℓ(ym) in ym: E y·m·ℓ′(y·t·m) = 0 at t = Scale.
func (m Margins) SurrogateOf(slope, curvature func(z float64) float64) Surrogate {
	mean := func(f func(z, y float64) float64) float64 {
		return expect(m.Shift, m.Deviation, func(z float64) float64 {
			p := sigmoid(z)
			return p*f(z, 1) + (1-p)*f(z, -1)
		})
	}
	lo, hi := 1e-3, 1e3
	for range 40 {
		mid := (lo + hi) / 2
		if hi > 2*lo {
			mid = math.Sqrt(lo * hi)
		}
		if mean(func(z, y float64) float64 { return y * z * slope(y*mid*z) }) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	t := (lo + hi) / 2
	return Surrogate{t, mean(func(z, y float64) float64 { return curvature(y * t * z) })}
}

// Margins are those of the loss's best model.
func (s Surrogate) Margins(m Margins) Margins {
	return Margins{s.Scale * m.Shift, s.Scale * m.Deviation}
}

// Back takes the law of a fitted model's margins to the scale of the logistic one.
func (s Surrogate) Back(f Fitted) Fitted {
	return Fitted{f.Shift / s.Scale, f.Variance / (s.Scale * s.Scale), f.Covariance / s.Scale}
}

// Hinge is the surrogate of the squared hinge (1 − z)²₊/2h, continued by its tangent of slope −1 below z = 1 − h; h = ∞, 0 here, for
// the squared hinge ½(1 − z)²₊ itself.
func (m Margins) Hinge(h float64) Surrogate {
	by := h
	if h == 0 {
		by = 1
	}
	return m.SurrogateOf(func(z float64) float64 {
		switch short := 1 - z; {
		case short <= 0:
			return 0
		case h == 0 || short < h:
			return -short / by
		}
		return -1
	}, func(z float64) float64 {
		if short := 1 - z; short > 0 && (h == 0 || short < h) {
			return 1 / by
		}
		return 0
	})
}
