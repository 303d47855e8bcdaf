package linalg

// strip is the number of columns in a panel.
const strip = 8

// panelled is an n×n matrix in panels of columns: the numbers of a row in a panel are neighbours, rows follow each other, and a panel
// stays in the nearest cache while thousands of rotations pass over it. Columns that fill up the last panel are of no meaning.
type panelled struct {
	n    int
	data []float64
}

func newPanelled(n int) *panelled {
	return &panelled{n, make([]float64, (n+strip-1)/strip*strip*n)}
}

func (z *panelled) panels() int { return (z.n + strip - 1) / strip }

func (z *panelled) panel(j int) []float64 { return z.data[j*strip*z.n : (j+1)*strip*z.n] }

func (z *panelled) row(to []float64, i int) {
	for j := 0; j < z.n; j += strip {
		copy(to[j:], z.panel(j / strip)[i*strip:(i+1)*strip])
	}
}

// workers is the number that a step over all cells is shared by.
func (z *panelled) workers() int {
	if z.n < 100 {
		return 1
	}
	return processors()
}

// rotate makes the rotations of all sweeps, in order.
func (z *panelled) rotate(sweeps []sweep) {
	share(z.panels(), z.workers(), 1, func(j int) {
		p := z.panel(j)
		for i := range sweeps {
			w := &sweeps[i]
			active.rotate(w.c, w.s, p, (w.first+1)*strip)
		}
	})
}

func rotateGo(cs, ss, p []float64, at int) {
	low := (*[strip]float64)(p[at:])
	x0, x1, x2, x3, x4, x5, x6, x7 := low[0], low[1], low[2], low[3], low[4], low[5], low[6], low[7]
	for i, c := range cs {
		s := ss[i]
		to, from := (*[strip]float64)(p[at:]), (*[strip]float64)(p[at-strip:])
		at -= strip
		y0 := from[0]
		to[0], x0 = float64(c*x0)+float64(s*y0), float64(c*y0)-float64(s*x0)
		y1 := from[1]
		to[1], x1 = float64(c*x1)+float64(s*y1), float64(c*y1)-float64(s*x1)
		y2 := from[2]
		to[2], x2 = float64(c*x2)+float64(s*y2), float64(c*y2)-float64(s*x2)
		y3 := from[3]
		to[3], x3 = float64(c*x3)+float64(s*y3), float64(c*y3)-float64(s*x3)
		y4 := from[4]
		to[4], x4 = float64(c*x4)+float64(s*y4), float64(c*y4)-float64(s*x4)
		y5 := from[5]
		to[5], x5 = float64(c*x5)+float64(s*y5), float64(c*y5)-float64(s*x5)
		y6 := from[6]
		to[6], x6 = float64(c*x6)+float64(s*y6), float64(c*y6)-float64(s*x6)
		y7 := from[7]
		to[7], x7 = float64(c*x7)+float64(s*y7), float64(c*y7)-float64(s*x7)
	}
	*(*[strip]float64)(p[at:]) = [strip]float64{x0, x1, x2, x3, x4, x5, x6, x7}
}

func reflectGo(tau float64, v, rows []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	rows = rows[:len(v)*strip]
	for k, x := range v {
		r := (*[strip]float64)(rows[k*strip:])
		s0 += float64(x * r[0])
		s1 += float64(x * r[1])
		s2 += float64(x * r[2])
		s3 += float64(x * r[3])
		s4 += float64(x * r[4])
		s5 += float64(x * r[5])
		s6 += float64(x * r[6])
		s7 += float64(x * r[7])
	}
	s0 = float64(s0 * tau)
	s1 = float64(s1 * tau)
	s2 = float64(s2 * tau)
	s3 = float64(s3 * tau)
	s4 = float64(s4 * tau)
	s5 = float64(s5 * tau)
	s6 = float64(s6 * tau)
	s7 = float64(s7 * tau)
	for k, x := range v {
		r := (*[strip]float64)(rows[k*strip:])
		r[0] -= float64(x * s0)
		r[1] -= float64(x * s1)
		r[2] -= float64(x * s2)
		r[3] -= float64(x * s3)
		r[4] -= float64(x * s4)
		r[5] -= float64(x * s5)
		r[6] -= float64(x * s6)
		r[7] -= float64(x * s7)
	}
}
