package relativegaussian

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
)

// node holds one half of the rows: f(θ) = (1/2n) Σ (⟨x, θ − s⟩ − y)² + (μ/2)‖θ − s‖². The shift s is public: in φ = θ − s the objective
// is ridge regression of y, and so is its relative sensitivity.
type node struct {
	data
	labels []float64 // y + ⟨x, s⟩
	norms  []float64 // ‖x‖
	extra  []float64 // μs: of the regulariser's gradient, which is public

	a    *mat.SymDense // (1/n) Σ x xᵀ + μI
	b    []float64     // (1/n) Σ (y + ⟨x, s⟩) x + μs
	mean []float64     // (1/n) Σ y x
	best []float64     // A⁻¹b
	eig  []float64     // of A, rising

	// What the methods read off the data, as the paper does.
	clip     float64 // largest gradient of a row at the node's optimum
	leverage float64 // largest xᵀA⁻¹x
	joint    float64 // largest ‖x‖√(xᵀA⁻¹x/λ_min(A))
	exact    float64 // largest ‖xxᵀA⁻¹‖
	norm     float64 // largest ‖x‖
	moment   float64 // largest ‖y x‖
}

func newNode(r data, shift []float64, mu float64) (*node, error) {
	d, n := r.d, float64(r.rows())
	k := &node{data: r, extra: make([]float64, d), mean: make([]float64, d), b: make([]float64, d)}
	a := make([]float64, d*d)
	for i := range r.rows() {
		x := r.row(i)
		v := r.y[i] + dot(x, shift)
		k.labels, k.norms = append(k.labels, v), append(k.norms, math.Sqrt(dot(x, x)))
		for p := range d {
			for q := p; q < d; q++ {
				a[p*d+q] += x[p] * x[q] / n
			}
			k.mean[p] += r.y[i] * x[p] / n
			k.b[p] += v * x[p] / n
		}
	}
	for p := range d {
		a[p*d+p] += mu
		k.extra[p] = mu * shift[p]
		k.b[p] += k.extra[p]
	}
	k.a = mat.NewSymDense(d, a)
	var eig mat.EigenSym
	if !eig.Factorize(k.a, false) {
		return nil, fmt.Errorf("the eigensolver did not converge")
	}
	k.eig = eig.Values(nil)
	var chol mat.Cholesky
	if !chol.Factorize(k.a) {
		return nil, fmt.Errorf("the node's second moments are singular")
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, err
	}
	k.best = times(&inverse, k.b)
	for i := range r.rows() {
		x := r.row(i)
		w := times(&inverse, x)
		lev := dot(x, w)
		k.leverage = max(k.leverage, lev)
		k.joint = max(k.joint, k.norms[i]*math.Sqrt(lev/k.eig[0]))
		k.exact = max(k.exact, k.norms[i]*math.Sqrt(dot(w, w)))
		k.norm = max(k.norm, k.norms[i])
		k.moment = max(k.moment, math.Abs(r.y[i])*k.norms[i])
		k.clip = max(k.clip, math.Abs(dot(x, k.best)-k.labels[i])*k.norms[i])
	}
	return k, nil
}

// gradient is Aθ − b.
func (k *node) gradient(theta []float64) []float64 {
	g := times(k.a, theta)
	for j := range g {
		g[j] -= k.b[j]
	}
	return g
}

// clipped is the mean of the rows' gradients, each at most c long, and the regulariser's.
func (k *node) clipped(theta []float64, c, mu float64) []float64 {
	g := make([]float64, k.d)
	for i, v := range k.labels {
		x := k.row(i)
		f := -v
		for j, w := range theta {
			f += w * x[j]
		}
		if size := math.Abs(f) * k.norms[i]; size > c {
			f *= c / size
		}
		for j, w := range x {
			g[j] += f * w
		}
	}
	n := float64(k.rows())
	for j := range g {
		g[j] = g[j]/n + mu*theta[j] - k.extra[j]
	}
	return g
}

// value is f(θ) less its least value.
func (k *node) value(theta []float64) float64 {
	gap := make([]float64, k.d)
	for j := range gap {
		gap[j] = theta[j] - k.best[j]
	}
	return dot(gap, times(k.a, gap)) / 2
}

