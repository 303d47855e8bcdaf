package linear

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// LinearDomain is the public geometry of the rows z = (x, c, v): features, the constant feature unless there is
// none, and the label v scaled from its bounds to [−height, height]. Cells are rounded to the grid h·Z, h a power
// of two, so coarse that sums of products of cells are exact in float64 in any order: second moments then do not
// depend on how rows are split, and a neighbour's differ by its own row alone.
type LinearDomain struct {
	N, D     int
	constant float64 // c; 0: none
	mid, to  float64 // label = mid + to·v
	Height   float64 // bound on |v|, rounding included
	H        float64
	r        float64    // bound on ‖x‖ before rounding
	Rx       float64    // bound on ‖(x, c)‖, rounding included
	Features pair.State // of the rows (x, c), with norm bound rx
	Rows     pair.State // of the rows z
}

// LinearDomainOf is the geometry of the rows that reach st, with a numeric label scaled to scale times the bound on a row,
// and with the constant feature where intercept is set. Errors wrap [kind.ErrParameter]: more than 2^36 rows.
func LinearDomainOf(st stage.Stage, scale float64, intercept bool) (*LinearDomain, error) {
	p := st.Before
	label, _ := st.In.Label()
	g := &LinearDomain{N: p.N, D: st.In.Width(), r: p.R, mid: label.Lo + (label.Hi-label.Lo)/2}
	if intercept {
		g.constant = domain.InterceptHeight * p.R
	}
	rx := math.Hypot(p.R, g.constant)
	height := scale * rx
	g.to = (label.Hi - label.Lo) / 2 / height
	return g, g.settle(p, rx, height)
}

// gramDomain is the domain of features alone: no constant, and a label column of zeros.
func gramDomain(st stage.Stage) (*LinearDomain, error) {
	p := st.Before
	g := &LinearDomain{N: p.N, D: st.In.Width(), r: p.R, to: math.Inf(1)}
	return g, g.settle(p, p.R, 0)
}

// settle chooses the grid for rows (x, c) of norm at most rx and labels of at most height, and the bounds behind it.
func (g *LinearDomain) settle(p pair.State, rx, height float64) error {
	// Σ over n rows of products of cells of at most 2^q steps each stays below 2^53.
	q := (52 - bits.Len(uint(p.N))) / 2
	if q < 8 {
		return fmt.Errorf("got %d rows, want at most 2^36: %w", p.N, kind.ErrParameter)
	}
	_, e := math.Frexp(math.Hypot(rx, height))
	g.H = math.Ldexp(1, e-q)
	m := g.Size()
	g.Rx = stage.UpSum(rx+math.Sqrt(float64(m-1))*g.H/2, m)
	if height > 0 {
		g.Height = stage.Up(height + g.H/2)
	}
	var err error
	if g.Features, err = g.FeaturesBehind(p); err != nil {
		return err
	}
	g.Rows, err = g.rowsBehind(p)
	return err
}

// FeaturesBehind is the pair state of the rows (x, c) behind one of the rows that were read, and rowsBehind that of the rows z.
func (g *LinearDomain) FeaturesBehind(p pair.State) (pair.State, error) {
	return p.Propagate(g.rounds(g.Rx))
}

func (g *LinearDomain) rowsBehind(p pair.State) (pair.State, error) {
	return p.Propagate(g.rounds(stage.Up(math.Hypot(g.Rx, g.Height))))
}

// rounds is what rounding to the grid does to a pair, with that bound on a row's norm behind it.
func (g *LinearDomain) rounds(r float64) pair.StepBounds {
	m := g.Size()
	return pair.StepBounds{K: 1, KF: 1, Jump: stage.Up(math.Sqrt(float64(m-1))*g.H + stage.Rounding(m, g.Rx)), R: r, ResetFree: true}
}

// Coefficients is the number of columns of (x, c).
func (g *LinearDomain) Coefficients() int {
	if g.constant > 0 {
		return g.D + 1
	}
	return g.D
}

// constantCell is what the constant feature is on the grid; 0 where there is none.
func (g *LinearDomain) constantCell() float64 {
	if g.constant == 0 {
		return 0
	}
	return math.RoundToEven(g.constant/g.H) * g.H
}

// Size is the number of columns of z.
func (g *LinearDomain) Size() int { return g.Coefficients() + 1 }

// Domain is the domain itself: fits embed it.
func (g *LinearDomain) Domain() *LinearDomain { return g }

// Model turns coefficients of (x, c) for v into a model of the label.
func (g *LinearDomain) Model(in frames.Schema, c Coefficients) models.LinearModel {
	label, _ := in.Label()
	m := models.LinearModel{Label: label.Name, Lo: label.Lo, Hi: label.Hi, Method: c.Method, Freedom: c.freedom, Strength: c.strength, Intercept: g.mid}
	m = models.WithLaw(m, g.scaledLaw(c.law))
	for j, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
		m.Coef = append(m.Coef, g.to*c.W[j])
		if c.se != nil {
			m.Errors = append(m.Errors, g.to*c.se[j])
		}
	}
	if g.constant > 0 {
		m.Intercept += g.to * c.W[g.D] * g.constant
		if c.se != nil {
			m.InterceptError = g.to * c.se[g.D] * g.constant
		}
	}
	return m
}

// Coefficients are in the units of a [LinearDomain].
type Coefficients struct {
	Method  string
	W       []float64
	se      []float64        // scales of their errors; nil: not known
	freedom int              // degrees of freedom of the t law of (w − target)/se; 0: normal
	law     *coefficient.Law // in these units; nil: that of se and freedom

	// Ridge and To are what a ridge that was read off noisy sums shrank by, and to; To is nil for 0.
	Ridge float64
	To    []float64

	strength float64 // a private bound that was released on the way; 0: none
}
