package stage

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// Bounds describe a public map that treats every column on its own, in the units of the columns.
type Bounds struct {
	K        float64 // Lipschitz constant on the tainted columns
	R        float64 // bound on a row's norm after the step
	Rounding float64 // what floating point adds to the distance of two rows; 0 for a map that copies
}

// Columnwise returns the propagation of such a map; clean columns stay clean.
func Columnwise(st Stage, b Bounds, note string) (Propagation, error) {
	// The free row may differ in clean columns too: its image is bounded by the new domain alone.
	q, err := st.Before.Propagate(pair.StepBounds{K: b.K, KF: b.K, Jump: b.Rounding, R: b.R, ResetFree: true})
	return Propagation{
		Pair: q, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RolePublic,
		Constants: []Constant{
			{"K", b.K, FromConstruction, "Lipschitz constant of the row map on displaced columns"},
			{"R", b.R, FromSchema, "bound on a row's norm after the step"},
		},
		Note: note,
	}, err
}

// FitPublic is Fit for a step that is the same public row map at training and prediction time.
func FitPublic(d Deployer, st Stage) (Transform, error) {
	m, err := d.Deploy(st)
	if err != nil {
		return nil, err
	}
	t, _, err := m.Transform(st.In.Width())
	return t, err
}
