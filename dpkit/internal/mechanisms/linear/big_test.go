package linear

import "math/big"

// bigWishart is L·A·Aᵀ·Lᵀ in 200-bit arithmetic.
func bigWishart(l, a []float64, n int) []float64 {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	t := make([]*big.Float, n*n)
	product := func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(200).Mul(x, y) }
	for i := range n {
		for j := range n {
			t[i*n+j] = number(0)
			for k := j; k <= i; k++ {
				t[i*n+j].Add(t[i*n+j], product(number(l[i*n+k]), number(a[k*n+j])))
			}
		}
	}
	w := make([]float64, n*n)
	for i := range n {
		for j := range n {
			sum := number(0)
			for k := range n {
				sum.Add(sum, product(t[i*n+k], t[j*n+k]))
			}
			w[i*n+j], _ = sum.Float64()
		}
	}
	return w
}
