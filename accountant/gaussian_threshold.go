package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussianThreshold is the release of numbers of people by keys that nobody lists: of each key that somebody has, the number of people
// with independent Gaussian noise, if that is above a threshold, and nothing otherwise. A person has at most Groups keys, and counts once in
// each. Sums of their rows may ride along: those of a key are shown where its number of people is.
//
// A key that one person alone has may show, so that the release is private with a δ that no noise takes away (docs/theory/tables.md#keys-that-are-found).
type GaussianThreshold struct {
	Sigma     float64 // σ, standard deviation of the noise on each number
	Threshold float64 // T, in people
	Groups    int     // G, keys of a person at most
	// Values is S: what a row adds beside its count has squares that sum up to S at most. 0: nothing rides along.
	Values float64
	// Rows and RowsPerGroup bound the rows of a person, in all and of one key, where they are counted beside people; 0: a row is a person.
	Rows, RowsPerGroup int
	Cells              int     // numbers of a key
	GridSigma          float64 // σ in steps of the grid that the noise is drawn on
	Neighbours         Neighbours
}

var _ = registerLeaf[GaussianThreshold]("gaussian_threshold")

// mostThresholdGroups bounds the keys of a person: the profile goes through as many cases.
const mostThresholdGroups = 1 << 10

// RDP returns an error that wraps [ErrNoRoute]: a key of one person tells who it is, with a probability that is not 0.
func (g GaussianThreshold) RDP(rel Neighbours) (Curve, error) {
	if err := g.validate(rel); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("accountant: %v: no Rényi curve, as a key of one person may show; use its profile or ApproxRDP: %w", g, ErrNoRoute)
}

// ApproxRDP is the curve of the Gaussian release of all numbers, outside the failure 1 − F^G that a key of this person alone shows: given that
// none does, the two laws are those of a Gaussian release of the keys that both tables have.
func (g GaussianThreshold) ApproxRDP(rel Neighbours) (c Curve, delta0 float64, err error) {
	if err := g.validate(rel); err != nil {
		return nil, math.NaN(), err
	}
	other := g.Groups
	if rel == AddRemove {
		other = 0
	}
	mu := quad.DivUp(quad.SqrtUp(g.moves(g.Groups, other)), g.Sigma)
	return gaussianCurve(mu), g.Shows(), nil
}

// Shows is the probability that some key of a person who alone has them shows, at most: 1 − F^G.
func (g GaussianThreshold) Shows() float64 {
	return min(1, quad.Inflate(-math.Expm1(float64(g.Groups)*g.logHidden()), thresholdMargin))
}

// logHidden is ln F, F = Φ((T − 1)/σ): a key of one person stays hidden.
func (g GaussianThreshold) logHidden() float64 { return quad.LogNormalCDF((g.Threshold - 1) / g.Sigma) }

// thresholdMargin covers the relative error of ln F and of what is made of it.
const thresholdMargin = 0x1p-40

// Profile is exact but for the grid, on which μ is that of discrete noise ([DiscreteGaussian.GDP]). Discrete noise hides a key of one person with at
// least the probability F of continuous noise. With j keys that exist on the first side because of
// the person and i on the other, and μ for the rest, it is the largest of
//
//	1 − F^j + F^j δ_μ(ε + i ln F − j ln F),
//
// i = 0 under add/remove, where the other direction is δ_μ(ε + j ln F) (after Wilkins, Kifer, Zhang, Karrer 2023; Gopi and others 2020).
// Where μ depends on i + j alone, the largest of each i + j is at an end: with e = ε + (2j − m)a, a = −ln F, the derivative by j has the sign of
// 1 − Φ(μ/2 − e/μ) − e^e Φ(−μ/2 − e/μ), which rises.
func (g GaussianThreshold) Profile(rel Neighbours) (Profile, error) {
	if err := g.validate(rel); err != nil {
		return nil, err
	}
	return func(epsilon float64) float64 { return g.delta(rel, epsilon) }, nil
}

