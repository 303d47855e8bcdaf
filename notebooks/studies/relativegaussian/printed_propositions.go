package relativegaussian

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
	"github.com/dpkit-go/dpnb/viz"
)

// propositionOne takes C = diag(1, 10⁻⁴) and A = C + vvᵀ with v = (1, 0.01), for which A ⪰ C: ρ = 1. Of a row in a direction
// (radians) it returns ‖xxᵀA⁻¹‖², by which the squared gradient moves, over what is claimed: for a row as long as the printed clipping
// lets it be, over the printed 6R_c⁴/ρ²; and for one as long as ours does, over our R_c⁴/ρ².
func propositionOne(angle float64) (printed, ours float64) {
	c := [2]float64{1, 1e-4}
	v := [2]float64{1, 0.01}
	a, b, d := c[0]+v[0]*v[0], v[0]*v[1], c[1]+v[1]*v[1]
	sin, cos := math.Sincos(angle)
	det := a*d - b*b
	p, q := (d*cos-b*sin)/det, (a*sin-b*cos)/det // A⁻¹x
	moved := p*p + q*q
	theirs := cos*cos/(c[0]*c[0]) + sin*sin/(c[1]*c[1]) // ‖x‖²xᵀC⁻²x at ‖x‖ = 1
	mine := (cos*cos/c[0] + sin*sin/c[1]) / c[1]        // ‖x‖²xᵀC⁻¹x/λ_min(C)
	return moved / (6 * theirs), moved / mine
}

// PropositionOneFigure draws them around the first axis; farther away both are below 1.
func PropositionOneFigure() viz.View {
	printed, ours := viz.Series{Name: "clipped as printed, over the printed 6R⁴/(ρn)²"}, viz.Series{Name: "clipped in the right norm, over its η²"}
	for i := -150; i <= 150; i++ {
		angle := math.Pi / 180 * float64(i) / 150
		p, o := propositionOne(angle)
		printed.X, printed.Y = append(printed.X, angle*180/math.Pi), append(printed.Y, p)
		ours.X, ours.Y = append(ours.X, angle*180/math.Pi), append(ours.Y, o)
	}
	return viz.Lines(viz.LineChart{
		Title: "Proposition 1", X: viz.Axis{Name: "angle between the row and the first axis", Unit: "degrees"}, Y: viz.Axis{Name: "true over claimed η²", Log: true},
		Series: []viz.Series{printed, ours}, Rules: []viz.Rule{{Name: "the claim", At: 1}},
	})
}

// orthogonal is ‖X‖²XᵀA⁻²X of the paper's example of orthogonal rows, one to each of d directions, where the half of the rows that may
// change is 0: printed as at most 2d.
func orthogonal(d int) float64 {
	eigen := 1 / (2 * float64(d)) // of A along each of the directions, at ‖X‖ = 1
	return 1 / (eigen * eigen)
}

// Settings of the counterexample to Proposition 2; see TestPropositionTwoFails of package accountant.
const twoRows, twoRidge, twoRho, twoEpsilon, twoDelta = 1000, 0.1, 0.1 - 1e-7, 1.0, 1e-6

// propositionTwo is the printed statistic Δ₊, the least number of rows with Σ xᵀ(A − ρC)⁻¹x ≥ n, and the corrected
// n(λ_min(A) − ρ)/R_c², for 999 rows (1, 0) and one row (0, t), C = I and R_c = 1.
func propositionTwo(t float64) (printed int, ours float64) {
	a := [2]float64{twoRidge + float64(twoRows-1)/twoRows, twoRidge + t*t/twoRows}
	weights := []float64{t * t / (a[1] - twoRho)}
	for range twoRows - 1 {
		weights = append(weights, 1/(a[0]-twoRho))
	}
	return least(weights), twoRows * (min(a[0], a[1]) - twoRho)
}

// least is how many of the weights reach their number, beginning with the largest; one more where all do not.
func least(weights []float64) int {
	slices.Sort(weights)
	sum := 0.0
	for i := range weights {
		if sum += weights[len(weights)-1-i]; sum >= float64(len(weights)) {
			return i + 1
		}
	}
	return len(weights) + 1
}

// passes is the probability that Δ + Lap(1/ε) is above a threshold.
func passes(delta, epsilon, threshold float64) float64 {
	if gap := epsilon * (delta - threshold); gap > 0 {
		return 1 - math.Exp(-gap)/2
	} else {
		return math.Exp(gap) / 2
	}
}

