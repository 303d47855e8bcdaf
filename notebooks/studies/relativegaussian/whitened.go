package relativegaussian

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
)

// whitened is the training in the coordinates u = C^(-½)x of a public C, the mean of the nodes' A: what is released is C^(-½)g. In
// them the relative sensitivity has C = I, so that the condition number of C is in no constant, and descent is
// preconditioned. It is no method of the paper, which has C in the bound alone.
type whitened struct {
	root  *mat.SymDense // C^(-½)
	step  float64
	noise [2]relative
}

func (p *pair) whiten(epsilon float64) (*whitened, error) {
	d := p.nodes[0].d
	c := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			c.SetSym(i, j, (p.nodes[0].a.At(i, j)+p.nodes[1].a.At(i, j))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(c, true) {
		return nil, fmt.Errorf("the eigensolver did not converge")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	w := &whitened{root: mat.NewSymDense(d, nil)}
	for i := range d {
		for j := i; j < d; j++ {
			var s float64
			for k, value := range eig.Values(nil) {
				s += v.At(i, k) * v.At(j, k) / math.Sqrt(value)
			}
			w.root.SetSym(i, j, s)
		}
	}
	var top float64
	for k, n := range p.nodes {
		var a mat.Dense
		a.Product(w.root, n.a, w.root)
		sym := mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				sym.SetSym(i, j, a.At(i, j))
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(sym, false) {
			return nil, fmt.Errorf("the eigensolver did not converge")
		}
		values := eig.Values(nil)
		top = max(top, values[d-1])
		var radius float64
		for i := range n.rows() {
			u := times(w.root, n.row(i))
			radius = max(radius, dot(u, u))
		}
		mean := times(w.root, n.mean)
		g := times(w.root, n.gradient(p.best))
		var err error
		w.noise[k], err = bestSplit(accountant.LeastSquaresGradient{
			Rows: n.rows(), Strength: values[0] / 2, MinEigen: 1, MaxEigen: 1, Leverage: radius, Moment: math.Sqrt(radius),
			Mean: math.Sqrt(dot(mean, mean)), Label: 1,
		}, d, epsilon, math.Sqrt(dot(g, g)))
		if err != nil {
			return nil, err
		}
	}
	w.step = 0.5 / top
	return w, nil
}

// move is one step of descent.
func (w *whitened) move(p *pair, theta []float64, rng *rand.Rand) {
	total := make([]float64, len(theta))
	for k, n := range p.nodes {
		g := times(w.root, n.gradient(theta))
		g = add(g, math.Sqrt(w.noise[k].Gamma*dot(g, g)+w.noise[k].Base), rng)
		for j, v := range g {
			total[j] += v / 2
		}
	}
	for j, v := range times(w.root, total) {
		theta[j] -= w.step * v
	}
}
