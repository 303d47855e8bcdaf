package pdp

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// At tells the owner of a record, member or not: features of the rows that were fitted, without the constant one, and the
// label: −1 or +1, of least squares any number. Errors wrap [ErrParameter].
func (b *Bounds) At(x []float64, y float64) (View, error) { return b.at(x, y, either) }

// Member is [Bounds.At] for the owner of one of the rows that were fitted: a little less as a rule, with a
// Hessian more at times. Errors wrap [ErrParameter].
func (b *Bounds) Member(x []float64, y float64) (View, error) { return b.at(x, y, member) }

// NonMember is [Bounds.At] for the owner of a record that was not fitted. Errors wrap [ErrParameter].
func (b *Bounds) NonMember(x []float64, y float64) (View, error) { return b.at(x, y, nonMember) }

// side is which of the two losses a bound is for.
type side uint8

const (
	either side = iota
	member
	nonMember
)

func (b *Bounds) at(x []float64, y float64, which side) (View, error) {
	p, err := b.point(x, y)
	if err != nil {
		return View{}, err
	}
	r := &b.r
	centre, slack := 0.0, 0.0 // of −st
	if g := r.Gradient; g != nil {
		centre = p.sign * b.pull * dot(p.row, g.Value)
		slack = 0x1p-44*float64(len(p.row))*p.norm*math.Sqrt(dot(g.Value, g.Value)) + 0x1p-40*math.Abs(centre)
	}
	v := View{Model: quad.AddUp(b.model.loss(p, which, centre, slack), b.output), Rho: r.Rho, Who: b.who, Worst: r.Worst.Epsilon}
	v.Both = v.Model
	if r.coordinates() > 0 {
		gradient, curved := b.ownDeviations(p)
		v.Report = ownLoss(math.Hypot(gradient, curved), b.own)
		v.Both = quad.AddUp(quad.AddUp(b.both.loss(p, which, 0, 0), ownLoss(curved, b.curved)), b.output)
	}
	if math.IsNaN(v.Model + v.Report + v.Both) {
		return View{}, fmt.Errorf("pdp: report: got numbers whose squares leave the range of float64: %w", ErrParameter)
	}
	return v, nil
}

// point is what a loss has of a record besides t.
type point struct {
	row       []float64
	sign      float64 // s = ±1; −s is the sign of f' where that is known before b is drawn
	known     bool    // it is
	square    float64 // ‖x‖², rounded up
	norm      float64 // ‖x‖, rounded up
	slope     interval
	bend      float64 // f”, at most
	member    float64 // −ln(1−m) of a member, at most
	nonMember float64 // ln(1+m) of another record, at most
	lambda    float64
}

func (b *Bounds) point(x []float64, y float64) (p point, err error) {
	row, err := b.rowOf(x, y)
	if err != nil {
		return p, err
	}
	r := &b.r
	p = point{row: row, sign: 1, square: quad.Inflate(dot(row, row), 0x1p-44*float64(len(row))), lambda: r.Lambda}
	p.norm = quad.SqrtUp(p.square)
	u := dot(row, r.Theta)
	// θ* is near, and u is rounded.
	move := quad.Inflate(p.norm*r.Near, 0x1p-40) + 0x1p-50*float64(len(row)+8)*p.norm*math.Sqrt(dot(r.Theta, r.Theta))
	first, second := r.loss().Derivatives(u, y)
	if r.Squared {
		move += 0x1p-50 * (math.Abs(u) + math.Abs(y))
		p.slope, p.bend = interval{first - move, first + move}, second
	} else {
		p.sign, p.known = y, true
		p.slope = interval{max(-1, first-move/4-0x1p-50), min(1, first+move/4+0x1p-50)}
		if y > 0 { // f' has the sign of −y
			p.slope.hi = min(p.slope.hi, 0)
		} else {
			p.slope.lo = max(p.slope.lo, 0)
		}
		p.bend = min(0.25, quad.Inflate(second*math.Exp(min(move, 700)), 0x1p-44))
	}

	det := math.Log1p(p.bend * p.square / r.Lambda)
	p.member, p.nonMember = det, det
	if m := p.bend * b.leverage(row); m < 1 {
		p.member, p.nonMember = min(det, -math.Log1p(-m)), min(det, math.Log1p(m))
	}
	return p, nil
}