// PropositionTwoFigure is the statistic, and the probability to pass the test, over datasets that are all neighbours of each other.
func PropositionTwoFigure() viz.View {
	statistic := [2]viz.Series{{Name: "printed Δ+"}, {Name: "corrected"}}
	pass := [2]viz.Series{{Name: "printed Δ+"}, {Name: "corrected"}}
	for i := -1; i <= 60; i++ {
		t, x := 0.0, 1e-5
		if i >= 0 {
			t = math.Pow(10, -5+5*float64(i)/60)
			x = t
		}
		n, e := propositionTwo(t)
		for k, v := range []float64{float64(n), e} {
			threshold := math.Log(1/twoDelta) / twoEpsilon
			if k == 1 {
				threshold = 1 + math.Log(1/(2*twoDelta))/twoEpsilon
			}
			statistic[k].X, statistic[k].Y = append(statistic[k].X, x), append(statistic[k].Y, v)
			pass[k].X, pass[k].Y = append(pass[k].X, x), append(pass[k].Y, passes(v, twoEpsilon, threshold))
		}
	}
	x := viz.Axis{Name: "t: length of the one row that differs", Log: true}
	return viz.Panels("Proposition 2", "All datasets are neighbours of each other.",
		viz.LineChart{Title: "Statistic: must move by at most 1", X: x, Y: viz.Axis{Name: "statistic"}, Series: statistic[:]},
		viz.LineChart{Title: "Probability to pass at ε = 1, δ = 1e-6", X: x, Y: viz.Axis{Name: "probability", Log: true}, Series: pass[:]})
}

// strength is ρ of the paper's equation (12), (d F_{d+2}(R²) + R²(1 − F_d(R²)))/2d for the χ² laws F, with R² = R_c².
func strength(d int, square float64) float64 {
	chiSquare := func(w float64, k int) float64 { return math.Exp(quad.LogChiSquareCDF(w, k)) }
	return (float64(d)*chiSquare(square, d+2) + square*(1-chiSquare(square, d))) / (2 * float64(d))
}

// Settings of Proposition 3: Gaussian rows with Σ = I.
const threeDim, threeClip, threeDelta, threeNu = 10, 20.0, 1e-6, 0.05

// rowsWanted is the number of rows that Proposition 3 asks for, and the corrected one.
func rowsWanted(epsilon float64) (printed, ours float64) {
	return math.Log(1/threeDelta) * threeClip / (2 * epsilon),
		2 * threeClip * (2*math.Log(1/(2*threeDelta))/epsilon + 1) / (2 * strength(threeDim, threeClip))
}

// acceptance draws n rows, computes Δ₊ with the proposition's ρ and μ_reg, and returns the probability that its test accepts ρ.
func acceptance(n int, epsilon float64, seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	const d = threeDim
	ridge := 4 * threeClip * math.Sqrt(math.Log(2*d/threeNu)/float64(n))
	rows := make([][d]float64, n)
	var a [d][d]float64
	for i := range rows {
		x := &rows[i]
		var square float64
		for j := range x {
			x[j] = rng.NormFloat64()
			square += x[j] * x[j]
		}
		if square > threeClip {
			for j := range x {
				x[j] *= math.Sqrt(threeClip / square)
			}
		}
		for p, v := range x {
			for q := range p + 1 {
				a[p][q] += v * x[q] / float64(n)
			}
		}
	}
	for j := range d {
		a[j][j] += ridge - strength(d, threeClip)
	}
	// The Cholesky factor of A − ρC, in place; there is none where the test cannot pass.
	for p := range d {
		for q := range p + 1 {
			for k := range q {
				a[p][q] -= a[p][k] * a[q][k]
			}
			switch {
			case q < p:
				a[p][q] /= a[q][q]
			case !(a[p][p] > 0):
				return passes(0, epsilon, math.Log(1/threeDelta)/epsilon)
			default:
				a[p][p] = math.Sqrt(a[p][p])
			}
		}
	}
	weights := make([]float64, n)
	for i, x := range rows {
		for p := range d {
			for k := range p {
				x[p] -= a[p][k] * x[k]
			}
			x[p] /= a[p][p]
			weights[i] += x[p] * x[p]
		}
	}
	return passes(float64(least(weights)), epsilon, math.Log(1/threeDelta)/epsilon)
}

// PropositionThreeFigure is how often ρ is accepted at the printed number of rows, which is said to be always.
func PropositionThreeFigure() viz.View {
	at := viz.Series{Name: "with the printed number of rows"}
	corrected := viz.Series{Name: "with the corrected number of rows"}
	for i := range 11 {
		epsilon := math.Pow(10, -3.2+2.2*float64(i)/10)
		printed, ours := rowsWanted(epsilon)
		at.X, at.Y = append(at.X, epsilon), append(at.Y, acceptance(int(math.Ceil(printed)), epsilon, 1))
		if ours < 5e5 {
			corrected.X, corrected.Y = append(corrected.X, epsilon), append(corrected.Y, acceptance(int(math.Ceil(ours)), epsilon, 1))
		}
	}
	return viz.Lines(viz.LineChart{
		Title: "Proposition 3", X: viz.Axis{Name: "ε of the test", Log: true}, Y: viz.Axis{Name: "probability that ρ is accepted", Range: [2]float64{0, 1.05}},
		Series: []viz.Series{at, corrected}, Rules: []viz.Rule{{Name: "printed: always", At: 1}},
	})
}
