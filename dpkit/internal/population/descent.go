package population

import "math"

// Descent is projected noisy gradient descent with momentum, as package gradient runs it.
type Descent struct {
	Steps    int
	Size     func(t int) float64 // η_t of a mean gradient
	Momentum float64
	Noise    float64 // standard deviation on each coordinate of a mean gradient
	Ball     float64 // W
	From     int     // the first step whose iterate is averaged
	Copies   float64 // vectors of coefficients that share the ball
	Draw     float64 // variance of a mean gradient by the draw of a batch, in units of a row's second moment; 0 for all rows
}

// direction is what is known of the coefficients in one direction: their mean in units of the best model's, and the covariance of
// noise in the iterate, in the one before it and in the average.
type direction struct {
	value, count, norm2 float64    // eigenvalue, directions, and the squared norm of the best model in them
	mean                [3]float64 // of iterate, iterate before, average
	cov                 [6]float64 // 00, 01, 11, 02, 12, 22
}

// step is w ← a·w − m·w₋ + noise, with the mean led to pull.
func (d *direction) step(a, momentum, lead, variance float64) {
	c := d.cov
	d.mean[0], d.mean[1] = a*d.mean[0]-momentum*d.mean[1]+lead, d.mean[0]
	d.cov = [6]float64{
		a*a*c[0] - 2*a*momentum*c[1] + momentum*momentum*c[2] + variance,
		a*c[0] - momentum*c[1],
		c[0],
		a*c[3] - momentum*c[4],
		c[3],
		c[5],
	}
}

// shrink scales the iterate.
func (d *direction) shrink(by float64) {
	d.mean[0] *= by
	d.cov[0] *= by * by
	d.cov[1] *= by
	d.cov[3] *= by
}

// take adds the k-th iterate to the average.
func (d *direction) take(k float64) {
	p, q := 1/k, 1-1/k
	c := d.cov
	d.mean[2] = q*d.mean[2] + p*d.mean[0]
	d.cov[3], d.cov[4], d.cov[5] = q*c[3]+p*c[0], q*c[4]+p*c[1], q*q*c[5]+2*p*q*c[3]+p*p*c[0]
}

// directions are those of the population for a best model of these margins, the constant feature last.
func (r Rows) directions(m Margins) []direction {
	out := make([]direction, 0, len(r.Groups)+1)
	for _, g := range r.Groups {
		d := direction{value: g.Value, count: g.Count}
		if g.Value > 0 {
			d.norm2 = g.Share * m.Deviation * m.Deviation / g.Value
		}
		out = append(out, d)
	}
	if c := r.Constant; c > 0 {
		out = append(out, direction{value: c * c, count: 1, norm2: m.Shift * m.Shift / (c * c)})
	}
	return out
}

// margins is the law of the margin of the i-th of iterate, iterate before and average.
func (r Rows) margins(ds []direction, m Margins, i int) Fitted {
	var f Fitted
	at := [3]int{0, 2, 5}[i]
	for k, d := range ds {
		if k == len(r.Groups) {
			f.Shift = d.mean[i] * m.Shift
		} else {
			v := d.value * d.norm2
			f.Variance += v * d.mean[i] * d.mean[i]
			f.Covariance += v * d.mean[i]
		}
		f.Variance += d.value * d.count * d.cov[at]
	}
	return f
}

// Run is the law of the margins of the averaged coefficients, for a loss whose mean gradient at coefficients w is what a [Bend] says.
// The gradient of normal rows is linear in w but for one number, the mean curvature, which follows from the law of the margins; so that
// means and covariances obey recursions of their own.
func (d Descent) Run(r Rows, m Margins, bend Bend) Fitted {
	ds := r.directions(m)
	best := bend(m, m.best())
	taken := 0.0
	for t := range d.Steps {
		eta := d.Size(t)
		now := bend(m, r.margins(ds, m, 0))
		norm2 := 0.0
		for k := range ds {
			x := &ds[k]
			lead := eta * x.value * best.Curvature
			if k == len(r.Groups) { // the constant feature's gradient is c·(q′ − q): here as curvature·w and the rest
				lead = 0
				if m.Shift != 0 {
					lead = eta * x.value * (best.Response - now.Response + now.Curvature*m.Shift*x.mean[0]) / m.Shift
				}
			}
			variance := eta * eta * (d.Noise*d.Noise + d.Draw*x.value)
			x.step(1+d.Momentum-eta*x.value*now.Curvature, d.Momentum, lead, variance)
			norm2 += x.mean[0]*x.mean[0]*x.norm2 + x.count*x.cov[0]
		}
		by := 1.0
		if norm2 *= d.Copies; norm2 > d.Ball*d.Ball {
			by = d.Ball / math.Sqrt(norm2)
		}
		if t >= d.From {
			taken++
		}
		for k := range ds {
			if by < 1 {
				ds[k].shrink(by)
			}
			if t >= d.From {
				ds[k].take(taken)
			}
		}
	}
	return r.margins(ds, m, 2)
}
