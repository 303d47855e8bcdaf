package linear

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

func (s GramRelease) WasText() string { return kind.Call("Gram", s.Was()) }

func (s SketchRelease) WasText() string {
	args := []string{fmt.Sprintf("ε = %g", s.Epsilon), fmt.Sprintf("δ = %g", s.Delta)}
	if s.Rows != 0 {
		args = append(args, fmt.Sprintf("Rows = %d", s.Rows))
	}
	if s.LabelScale != 0 {
		args = append(args, fmt.Sprintf("LabelScale = %g", s.LabelScale))
	}
	if s.ReleaseEigenvalue {
		args = append(args, "ReleaseEigenvalue")
	}
	if s.Intercept { // younger: no ledger of then has it
		args = append(args, "Intercept")
	}
	return kind.Call("GaussMix", strings.Join(args, ", "))
}

func (f Fit) WasText() string {
	l := f.squares()
	args := []string{fmt.Sprintf("ε = %g", l.Epsilon), fmt.Sprintf("δ = %g", l.Delta)}
	if l.Method != models.BestLinear {
		args = append(args, l.Method)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"LabelScale", l.LabelScale}, {"Rows", float64(l.Rows)}, {"Ridge", l.Ridge}, {"MaxNorm", l.MaxNorm}} {
		if f.v != 0 {
			args = append(args, fmt.Sprintf("%s = %g", f.name, f.v))
		}
	}
	if l.Steps != 0 {
		args = append(args, fmt.Sprintf("Steps = %d", l.Steps))
	}
	if l.Strength.Given() {
		args = append(args, fmt.Sprintf("Strength = %s", l.Strength.Was()))
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"NoIntercept", l.NoIntercept}, {"ReleaseEigenvalue", l.ReleaseEigenvalue}, {"CoefficientsOnly", l.CoefficientsOnly}} {
		if f.on {
			args = append(args, f.name)
		}
	}
	return kind.Call("FitLinear", strings.Join(args, ", "))
}

// IdentityText: options were named arguments of one call.
func (f Fit) IdentityText() string {
	s := f.squares().Settings
	s.Sweep = false // which the law says
	return kind.Named("FitLinear", s)
}
