package dpkit

// neumaier is a compensated sum (Neumaier 1974; Ogita, Rump, Oishi 2005, Sum2): its error is at most
// 2^-52·|Σ| + n²·2^-105·Σ|x|, however the terms were parted into sums that merged.
type neumaier struct{ s, c float64 }

// add has the exact error of the sum by TwoSum (Knuth, TAOCP 2, 4.2.2).
func (a *neumaier) add(x float64) {
	t := a.s + x
	z := t - a.s
	a.c += (a.s - (t - z)) + (x - z)
	a.s = t
}

func (a *neumaier) merge(next neumaier) {
	a.add(next.s)
	a.c += next.c
}

func (a *neumaier) sum() float64 { return a.s + a.c }
