package mechanism

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Prediction is how far off a release is expected to be by its noise, from public facts alone; the zero value: unknown.
type Prediction struct {
	Of    string    // what is off, in which units
	Size  []float64 // of each number of the release, or one of the whole
	Names []string  // of the numbers; none of one of the whole
	Law   Law       // of which Size is the deviation, or the scale; "": Size is an expectation, and has no levels
	// LogK is ln K, of an exponential mechanism that draws one of K candidates.
	LogK float64
	// Most is half the range in which each number lies by what is public; 0 where none is known. Noise that is as large tells nothing. Of a
	// model it is the error of one that says nothing.
	Most []float64
	// OfPeople says of each number that Most counts people, and not the places of their rows; nil where none does.
	OfPeople []bool
	// Classes is what is expected of a classifier, whose Size is the accuracy that the noise takes; nil of others.
	Classes *Classes
	// Over computes that accuracy on each of a family of populations unlike one another, smallest first; nil of what is no classifier.
	Over func() []float64
	// Rest are further numbers, whose noise is of another law; nil where there are none.
	Rest *Prediction
	// Asked is the largest of what numbers are off by over what was asked of each; 0 where nothing was.
	Asked float64
	// Instead is the noise of the fit in whose place this stands, as it says less with less noise, in multiples of that of a chain whose
	// steps are free: plans that say as little are ranked by it, so that the way to one that says more is seen. 0: it stands in for none.
	Instead float64
	// Beside is by how much more the release may be off, which margins do not count; 0 where they count all.
	Beside float64
}

// Classes are shares of rows of a reference population whose class is predicted, and a loss.
type Classes struct {
	Accuracy float64 // of the model
	Exact    float64 // of the fit without noise
	Majority float64 // of a model that says nothing
	Excess   float64 // of the model's mean log loss over that of the fit without noise; 0 where it has none
}

// ErrorOfClasses is what is off of every classifier, so that they compare.
const ErrorOfClasses = "accuracy that the noise takes, against the fit without it on the reference population"

// OfClasses predicts the accuracy that noise takes.
func OfClasses(c Classes) Prediction {
	size, most := c.Exact-c.Accuracy, c.Exact-c.Majority
	if math.IsNaN(size) || math.IsNaN(c.Excess) {
		return Prediction{}
	}
	return Prediction{Of: ErrorOfClasses, Size: []float64{max(size, 0)}, Most: []float64{most}, Classes: &c}
}

// Law is that of a release's noise.
type Law string

// The laws whose intervals are known.
const (
	Gaussian    Law = "gaussian"    // Size is its standard deviation
	Laplace     Law = "laplace"     // Size is its standard deviation
	Geometric   Law = "geometric"   // Size is the standard deviation of two-sided geometric noise; margins are integers
	Exponential Law = "exponential" // Size is 1/η: of K candidates one that is off by t more than the best is drawn with K·e^(−ηt) at most
)

// Between are the quantiles (1 − level)/2 and (1 + level)/2 of Over, rounded outwards.
func (p Prediction) Between(level float64) (least, most float64) {
	all := p.Over()
	cut := int((1 - level) / 2 * float64(len(all)-1))
	return all[cut], all[len(all)-1-cut]
}

// Known says whether anything is predicted.
func (p Prediction) Known() bool { return p.Of != "" }

// Margin are the half-widths of intervals of that level around each number, 0 < level < 1, or what is expected where the law has no levels.
func (p Prediction) Margin(level float64) []float64 {
	out := slices.Clone(p.Size)
	factor := 1.0
	switch p.Law {
	case Gaussian:
		factor = -distuv.UnitNormal.Quantile((1 - level) / 2) // (1 + level)/2 would be rounded to 1
	case Laplace:
		factor = -math.Log1p(-level) / math.Sqrt2
	case Exponential:
		factor = p.LogK - math.Log1p(-level)
	case Geometric:
		for i, sd := range out {
			out[i] = geometricMargin(sd, level)
		}
	}
	for i := range out {
		out[i] *= factor
	}
	if p.Rest != nil {
		out = append(out, p.Rest.Margin(level)...)
	}
	return out
}

// geometricMargin is the least integer m ≥ 0 with P(|X| > m) = 2r^(m+1)/(1 + r) ≤ 1 − level for P(X = x) ∝ r^|x|, whose variance is
// 2r/(1 − r)² = 1/(2 sinh²(−ln r/2)).
func geometricMargin(sd, level float64) float64 {
	if sd == 0 {
		return 0
	}
	each := 2 * math.Asinh(math.Sqrt(0.5)/sd) // −ln r; acosh(1 + 1/sd²) would lose it where sd is large
	return max(math.Ceil((math.Ln2-math.Log1p(-level)-math.Log1p(math.Exp(-each)))/each*(1-1e-12)-1), 0)
}

// AllNames are the names of all numbers, in the order of Margin.
func (p Prediction) AllNames() []string {
	if p.Rest == nil {
		return p.Names
	}
	return append(slices.Clone(p.Names), p.Rest.AllNames()...)
}

// AllMost is Most of all numbers, 0 where it is not known, in the order of Margin.
func (p Prediction) AllMost() []float64 {
	if p.Rest == nil {
		return p.Most
	}
	own := make([]float64, len(p.Size))
	copy(own, p.Most)
	return append(own, p.Rest.AllMost()...)
}

// Deviations predicts the noise on each value by its standard deviation.
func Deviations(law Law, names []string, sd ...float64) Prediction {
	for _, v := range sd {
		if !(v >= 0) || math.IsInf(v, 1) {
			return Prediction{}
		}
	}
	return Prediction{Of: "noise on each value, in its units", Size: sd, Names: names, Law: law}
}