// within reports whether the profile at ε is at most δ. It says what [GaussianThreshold.Profile] says, and leaves most cases out: those that
// are too small to matter, and once one is too large all others.
func (g GaussianThreshold) within(b Budget) bool {
	if g.validate(g.Neighbours) != nil {
		return false
	}
	low := b.Delta * (1 - 1e-9) // the cases below it
	return g.largest(g.Neighbours, b.Epsilon, low, func(delta float64) bool { return !(delta <= b.Delta) }) <= b.Delta
}

// delta is the profile, rounded up.
func (g GaussianThreshold) delta(rel Neighbours, epsilon float64) float64 {
	return g.largest(rel, epsilon, 0, func(float64) bool { return false })
}

// largest is δ, or low where δ is less; any case for which enough holds ends the search.
func (g GaussianThreshold) largest(rel Neighbours, epsilon, low float64, enough func(delta float64) bool) float64 {
	if math.IsNaN(epsilon) {
		return 1
	}
	hidden := -g.logHidden() // a
	onGrid := 1.0
	if !math.IsInf(g.GridSigma, 1) {
		onGrid = latticeRatio(g.GridSigma)
	}
	most := low
	mu := func(i, j int) float64 {
		other := g.Groups - i
		if rel == AddRemove {
			other = 0
		}
		return quad.MulUp(quad.DivUp(quad.SqrtUp(g.moves(g.Groups-j, other)), g.Sigma), onGrid)
	}
	// down bounds what i of from … to and j give by the largest μ and the least ε of theirs.
	down := func(from, to, j int) float64 {
		show := min(1, quad.Inflate(-math.Expm1(-float64(j)*hidden), thresholdMargin))
		// Down: δ_μ falls.
		e := epsilon + float64(j-to)*hidden - float64(to+j)*hidden*thresholdMargin
		return quad.AddUp(show, quad.MulUp(1-show*(1-2*thresholdMargin), gaussianDelta(e, mu(from, j))))
	}
	one := func(i, j int) {
		most = max(most, down(i, i, j))
		if rel == AddRemove {
			most = max(most, gaussianDelta(epsilon-float64(j)*hidden*(1+thresholdMargin), mu(i, j)))
		}
	}
	// many is one of all i of from … to, but for those that cannot be the largest, so that none of the bits depends on what is left out.
	// Proof. [GaussianThreshold.moves] rises with the keys on the other side, n − i, so that μ falls with i, as ε does, step by step of its
	// float64 arithmetic too; δ_μ(ε) rises with μ and falls with ε. What down says of the largest μ and the least ε is therefore at least
	// each of them, to a relative error of twice that of gaussianDelta, which the margin covers many times; where numbers are subnormal
	// none is left out.
	var many func(from, to, j int)
	many = func(from, to, j int) {
		const margin, least = 1e-9, 1e-290
		switch {
		case enough(most):
		case from == to:
			one(from, j)
		case !(most >= least && down(from, to, j)*(1+margin) <= most):
			mid := (from + to) / 2
			many(from, mid, j)
			many(mid+1, to, j)
		}
	}
	switch n := g.Groups; {
	case rel == AddRemove:
		for j := 0; j <= n && !enough(most); j++ {
			one(0, j)
		}
	case g.bySum():
		for m := 0; m <= 2*n && !enough(most); m++ {
			one(min(m, n), m-min(m, n))
			one(m-min(m, n), min(m, n))
		}
	default:
		// The largest is often at an end; seen first, it leaves more of the others out.
		for k := 0; k < 3 && !enough(most); k++ {
			one(0, []int{n, 0, n / 2}[k])
		}
		for j := 0; j <= n; j++ {
			many(0, n, j)
		}
	}
	return min(1, most)
}

// bySum reports whether moves hangs on the sum of its arguments alone.
func (g GaussianThreshold) bySum() bool { return g.Rows == 0 && g.Values <= 1 }

