package coefficient

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Law is what bounds the noise in a model's coefficients: numbers that are public or were released with them. Margins at any
// level follow from it (docs/theory/mechanisms.md#uncertainty-of-coefficients).
type Law struct {
	// Law names how the noise reaches the coefficients, or why nothing bounds it.
	Law string `json:"law"`
	// Scales are a unit of noise for each coefficient, the intercept last; those of several vectors follow one another. One that is 0
	// is of a coefficient without noise, such as an intercept that is public.
	Scales []float64 `json:"scales,omitempty"`
	// Slack is what rounding and solvers add, in units of the scale.
	Slack float64 `json:"slack,omitempty"`
	// Failure is a part of every chance of a miss that is spent before the level is known.
	Failure float64 `json:"failure,omitempty"`
	Freedom int     `json:"freedom,omitempty"` // of a law of t or χ
	Sides   int     `json:"sides,omitempty"`   // 2: an average of iterates, whose largest counts
	// Moments are of a fit that solves noisy sums.
	Moments *Moments `json:"moments,omitempty"`
}

// Moments are the noise on sums M = G + rI + E and g + e that coefficients θ̂ = M⁻¹(g + e) solve, in deviations σ of E's diagonal.
type Moments struct {
	// Along is |⟨M⁻¹_j, θ̂⟩| as Scales are ‖M⁻¹_j‖, both with σ and the coefficient's unit.
	Along []float64 `json:"along"`
	Units []float64 `json:"units"` // of the coefficients in the model
	Least float64   `json:"least"` // the least eigenvalue of M, in magnitude
	Size  float64   `json:"size"`  // ‖θ̂‖
	Right float64   `json:"right"` // variance of the noise on g, over that on the diagonal
	Ridge float64   `json:"ridge,omitempty"`
	// Fixed says that the coefficients without noise do not depend on the noise: the ridge is at an end of its range.
	Fixed bool `json:"fixed,omitempty"`
	// Ways is in how many ways the ridge can be fixed far from the noise, and Seen and Cover are the least eigenvalue that the ridge was
	// chosen by and what it was held against; 0: no ridge is chosen.
	Ways  int     `json:"ways,omitempty"`
	Seen  float64 `json:"seen,omitempty"`
	Cover float64 `json:"cover,omitempty"`
}

// Laws of the noise in coefficients. Stored models name them.
const (
	NoNoise         = "none"
	ByOutput        = "output"
	BySketch        = "sketch"
	BySums          = "moments"
	ByClippedSums   = "clipped moments"
	ByObjective     = "objective"
	BySteps         = "steps"
	ByPass          = "pass"
	ByRelativeSteps = "relative steps"

	// Without a bound:
	OfMean          = "mean of the label"
	OfMomentum      = "momentum"
	OfClippedScores = "clipped margins"
	OfGrowingSteps  = "growing steps"
	OfLongSteps     = "long steps"
	OfStrength      = "strength"
	OfCoordinator   = "coordinator"
	OfLink          = "link"
	OfRaisedSums    = "raised moments"
	OfOverflow      = "overflow"
)

// Unread is why nothing bounds the noise whatever the level; "" where something does.
func (l *Law) Unread() string { return unread[l.Law] }

// Held is what intervals of the law hold.
func (l *Law) Held() string { return heldBy[l.Law] }

// Bounding lists the laws that have intervals.
func Bounding() []string { return slices.Sorted(maps.Keys(heldBy)) }

// Unbounded lists the laws that say why there are no intervals.
func Unbounded() []string { return slices.Sorted(maps.Keys(unread)) }

const sameFit = "the coefficient that the same fit gives on the same rows without noise"

// wide is said of laws that bound all coefficients together, or by what contraction is left.
const wide = "The interval may be many times wider than the noise"

