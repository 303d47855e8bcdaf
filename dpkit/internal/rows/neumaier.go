package rows

// Neumaier is a compensated sum (Neumaier 1974; Ogita, Rump, Oishi 2005, Sum2): its error is at most
// 2^-52·|Σ| + n²·2^-105·Σ|x|. What a pass adds up is an [ExactSum].
type Neumaier struct{ s, c float64 }

// Add has the exact error of the sum by TwoSum (Knuth, TAOCP 2, 4.2.2).
func (a *Neumaier) Add(x float64) {
	t := a.s + x
	z := t - a.s
	a.c += (a.s - (t - z)) + (x - z)
	a.s = t
}

// Sum is the sum of all terms so far.
func (a *Neumaier) Sum() float64 { return a.s + a.c }
