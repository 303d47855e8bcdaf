package pdp

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Who says whom a bound is for: which records are right about their losses at the same time.
type Who uint8

const (
	// ForOne is one record that was fixed before the run.
	ForOne Who = iota
	// ForAllRows is any n records that were fixed before the run, as those of the dataset: each has a part ρ/n of what
	// depends on the record. At n = 400 and ρ = 0.1 that is Φ⁻¹(1 − ρ/2n) = 3.66 deviations in place of 1.645: bounds twice as far.
	ForAllRows
	// ForAnyone is every record at once, those that were made up after the release too.
	ForAnyone
)

// String names the choice.
func (w Who) String() string {
	switch w {
	case ForOne:
		return "one record"
	case ForAllRows:
		return "all rows at once"
	case ForAnyone:
		return "everybody at once"
	default:
		return fmt.Sprintf("Who(%d)", uint8(w))
	}
}

// View is what a person is told: bounds on the absolute privacy loss. Each holds with probability 1 − Rho, by itself: all of
// them hold together with 1 − 3·Rho at least.
type View struct {
	Model  float64 // of the released coefficients
	Report float64 // of the report's own noisy statistics, given the coefficients; 0 for a report that has none
	Both   float64 // of all of the release, bounded at once: with a gradient alone less than the sum of the two
	Rho    float64
	Who    Who
	Worst  float64 // the ε that everybody was promised, for all of the release; 0 for least squares, where none is
}

// Total bounds the loss of the coefficients and the report together.
func (v View) Total() float64 {
	if v.Both == 0 { // of a view that was stored when its parts held together and there was no Both
		return quad.AddUp(v.Model, v.Report)
	}
	return v.Both
}

// String says it in a sentence.
func (v View) String() string {
	worst := "no worst case"
	if v.Worst > 0 {
		worst = fmt.Sprintf("worst case %.3g", v.Worst)
	}
	return fmt.Sprintf("your loss is at most %s (%s), with probability %.6g", roundedUp(v.Total()), worst, 1-v.Rho)
}

// roundedUp prints three digits, never less than x.
func roundedUp(x float64) string {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Sprint(x)
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(x)))
	return fmt.Sprintf("%.3g", math.Ceil(x*scale*(1-1e-9))/scale)
}