// rdpOrder is the paper's α.
const rdpOrder = 2

// paperRelative are the constants of the paper for an (α, ε) release: η by its equation (11) without the constant factors, as its
// experiments have it, R = η‖b‖ + 2 max‖b_j‖/n, and γ and σ by its Theorem 1.
func (k *node) paperRelative(epsilon float64) (relative, error) {
	n, d := float64(k.rows()), float64(k.d)
	eta := k.exact / n
	absolute := eta*math.Sqrt(dot(k.mean, k.mean)) + 2*k.moment/n
	half := rdpOrder * eta * eta / 2
	left := 1 - eta*(2+eta)*(rdpOrder-1)
	room := epsilon*left - half*d*(2+eta)*(2+eta)*(1+eta)*(1+eta)
	if !(left > 0) || !(room > 0) {
		return relative{}, fmt.Errorf("the paper's Theorem 1 has no γ for ε = %g at η = %g", epsilon, eta)
	}
	gamma := half / room
	return relative{Eta: eta, Absolute: absolute, Gamma: gamma, Base: gamma / (eta * eta) * (1 - eta*(rdpOrder-1)) * absolute * absolute}, nil
}

// corrected are constants that hold for every neighbour of these rows as long as A ⪰ ½C on both sides, with C = A of these rows and
// clipping at what they have, as in the paper; γ by the exact curve. The relation is replace-one. The free constant of the
// sensitivity is chosen for the noise at a gradient of norm g.
func (k *node) corrected(epsilon, g float64) (relative, error) {
	return bestSplit(accountant.LeastSquaresGradient{
		Rows: k.rows(), Strength: 0.5, MinEigen: k.eig[0], MaxEigen: k.eig[len(k.eig)-1], Leverage: k.leverage, Norm: k.norm,
		Joint: k.joint, Moment: k.moment, Mean: math.Sqrt(dot(k.mean, k.mean)), Label: 1,
	}, k.d, epsilon, g)
}

func bestSplit(l accountant.LeastSquaresGradient, d int, epsilon, g float64) (relative, error) {
	best := relative{}
	least := math.Inf(1)
	for c := 1.0 / 64; c <= 64; c *= 2 {
		l.Split = c
		eta, absolute, err := l.Sensitivity(accountant.ReplaceOne)
		if err != nil {
			return best, err
		}
		gamma, err := solveGamma(eta, d, epsilon)
		if err != nil {
			continue
		}
		r := relative{Eta: eta, Absolute: absolute, Gamma: gamma, Base: gamma * absolute * absolute / (eta * eta)}
		if v := r.Base + gamma*g*g; v < least {
			best, least = r, v
		}
	}
	if math.IsInf(least, 1) {
		return best, fmt.Errorf("no γ for ε = %g: the change of the noise's scale alone costs more", epsilon)
	}
	return best, nil
}

// solveGamma is the γ at which the exact curve is ε at the order: a closed form, as the mean's part is proportional to 1/γ.
func solveGamma(eta float64, d int, epsilon float64) (float64, error) {
	r := accountant.RelativeGaussian{Eta: eta, Gamma: 1e100, Dim: d, Matched: 1, Neighbours: accountant.ReplaceOne}
	curve, err := r.RDP(accountant.ReplaceOne)
	if err != nil {
		return 0, err
	}
	floor := curve(rdpOrder)
	if !(floor < epsilon) {
		return 0, fmt.Errorf("no γ: the floor is %g of ε = %g", floor, epsilon)
	}
	return rdpOrder * eta * eta / (2 * (1 - eta*(2+eta)*(rdpOrder-1)) * (epsilon - floor)), nil
}

// relative are the parameters of a node's relative Gaussian mechanism: the variance is γ‖g‖² + Base.
type relative struct {
	Eta      float64 `json:"eta"`
	Absolute float64 `json:"absolute"`
	Gamma    float64 `json:"gamma"`
	Base     float64 `json:"base"`
}

func dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func times(m mat.Symmetric, v []float64) []float64 {
	out := mat.NewVecDense(len(v), nil)
	out.MulVec(m, mat.NewVecDense(len(v), v))
	return out.RawVector().Data
}
