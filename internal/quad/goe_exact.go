package quad

import "math"

// goeExactLargest is the size up to which GOEExceeds is exact.
const goeExactLargest = 100

// GOEExceeds is the probability that the largest eigenvalue of the ensemble of [GOETail] exceeds lam, rounded up by
// goeExactMargin, for d up to 100; beyond, and where that is less, it is the bound of GOETail.
//
// The eigenvalues x = λ/√2 have the density ∏_{i<j}|x_i − x_j| ∏e^(−x²/2), so that by the Pfaffian of de Bruijn (1955)
//
//	P(all x ≤ s) = √(det A(s)/det A(∞)),  A_jk(s) = ∫∫_{x,y ≤ s} sgn(y − x) ψ_j(x) ψ_k(y) = 2∫_{−∞}^s ψ_k Ψ_j − Ψ_j(s) Ψ_k(s),
//
// for the Hermite functions ψ_j, j < d, and Ψ_j(s) = ∫_{−∞}^s ψ_j; for odd d, A has the row and the column Ψ_j(s) besides.
func GOEExceeds(d int, lam float64) float64 {
	bound := GOETail(d, lam)
	if !(d <= goeExactLargest) || !(bound > 1e-4) || math.IsNaN(bound) {
		return bound
	}
	edge := math.Sqrt(2*float64(d)) + 12
	s := lam / math.Sqrt2
	if s <= -edge {
		return 1
	}
	below, all := goeSkew(d, min(s, edge), edge)
	p := math.Exp((below - all) / 2)
	if !(p <= 1) { // NaN, or rounding
		return min(bound, 1)
	}
	return min(bound, 1, 1-p+goeExactMargin)
}

// goeExactMargin covers quadrature and elimination: results agree with references in 25 digits to 1e-11.
const goeExactMargin = 1e-9

// goeSkew returns ln det A(s) and ln det A(edge).
func goeSkew(d int, s, edge float64) (below, all float64) {
	size := d + d%2
	a := make([]float64, size*size)
	anti := make([]float64, d) // Ψ
	psi := make([]float64, d)
	read := func(upTo float64) float64 {
		m := make([]float64, size*size)
		hermite(upTo, psi, anti)
		for j := range d {
			for k := range j {
				// A is skew: the mean of both entries halves what quadrature is off by.
				v := (a[j*size+k] - a[k*size+j])
				m[j*size+k] = v
				m[k*size+j] = -v
			}
			if d%2 == 1 {
				m[j*size+d], m[d*size+j] = anti[j], -anti[j]
			}
		}
		return logDet(m, size)
	}
	width := min(0.25, 4/math.Sqrt(float64(d)))
	lo := -edge
	for _, end := range []float64{s, edge} {
		panels := max(1, int(math.Ceil((end-lo)/width)))
		for i := range panels {
			from := lo + (end-lo)*float64(i)/float64(panels)
			to := lo + (end-lo)*float64(i+1)/float64(panels)
			mid, half := (from+to)/2, (to-from)/2
			for n, x := range goeNodes {
				for _, sign := range [2]float64{-1, 1} {
					hermite(mid+sign*half*x, psi, anti)
					w := half * goeWeights[n]
					for j, v := range anti {
						row := a[j*size : j*size+d]
						for k, u := range psi {
							row[k] += w * v * u
						}
					}
				}
			}
		}
		lo = end
		if below == 0 && end == s {
			below = read(s)
		}
	}
	return below, read(edge)
}

// Gauss-Legendre nodes and weights of 10 points (half of them).
var (
	goeNodes   = [5]float64{0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717}
	goeWeights = [5]float64{0.2955242247147529, 0.2692667193099963, 0.2190863625159821, 0.1494513491505806, 0.0666713443086881}
)

// hermite writes ψ_j(x) and Ψ_j(x) = ∫_{−∞}^x ψ_j.
func hermite(x float64, psi, anti []float64) {
	const rootPi4 = 1.331335363800389712797534917950285543718
	for j := range psi {
		switch j {
		case 0:
			psi[0] = math.Exp(-x*x/2) / rootPi4
			anti[0] = math.Sqrt(2*math.Pi) / rootPi4 * NormalCDF(x)
		case 1:
			psi[1] = math.Sqrt2 * x * psi[0]
			anti[1] = -math.Sqrt2 * psi[0]
		default:
			n := float64(j - 1)
			psi[j] = math.Sqrt(2/(n+1))*x*psi[j-1] - math.Sqrt(n/(n+1))*psi[j-2]
			anti[j] = math.Sqrt(n/(n+1))*anti[j-2] - math.Sqrt(2/(n+1))*psi[j-1]
		}
	}
}

// logDet is ln|det A| by elimination with row pivots; A is overwritten.
func logDet(a []float64, n int) float64 {
	sum := 0.0
	for j := range n {
		best := j
		for i := j + 1; i < n; i++ {
			if math.Abs(a[i*n+j]) > math.Abs(a[best*n+j]) {
				best = i
			}
		}
		if best != j {
			for k := j; k < n; k++ {
				a[j*n+k], a[best*n+k] = a[best*n+k], a[j*n+k]
			}
		}
		pivot := a[j*n+j]
		sum += math.Log(math.Abs(pivot))
		for i := j + 1; i < n; i++ {
			f := a[i*n+j] / pivot
			for k := j + 1; k < n; k++ {
				a[i*n+k] -= f * a[j*n+k]
			}
		}
	}
	return sum
}