// heldBy says of each law what its intervals hold.
var heldBy = map[string]string{
	NoNoise:         "the coefficient of the fit itself, to which no noise was added",
	ByOutput:        sameFit + ": ridge regression with the same ridge and the same bound on its length",
	BySketch:        sameFit + ": least squares with the noise of the sketch as the ridge",
	BySums:          sameFit + ": ridge regression with the ridge that this release chose, and what it shrinks to",
	ByClippedSums:   sameFit + ": least squares on the rows as this release clipped them",
	ByObjective:     sameFit + ": the minimiser of the same loss with the same ridge. " + wide,
	BySteps:         sameFit + ": the same number of the same steps, on the same draws of rows. " + wide,
	ByPass:          sameFit + ": the same pass to the same row",
	ByRelativeSteps: sameFit + ": the same number of the same steps. " + wide,
}

// unread says of each law without a bound why nothing is known.
var unread = map[string]string{
	OfMean:          "the release is the mean of the label, and no column was looked at. The method sets its coefficients to 0",
	OfMomentum:      "steps with momentum carry noise on, and nothing bounds how far. Set StepSize for steps without momentum",
	OfClippedScores: "gradients of several scores are clipped together, and nothing bounds how far their steps carry noise. A larger Clip does not clip",
	OfGrowingSteps:  "the size of a step follows the noisy sums. Set StepSize for steps of a fixed size",
	OfLongSteps:     "steps may be so long that they carry noise on without a bound. Ask for a smaller StepSize",
	OfStrength:      "the noise follows the size of gradients, which is bounded by a declared, tested or asked for strength alone",
	OfCoordinator:   "the point is the coordinator's choice, which may have used other nodes' answers",
	OfRaisedSums:    "in some direction the released moments are no larger than their noise, and nothing bounds the coefficients there",
	OfOverflow:      "the bound on the noise in some coefficient is too large for a number, so that nothing is known of them",
	OfLink:          "the scale of the coefficients was recovered from the released moments, and the law of its error is not known",
}

// Check reports a law that no release wrote, for a model of so many coefficients, intercepts included.
func (l *Law) Check(coefficients int) error {
	if l == nil || unread[l.Law] != "" {
		return nil
	}
	if heldBy[l.Law] == "" {
		return fmt.Errorf("law of the noise: got %q, want one that dpkit's releases name", l.Law)
	}
	if l.Law == NoNoise {
		return nil
	}
	if len(l.Scales) != coefficients {
		return fmt.Errorf("law of the noise: got %d scales for %d coefficients with their intercepts", len(l.Scales), coefficients)
	}
	numbers := append([]float64{l.Slack, l.Failure, float64(l.Freedom)}, l.Scales...)
	m := l.Moments
	if (m != nil) != (l.Law == BySums || l.Law == ByClippedSums) {
		return fmt.Errorf("law of the noise: %q with moments: %v", l.Law, m != nil)
	}
	if m != nil {
		if len(m.Along) != len(l.Scales) || len(m.Units) != len(l.Scales) {
			return fmt.Errorf("law of the noise: got %d numbers along the coefficients and %d units for %d", len(m.Along), len(m.Units), len(l.Scales))
		}
		numbers = append(append(append(numbers, m.Least, m.Size, m.Right, m.Ridge, m.Cover, m.Seen), m.Along...), m.Units...)
	}
	for _, v := range numbers {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("law of the noise: got %g, want a finite number of at least 0", v)
		}
	}
	return nil
}

