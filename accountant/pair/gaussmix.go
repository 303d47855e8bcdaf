package pair

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussMixOptions are the public constants of an [accountant.GaussMix] on a pair state, in absolute units.
type GaussMixOptions struct {
	K     int     // rows of the sketch
	Noise float64 // σ², the variance of the added noise
	// Floor is a certified lower bound on the smallest eigenvalue of the Gram matrix of the rows that are not
	// free, on both sides; 0 holds for all data.
	Floor float64
}

// GaussMixOn is the [accountant.GaussMix] of the rows of a pair in the state p: the direct route, which sees the free row and
// the displaced ones at once. Without a free row it is the smooth curve. More than one free row is not
// covered ([accountant.ErrNoRoute]): use [accountant.Group]. Other errors wrap [ErrPair], [accountant.ErrNeighbours] or
// [accountant.ErrParameter].
func GaussMixOn(p State, o GaussMixOptions) (accountant.GaussMix, error) {
	if err := p.Validate(); err != nil {
		return accountant.GaussMix{}, err
	}
	p = p.Close()
	if p.F > 1 {
		return accountant.GaussMix{}, fmt.Errorf("pair: GaussMix: %d free rows, want at most one; use the group bound: %w", p.F, accountant.ErrNoRoute)
	}
	if !(o.Noise >= 0) || !(o.Floor >= 0) || math.IsInf(o.Noise+o.Floor, 1) {
		return accountant.GaussMix{}, fmt.Errorf("pair: GaussMix: noise %g, floor %g: want finite numbers, at least 0: %w", o.Noise, o.Floor, accountant.ErrParameter)
	}
	// Everything is divided by R², down where less is costlier.
	square := quad.MulUp(p.R, p.R)
	down := func(x float64) float64 { return max(0, x*(1-0x1p-51)) }
	gamma := 1 + down((o.Noise+o.Floor)/square)
	g := accountant.GaussMix{
		K: o.K, Gamma: max(1, down(gamma)), Neighbours: p.Neighbours,
		Displacement: quad.DivUp(p.TF, p.R), ShiftOnly: p.F == 0,
	}
	g.Noise = min(down(down(o.Noise/square)), g.Gamma-1)
	_, err := g.RDP(p.Neighbours)
	return g, err
}
