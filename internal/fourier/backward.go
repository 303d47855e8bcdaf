package fourier

import "math"

// backward splits rows.
func (p *pass) backward(out, in []float64) {
	switch {
	case p.radix == 2:
		p.backward2(out, in)
	case p.radix == 3:
		p.backward3(out, in)
	case p.radix == 4 && p.size == 1:
		p.backward4Numbers(out, in)
	case p.radix == 4:
		p.backward4(out, in)
	default:
		p.backward5Numbers(out, in)
	}
}

// on turns z by the angle of w.
func on(c, s, x, y float64) (re, im float64) { return c*x - s*y, c*y + s*x }

func (p *pass) backward2(out, in []float64) {
	n, w := p.size, p.twiddle[0]
	for k := range p.count {
		a, b := p.beside(in, 0, k), p.beside(in, 1, k)
		x, y := p.apart(out, 0, k), p.apart(out, 1, k)
		x[0], y[0] = a[0]+b[n-1], a[0]-b[n-1]
		for i := 1; i < n-1; i += 2 {
			br, bi := b[n-2-i], b[n-1-i]
			x[i], x[i+1] = a[i]+br, a[i+1]-bi
			y[i], y[i+1] = on(w[i-1], w[i], a[i]-br, a[i+1]+bi)
		}
		if n%2 == 0 {
			x[n-1], y[n-1] = 2*a[n-1], -2*b[0]
		}
	}
}

func (p *pass) backward3(out, in []float64) {
	n, w1, w2 := p.size, p.twiddle[0], p.twiddle[1]
	for k := range p.count {
		a, b, c := p.beside(in, 0, k), p.beside(in, 1, k), p.beside(in, 2, k)
		x, y, z := p.apart(out, 0, k), p.apart(out, 1, k), p.apart(out, 2, k)
		twice := b[n-1] + b[n-1]
		re, im := a[0]+cos3*twice, sin3*(c[0]+c[0])
		x[0], y[0], z[0] = a[0]+twice, re-im, re+im
		for i := 1; i < n-1; i += 2 {
			br, bi := b[n-2-i], b[n-1-i]
			sr, si := c[i]+br, c[i+1]-bi
			x[i], x[i+1] = a[i]+sr, a[i+1]+si
			tr, ti := a[i]+cos3*sr, a[i+1]+cos3*si
			ur, ui := sin3*(c[i]-br), sin3*(c[i+1]+bi)
			y[i], y[i+1] = on(w1[i-1], w1[i], tr-ui, ti+ur)
			z[i], z[i+1] = on(w2[i-1], w2[i], tr+ui, ti-ur)
		}
	}
}

// backward4Numbers is backward4 for rows of one number.
func (p *pass) backward4Numbers(out, in []float64) {
	m := p.count
	x, y, z, u := out[:m], out[m:2*m], out[2*m:3*m], out[3*m:4*m]
	for k := range x {
		a := in[4*k : 4*k+4 : 4*k+4]
		apart, sum := a[0]-a[3], a[0]+a[3]
		b, c := a[1]+a[1], a[2]+a[2]
		x[k], y[k], z[k], u[k] = sum+b, apart-c, sum-b, apart+c
	}
}

func (p *pass) backward4(out, in []float64) {
	n := p.size
	w1, w2, w3 := p.twiddle[0][:n], p.twiddle[1][:n], p.twiddle[2][:n]
	for k := range p.count {
		a, b, c, d := p.beside(in, 0, k)[:n], p.beside(in, 1, k)[:n], p.beside(in, 2, k)[:n], p.beside(in, 3, k)[:n]
		x, y, z, u := p.apart(out, 0, k)[:n], p.apart(out, 1, k)[:n], p.apart(out, 2, k)[:n], p.apart(out, 3, k)[:n]
		apart, sum := a[0]-d[n-1], a[0]+d[n-1]
		b2, c2 := b[n-1]+b[n-1], c[0]+c[0]
		x[0], y[0], z[0], u[0] = sum+b2, apart-c2, sum-b2, apart+c2
		for i := 1; i < n-1; i += 2 {
			j := n - 2 - i
			br, bi, dr, di := b[j], b[j+1], d[j], d[j+1]
			er, ei := a[i]+dr, a[i+1]-di
			fr, fi := a[i]-dr, a[i+1]+di
			gr, gi := c[i]+br, c[i+1]-bi
			hr, hi := c[i+1]+bi, c[i]-br
			x[i], x[i+1] = er+gr, ei+gi
			y[i], y[i+1] = on(w1[i-1], w1[i], fr-hr, fi+hi)
			z[i], z[i+1] = on(w2[i-1], w2[i], er-gr, ei-gi)
			u[i], u[i+1] = on(w3[i-1], w3[i], fr+hr, fi-hi)
		}
		if n%2 == 0 {
			tr, ti := a[n-1]-c[n-1], b[0]+d[0]
			sr, si := a[n-1]+c[n-1], d[0]-b[0]
			x[n-1], y[n-1] = sr+sr, math.Sqrt2*(tr-ti)
			z[n-1], u[n-1] = si+si, -math.Sqrt2*(tr+ti)
		}
	}
}

// backward5Numbers has rows of one number: 5 is the last of the factors.
func (p *pass) backward5Numbers(out, in []float64) {
	m := p.count
	for k := range m {
		a := in[5*k : 5*k+5 : 5*k+5]
		r1, r2, i2, i1 := a[1]+a[1], a[3]+a[3], a[4]+a[4], a[2]+a[2]
		re1, re2 := a[0]+cos5*r1+cos52*r2, a[0]+cos52*r1+cos5*r2
		im1, im2 := sin5*i1+sin52*i2, sin52*i1-sin5*i2
		out[k], out[k+m], out[k+2*m] = a[0]+r1+r2, re1-im1, re2-im2
		out[k+3*m], out[k+4*m] = re2+im2, re1+im1
	}
}
