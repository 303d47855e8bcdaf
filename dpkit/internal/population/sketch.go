package population

// Sketch is a regression of signs ±1, times Height, on a Gaussian sketch of the rows and its noise; margins are Scale times the regression's
// scores of signs.
type Sketch struct {
	Rows    float64 // n
	Added   float64 // σ²: the variance that the noise adds to every direction of the rows
	Freedom float64 // rows of the sketch beyond the coefficients
	Height  float64
	Scale   float64
}

// Run is the law of the margins by that of the coefficients: about the ridge solution with ridge σ², with the covariance
// v/((freedom − 1)(nλ + σ²)) in each direction, where v is the residual variance of the noisy columns. The regression of signs has the
// direction of the best model, w = 2·E σ′(m)·w*, by Stein's lemma.
func (s Sketch) Run(r Rows, m Margins) Fitted {
	ds := r.directions(m)
	best := Logistic(m, m.best())
	signs, lead := 2*best.Response-1, 2*best.Curvature
	rest := s.Rows*s.Height*s.Height + s.Added
	for k := range ds {
		x := &ds[k]
		stiff := s.Rows*x.value + s.Added
		to := lead // what the best model's coefficients are in the units of signs
		if k == len(r.Groups) {
			if to = 0; m.Shift != 0 {
				to = signs / m.Shift
			}
		}
		x.mean[0] = s.Scale * to * s.Rows * x.value / stiff
		along := to * to * x.norm2 * x.value * s.Rows * s.Height * s.Height
		rest -= along * s.Rows * x.value / stiff
		x.cov[0] = s.Scale * s.Scale / (s.Height * s.Height * max(s.Freedom-1, 0.5) * stiff)
	}
	for k := range ds {
		ds[k].cov[0] *= max(rest, 0)
	}
	return r.margins(ds, m, 0)
}
