package dpkit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// linearDomain is the public geometry of the rows z = (x, c, v): features, the constant feature unless there is
// none, and the label v scaled from its bounds to [−height, height]. Cells are rounded to the grid h·Z, h a power
// of two, so coarse that sums of products of cells are exact in float64 in any order: second moments then do not
// depend on how rows are split, and a neighbour's differ by its own row alone.
type linearDomain struct {
	n, d     int
	constant float64 // c; 0: none
	mid, to  float64 // label = mid + to·v
	height   float64 // bound on |v|, rounding included
	h        float64
	r        float64    // bound on ‖x‖ before rounding
	rx       float64    // bound on ‖(x, c)‖, rounding included
	features pair.State // of the rows (x, c), with norm bound rx
	rows     pair.State // of the rows z
}

func linearDomainOf(st Stage, scale float64, intercept bool) (*linearDomain, error) {
	p := st.Before
	label, _ := st.In.Label()
	g := &linearDomain{n: p.N, d: len(st.In.Features()), r: p.R, mid: label.Lo + (label.Hi-label.Lo)/2}
	if intercept {
		g.constant = interceptHeight * p.R
	}
	rx := math.Hypot(p.R, g.constant)
	height := scale * rx
	g.to = (label.Hi - label.Lo) / 2 / height
	return g, g.settle(p, rx, height)
}

// momentDomain is the domain of features alone: no constant, and a label column of zeros.
func momentDomain(st Stage) (*linearDomain, error) {
	p := st.Before
	g := &linearDomain{n: p.N, d: len(st.In.Features()), r: p.R, to: math.Inf(1)}
	return g, g.settle(p, p.R, 0)
}

// settle chooses the grid for rows (x, c) of norm at most rx and labels of at most height, and the bounds behind it.
func (g *linearDomain) settle(p pair.State, rx, height float64) error {
	// Σ over n rows of products of cells of at most 2^q steps each stays below 2^53.
	q := (52 - bits.Len(uint(p.N))) / 2
	if q < 8 {
		return fmt.Errorf("got %d rows, want at most 2^36: %w", p.N, ErrParameter)
	}
	_, e := math.Frexp(math.Hypot(rx, height))
	g.h = math.Ldexp(1, e-q)
	m := g.size()
	g.rx = upSum(rx+math.Sqrt(float64(m-1))*g.h/2, m)
	if height > 0 {
		g.height = up(height + g.h/2)
	}
	jump := pair.StepBounds{K: 1, KF: 1, Jump: up(math.Sqrt(float64(m-1))*g.h + rounding(m, g.rx)), R: g.rx, ResetFree: true}
	var err error
	if g.features, err = p.Propagate(jump); err != nil {
		return err
	}
	jump.R = up(math.Hypot(g.rx, g.height))
	g.rows, err = p.Propagate(jump)
	return err
}

// coefficients is the number of columns of (x, c).
func (g *linearDomain) coefficients() int {
	if g.constant > 0 {
		return g.d + 1
	}
	return g.d
}

// size is the number of columns of z.
func (g *linearDomain) size() int { return g.coefficients() + 1 }

func (g *linearDomain) domain() *linearDomain { return g }

// model turns coefficients of (x, c) for v into a model of the label.
func (g *linearDomain) model(in frames.Schema, c coefficients) LinearModel {
	label, _ := in.Label()
	m := LinearModel{Label: label.Name, Lo: label.Lo, Hi: label.Hi, Method: c.method, Freedom: c.freedom, Strength: c.strength, Intercept: g.mid}
	for j, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
		m.Coef = append(m.Coef, g.to*c.w[j])
		if c.se != nil {
			m.Errors = append(m.Errors, g.to*c.se[j])
		}
	}
	if g.constant > 0 {
		m.Intercept += g.to * c.w[g.d] * g.constant
		if c.se != nil {
			m.InterceptError = g.to * c.se[g.d] * g.constant
		}
	}
	return m
}

// coefficients are in the units of a linearDomain.
type coefficients struct {
	method  LinearMethod
	w       []float64
	se      []float64 // scales of their errors; nil: not known
	freedom int       // degrees of freedom of the t law of (w − target)/se; 0: normal

	strength float64 // a private bound that was released on the way; 0: none
}