// Margins are how far the coefficients may be from those without noise, each with a chance of a miss of at most 1 − level; or why nothing
// bounds that.
func (l *Law) Margins(level float64) (margins []float64, reason string) {
	if why := unread[l.Law]; why != "" {
		return nil, why
	}
	miss := (1 - level) - l.Failure
	if !(miss > 0) {
		return nil, fmt.Sprintf("more than a part %.2g of all releases may draw so many rows that steps carry noise on without a bound: ask for a lower level", l.Failure)
	}
	each := func(q float64) ([]float64, string) {
		out := make([]float64, len(l.Scales))
		for j, s := range l.Scales {
			out[j] = s * (q + l.Slack)
		}
		return out, ""
	}
	switch l.Law {
	case ByOutput:
		return each(twoSided(miss))
	case BySketch:
		return each(-distuv.StudentsT{Sigma: 1, Nu: float64(l.Freedom)}.Quantile(miss / 2))
	case ByObjective:
		best := math.Inf(1)
		for _, share := range []float64{0.01, 0.03, 0.1, 0.3, 0.6} {
			best = min(best, (twoSided((1-share)*miss)+chiQuantile(l.Freedom, share*miss))/2)
		}
		return each(best)
	case BySteps, ByPass:
		return each(chiQuantile(l.Freedom, miss/float64(max(1, l.Sides))))
	case ByRelativeSteps:
		return each(1 / math.Sqrt(miss))
	}
	return l.momentMargins(miss)
}

// momentMargins are those of coefficients that solve noisy sums (docs/theory/mechanisms.md#uncertainty-of-coefficients).
func (l *Law) momentMargins(miss float64) ([]float64, string) {
	m, p := l.Moments, l.Freedom
	uniform := 0.02 * miss
	right := chiQuantile(p, uniform/2)*math.Sqrt(m.Right) + l.Slack // ‖e‖
	spectral := quad.GOEQuantile(p, uniform/4)/math.Sqrt2 + l.Slack // ‖E‖, of both signs
	ways := float64(max(1, m.Ways))
	if m.Cover > 0 && !(m.Seen >= m.Cover+2*spectral) {
		ways++
	}
	x, z := chiQuantile(p, 0.08*miss/ways)+l.Slack, twoSided(0.9*miss/ways)+l.Slack
	noise := 1 / m.Least // of M⁻¹
	c := noise * x
	// How far θ̂ may be from θ: by (G + rI)(θ̂ − θ) = e − Eθ̂ and G ⪰ 0, and by M(θ̂ − θ) = e − Eθ.
	off := (right + spectral*m.Size) / (m.Ridge + max(0, m.Seen-spectral))
	if noise*spectral < 1 {
		off = min(off, noise*(right+spectral*m.Size)/(1-noise*spectral))
	}
	if m.Fixed && c < 1 {
		top := (m.Size + c*math.Sqrt(m.Right*(1-c*c)+m.Size*m.Size)) / (1 - c*c) // T = ‖θ̂‖ + c√(Right + T²)
		off = min(off, c*math.Sqrt(m.Right+top*top))
	}
	if math.IsInf(off, 1) || math.IsNaN(off) {
		return nil, "in some direction the noise on the sums is as large as the sums are, and nothing bounds the coefficients there"
	}
	top := m.Size + off
	whole := math.Sqrt(m.Right + top*top)
	out := make([]float64, len(l.Scales))
	for j, s := range l.Scales {
		out[j] = min(s*(right+spectral*top), m.Units[j]*off)
		if !m.Fixed {
			continue
		}
		along := m.Along[j] + s*off
		sd := math.Sqrt(s*s*(m.Right+top*top/2) + along*along/2)
		out[j] = min(out[j], x*sd)
		if c < 1 {
			out[j] = min(out[j], z*(sd+c/(1-c)*s*whole)+s/(1-c)*x*off)
		}
	}
	return out, ""
}

// twoSided is how many deviations away a normal number is with that chance, on either side.
func twoSided(miss float64) float64 { return -quad.NormalQuantile(miss / 2) }

// chiQuantile is the length that a vector of k independent standard normal numbers passes with that chance, from above.
func chiQuantile(k int, miss float64) float64 {
	if k < 1 {
		return 0
	}
	log := math.Log(miss)
	lo, hi := 0.0, math.Sqrt(float64(k))+math.Sqrt(-2*log) // Laurent, Massart 2000
	for range 100 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if quad.LogChiSquareSF(mid*mid, k) > log {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