// moves bounds the square of what a person moves the numbers by who has a keys on one side and b on the other, apart from those that are
// theirs alone.
//
// One row a key: with t keys on both sides 4St + (a + b − 2t)(1 + S) is largest at an end of 0 ≤ t ≤ min(a, b). Several: the largest of one side
// for itself, as (x − y)² + S(x + y)² ≤ max(1 + S, 2S)(x² + y²).
func (g GaussianThreshold) moves(a, b int) float64 {
	s := g.Values
	if g.Rows == 0 {
		t := float64(min(a, b))
		all := float64(a+b) * (1 + s)
		return quad.Inflate(max(all, 4*s*t+(float64(a+b)-2*t)*(1+s)), 0x1p-50)
	}
	square := 1 + s
	if b > 0 {
		square = max(square, 2*s)
	}
	return quad.Inflate(g.ofRows(a, square)+g.ofRows(b, square), 0x1p-48)
}

// ofRows is the largest Σ 1 + square·x² of at most so many keys, 1 ≤ x ≤ R rows of each, K in all: as many rows in as few keys as can be.
func (g GaussianThreshold) ofRows(keys int, square float64) (most float64) {
	rows, each := float64(g.Rows), float64(g.RowsPerGroup)
	for n := 1.0; n <= float64(keys) && n <= rows; n++ {
		left, full := rows-n, n
		if each > 1 {
			full = min(n, math.Floor(left/(each-1)))
		}
		sum := full * each * each
		if full < n {
			rest := 1 + left - full*(each-1)
			sum += rest*rest + (n - full - 1)
		}
		most = max(most, n+square*sum)
	}
	return most
}

// String names the release, its noise and its threshold.
func (g GaussianThreshold) String() string {
	s := fmt.Sprintf("GaussianThreshold(sigma %.6g, threshold %.6g, %d keys of a person", g.Sigma, g.Threshold, g.Groups)
	if g.Values > 0 {
		s += fmt.Sprintf(", values %.6g", g.Values)
	}
	if g.Rows > 0 {
		s += fmt.Sprintf(", %d rows, %d of a key", g.Rows, g.RowsPerGroup)
	}
	return s + fmt.Sprintf(", %v)", g.Neighbours)
}

func (g GaussianThreshold) validate(rel Neighbours) error {
	const event = "accountant: GaussianThreshold: "
	if err := g.Neighbours.match("GaussianThreshold", rel); err != nil {
		return err
	}
	switch {
	case !(g.Sigma > 0) || math.IsInf(g.Sigma, 1):
		return fmt.Errorf(event+"sigma: got %g, want a positive finite number: %w", g.Sigma, ErrParameter)
	case !(g.Threshold >= 0) || math.IsInf(g.Threshold, 1):
		return fmt.Errorf(event+"threshold: got %g, want a finite number, at least 0: %w", g.Threshold, ErrParameter)
	case g.Groups < 1 || g.Groups > mostThresholdGroups:
		return fmt.Errorf(event+"groups: got %d, want 1 to %d keys of a person: %w", g.Groups, mostThresholdGroups, ErrParameter)
	case !(g.Values >= 0) || math.IsInf(g.Values, 1):
		return fmt.Errorf(event+"values: got %g, want a finite number, at least 0: %w", g.Values, ErrParameter)
	case g.Rows != 0 && (g.RowsPerGroup < 1 || g.RowsPerGroup > g.Rows || g.Rows > 1<<20):
		return fmt.Errorf(event+"rows: got %d of a person and %d of a key, want 1 ≤ of a key ≤ of a person ≤ 2^20, or none: %w", g.Rows, g.RowsPerGroup, ErrParameter)
	case g.Rows == 0 && g.RowsPerGroup != 0:
		return fmt.Errorf(event+"rows: got %d of a key and none of a person, want both or none: %w", g.RowsPerGroup, ErrParameter)
	case g.Cells < 1:
		return fmt.Errorf(event+"cells: got %d, want at least 1 number of a key: %w", g.Cells, ErrParameter)
	case !(g.GridSigma >= 1):
		return fmt.Errorf(event+"grid sigma: got %g, want at least 1 step: %w", g.GridSigma, ErrParameter)
	}
	return nil
}
