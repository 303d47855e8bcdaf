package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// countLaw is the law of the number of displaced rows that a step draws. Where there are many values,
// neighbouring ones are merged into the largest of them: what rises with the count is only overestimated.
type countLaw struct {
	count []float64 // rising
	logP  []float64 // rounded up
	p     []float64 // e^logP
}

// certainly is the law of a constant.
func certainly(k int) countLaw {
	return countLaw{count: []float64{float64(k)}, logP: []float64{0}, p: []float64{1}}
}

// binomialCount is the law of the number of successes in n trials.
func binomialCount(n int, q float64) countLaw {
	switch {
	case n == 0 || q == 0:
		return certainly(0)
	case q == 1:
		return certainly(n)
	}
	rows := float64(n)
	lq, l1q := math.Log(q), math.Log1p(-q)
	return newCountLaw(0, n, rows, rows*q, math.Sqrt(rows*q*(1-q)), func(k float64) float64 {
		return logBinomial(rows, k) + k*lq + (rows-k)*l1q
	}, func(k float64) float64 {
		return (rows - k) / (k + 1) * (q / (1 - q))
	})
}

// hypergeometricCount is the law of the number of marked rows in a batch of size batch from rows, marked of which are.
func hypergeometricCount(rows, marked, batch int) countLaw {
	lo, hi := max(0, batch-(rows-marked)), min(marked, batch)
	if lo == hi {
		return certainly(lo)
	}
	n, r, b := float64(rows), float64(marked), float64(batch)
	mean := b * r / n
	sd := math.Sqrt(mean * (1 - r/n) * (n - b) / max(1, n-1))
	total := logBinomial(n, b)
	return newCountLaw(lo, hi, n, mean, sd, func(k float64) float64 {
		return logBinomial(r, k) + logBinomial(n-r, b-k) - total
	}, func(k float64) float64 {
		return (r - k) / (k + 1) * ((b - k) / (n - r - b + k + 1))
	})
}

// newCountLaw tabulates ln p on lo…hi, made of factorials up to size!, and merges values where there are more than
// a few hundred. The ratios p(k+1)/p(k) must fall.
func newCountLaw(lo, hi int, size, mean, sd float64, logP, ratio func(k float64) float64) countLaw {
	const values = 256
	core, rest := 1, 1 // widths of the merged blocks, within ten deviations of the mean and outside
	if hi-lo >= 4*values {
		core = max(1, int(20*sd/values))
		rest = max(core, (hi-lo)/values)
	}
	// ln Γ is right to a few units in the last place of its value.
	largest, _ := math.Lgamma(size + 2)
	slack := 32 * eps * (1 + largest)
	var law countLaw
	for k := lo; k <= hi; {
		width := rest
		if math.Abs(float64(k)-mean) <= 10*sd+1 {
			width = core
		}
		end := min(hi, k+width-1)
		p := min(0, logBlock(k, end, mean, logP, ratio)+slack)
		law.count = append(law.count, float64(end))
		law.logP = append(law.logP, p)
		law.p = append(law.p, math.Exp(p))
		k = end + 1
	}
	return law
}

// logBlock is ln Σ p over first…last, from the value nearest the mean outward: what a part too small to be added
// leaves out is below its last term times its length.
func logBlock(first, last int, mean float64, logP, ratio func(k float64) float64) float64 {
	mid := max(first, min(last, int(mean)))
	at := logP(float64(mid))
	if first == last {
		return at
	}
	const negligible = 0x1p-60
	sum := 1.0
	p := 1.0
	for k := mid; k < last; k++ {
		r := ratio(float64(k))
		p *= r
		if left := p * float64(last-k); r <= 1 && left <= negligible*sum {
			sum += left
			break
		}
		sum += p
	}
	p = 1
	for k := mid; k > first; k-- {
		r := 1 / ratio(float64(k-1))
		p *= r
		if left := p * float64(k-first); r <= 1 && left <= negligible*sum {
			sum += left
			break
		}
		sum += p
	}
	return at + math.Log(sum)
}

// logMean is ln E e^g, rounded up, for the values g at the counts: as ln(1 + Σ p (e^g − 1)) where that is small.
func (l countLaw) logMean(g []float64) float64 {
	top := 0.0
	for i, p := range l.logP {
		top = max(top, p+g[i])
	}
	if math.IsInf(top, 1) || math.IsNaN(top) {
		return math.Inf(1)
	}
	sum := 0.0
	if top < 1 {
		for i, p := range l.p {
			switch e := l.logP[i] + g[i]; {
			case e < -140 && sum > 1e-40: // a part below 2^-68
			case g[i] > 40: // less 1, which is below the margin
				sum += math.Exp(e)
			default:
				sum += p * math.Expm1(g[i])
			}
		}
		return quad.Inflate(math.Log1p(quad.Inflate(sum, kernelMargin)), 4*eps)
	}
	for i, p := range l.logP {
		if e := p + g[i] - top; e > -800 {
			sum += math.Exp(e)
		}
	}
	return quad.Inflate(top+math.Log(quad.Inflate(sum, kernelMargin)), 8*eps)
}

// logExpectSquare is ln E e^{cK²}, rounded up.
func (l countLaw) logExpectSquare(c float64) float64 {
	terms := make([]float64, len(l.count))
	c *= 1 + 8*eps
	for i, k := range l.count {
		terms[i] = c * k * k
	}
	return l.logMean(terms)
}
