package fourier

import "math"

// Constants of the radices, to the digits that FFTPACK has them with.
const (
	cos3, sin3   = -0.5, 0.866025403784439
	cos5, sin5   = 0.309016994374947, 0.951056516295154
	cos52, sin52 = -0.809016994374947, 0.587785252292473
)

// forward merges rows.
func (p *pass) forward(out, in []float64) {
	switch {
	case p.radix == 2:
		p.forward2(out, in)
	case p.radix == 3:
		p.forward3(out, in)
	case p.radix == 4 && p.size == 1:
		p.forward4Numbers(out, in)
	case p.radix == 4:
		p.forward4(out, in)
	default:
		p.forward5Numbers(out, in)
	}
}

// back turns z by minus the angle of w.
func back(c, s, x, y float64) (re, im float64) { return c*x + s*y, c*y - s*x }

func (p *pass) forward2(out, in []float64) {
	n, w := p.size, p.twiddle[0]
	for k := range p.count {
		a, b := p.apart(in, 0, k), p.apart(in, 1, k)
		x, y := p.beside(out, 0, k), p.beside(out, 1, k)
		x[0], y[n-1] = a[0]+b[0], a[0]-b[0]
		for i := 1; i < n-1; i += 2 {
			re, im := back(w[i-1], w[i], b[i], b[i+1])
			x[i], x[i+1] = a[i]+re, a[i+1]+im
			y[n-2-i], y[n-1-i] = a[i]-re, im-a[i+1]
		}
		if n%2 == 0 {
			x[n-1], y[0] = a[n-1], -b[n-1]
		}
	}
}

func (p *pass) forward3(out, in []float64) {
	n, w1, w2 := p.size, p.twiddle[0], p.twiddle[1]
	for k := range p.count {
		a, b, c := p.apart(in, 0, k), p.apart(in, 1, k), p.apart(in, 2, k)
		x, y, z := p.beside(out, 0, k), p.beside(out, 1, k), p.beside(out, 2, k)
		sum := b[0] + c[0]
		x[0], y[n-1], z[0] = a[0]+sum, a[0]+cos3*sum, sin3*(c[0]-b[0])
		for i := 1; i < n-1; i += 2 {
			br, bi := back(w1[i-1], w1[i], b[i], b[i+1])
			cr, ci := back(w2[i-1], w2[i], c[i], c[i+1])
			sr, si := br+cr, bi+ci
			x[i], x[i+1] = a[i]+sr, a[i+1]+si
			tr, ti := a[i]+cos3*sr, a[i+1]+cos3*si
			ur, ui := sin3*(bi-ci), sin3*(br-cr)
			z[i], z[i+1] = tr+ur, ti-ui
			y[n-2-i], y[n-1-i] = tr-ur, -(ti + ui)
		}
	}
}

// forward4Numbers is forward4 for rows of one number.
func (p *pass) forward4Numbers(out, in []float64) {
	m := p.count
	a, b, c, d := in[:m], in[m:2*m], in[2*m:3*m], in[3*m:4*m]
	for k, a := range a {
		x := out[4*k : 4*k+4 : 4*k+4]
		odd, even := b[k]+d[k], a+c[k]
		x[0], x[1], x[2], x[3] = odd+even, a-c[k], d[k]-b[k], even-odd
	}
}

func (p *pass) forward4(out, in []float64) {
	n := p.size
	w1, w2, w3 := p.twiddle[0][:n], p.twiddle[1][:n], p.twiddle[2][:n]
	for k := range p.count {
		a, b, c, d := p.apart(in, 0, k)[:n], p.apart(in, 1, k)[:n], p.apart(in, 2, k)[:n], p.apart(in, 3, k)[:n]
		x, y, z, u := p.beside(out, 0, k)[:n], p.beside(out, 1, k)[:n], p.beside(out, 2, k)[:n], p.beside(out, 3, k)[:n]
		odd, even := b[0]+d[0], a[0]+c[0]
		x[0], y[n-1], z[0], u[n-1] = odd+even, a[0]-c[0], d[0]-b[0], even-odd
		for i := 1; i < n-1; i += 2 {
			br, bi := back(w1[i-1], w1[i], b[i], b[i+1])
			cr, ci := back(w2[i-1], w2[i], c[i], c[i+1])
			dr, di := back(w3[i-1], w3[i], d[i], d[i+1])
			or, oi := br+dr, bi+di
			er, ei := a[i]+cr, a[i+1]+ci
			fr, fi := a[i]-cr, a[i+1]-ci
			gr, gi := dr-br, di-bi
			x[i], x[i+1] = or+er, oi+ei
			z[i], z[i+1] = fr-gi, gr+fi
			j := n - 2 - i
			y[j], y[j+1] = fr+gi, -(fi - gr)
			u[j], u[j+1] = er-or, -(ei - oi)
		}
		if n%2 == 0 {
			const half = math.Sqrt2 / 2
			im, re := -half*(b[n-1]+d[n-1]), half*(b[n-1]-d[n-1])
			x[n-1], y[0] = re+a[n-1], im-c[n-1]
			z[n-1], u[0] = a[n-1]-re, im+c[n-1]
		}
	}
}

// forward5Numbers has rows of one number: 5 is the last of the factors.
func (p *pass) forward5Numbers(out, in []float64) {
	m := p.count
	for k := range m {
		a, b, c, d, e := in[k], in[k+m], in[k+2*m], in[k+3*m], in[k+4*m]
		x := out[5*k : 5*k+5 : 5*k+5]
		s1, s2, d2, d1 := e+b, d+c, d-c, e-b
		x[0] = a + s1 + s2
		x[1] = a + cos5*s1 + cos52*s2
		x[2] = sin5*d1 + sin52*d2
		x[3] = a + cos52*s1 + cos5*s2
		x[4] = sin52*d1 - sin5*d2
	}
}
