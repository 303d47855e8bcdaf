package population

// Objective is a perturbed minimisation: Σ ℓ + Ridge/2·‖w‖² + ⟨b, w⟩, and noise on the coefficients.
type Objective struct {
	Rows   float64 // n
	Ridge  float64 // Λ
	Noise  float64 // standard deviation of each coordinate of b
	Output float64 // of the noise on each coefficient
}

// Run is the law of the margins of the coefficients: (n·h′·λ + Λ)·w = n·h·λ·w* − b in each direction, where the curvature h′ follows
// from the law itself. A fixed point of that is found from above, where the ridge and the noise leave least.
func (o Objective) Run(r Rows, m Margins, bend Bend) Fitted {
	ds := r.directions(m)
	best := bend(m, m.best())
	curvature := bend(m, Fitted{}).Curvature
	var f Fitted
	for range 40 {
		for k := range ds {
			x := &ds[k]
			stiff := o.Rows*x.value*curvature + o.Ridge
			x.mean[0] = o.Rows * x.value * best.Curvature / stiff
			if k == len(r.Groups) && m.Shift != 0 {
				now := bend(m, f)
				x.mean[0] = o.Rows * x.value * (best.Response - now.Response + now.Curvature*f.Shift) / m.Shift / (o.Rows*x.value*now.Curvature + o.Ridge)
			}
			x.cov[0] = o.Noise*o.Noise/(stiff*stiff) + o.Output*o.Output
		}
		f = r.margins(ds, m, 0)
		curvature = (curvature + bend(m, f).Curvature) / 2
	}
	return f
}