// typical is the |f'| at which the two ends of a bound are about as far. Any number is valid; at this one the bounds of rows with
// |f'| in 0.2 to 0.5 are within a few hundredths of their least.
const typical = 0.4

// loss bounds |L| where −yt is around centre, give or take slack.
func (l *linear) loss(p point, which side, centre, slack float64) float64 {
	variance := l.sigma * l.sigma
	unit := l.deviation * p.norm
	lead := 0.0
	if unit > 0 && p.known {
		// Both ends of |f'|(−yt)/σ² + A ± q and its negative are as far where |f'| is typical and A = ln(1 + f”‖x‖²/Λ).
		gap, q := math.Log1p(typical*(1-typical)*p.square/p.lambda)*variance/typical, typical*p.square
		switch which {
		case member:
			gap += q
		case nonMember:
			gap -= q
		}
		lead = (gap + 2*centre) / unit
	}
	with, against := l.split(lead)
	t := interval{-p.sign*centre - slack, -p.sign*centre + slack}
	if p.sign > 0 {
		t.lo, t.hi = t.lo-unit*with, t.hi+unit*against
	} else {
		t.lo, t.hi = t.lo-unit*against, t.hi+unit*with
	}
	cross := p.slope.times(t)
	cross.lo, cross.hi = cross.lo/variance, cross.hi/variance
	far, near := max(-p.slope.lo, p.slope.hi), max(0, min(math.Abs(p.slope.lo), math.Abs(p.slope.hi)))
	most, least := far*far*p.square/(2*variance), near*near*p.square/(2*variance)*(1-0x1p-30)
	// A member's logarithm is in [0, member], another's in [−nonMember, 0].
	in := max(p.member+cross.hi+most, -cross.lo-least)
	out := max(-cross.lo+most, p.nonMember+cross.hi-least)
	switch which {
	case member:
		out = in
	case nonMember:
		in = out
	}
	// Rounding of the terms, of which some cancel.
	size := math.Abs(cross.lo) + math.Abs(cross.hi) + most + p.member + p.nonMember
	return max(0, in, out) + 0x1p-36*size
}

// ownDeviations are bounds on the μ of the report's gradient, and of its Hessian and eigenvalue, for a record: Gaussian mechanisms with
// μ² = f'²‖x‖²/s_g² and f”²‖x‖⁴/s_H² + f”²‖x‖⁴/s_λ² (the off-diagonal noise of the Hessian has the variance s_H²/2).
func (b *Bounds) ownDeviations(p point) (gradient, curved float64) {
	if g := b.r.Gradient; g != nil {
		gradient = quad.Inflate(max(-p.slope.lo, p.slope.hi)*p.norm/g.Sigma, 0x1p-40)
	}
	shift := p.bend * p.square
	if h := b.r.Hessian; h != nil {
		curved = quad.Inflate(shift/h.Sigma, 0x1p-40)
	}
	if e := b.r.Eigenvalue; e != nil {
		curved = quad.Inflate(math.Hypot(curved, shift/e.Sigma), 0x1p-40)
	}
	return gradient, curved
}

// ownLoss bounds the loss of statistics with common noise: given θ* it is normal with mean μ²/2 and variance μ² at most.
func ownLoss(mu, quantile float64) float64 {
	if mu == 0 {
		return 0
	}
	mu = quad.Inflate(mu, 0x1p-40)
	return quad.Inflate(mu*mu/2+mu*quantile, 0x1p-40)
}
