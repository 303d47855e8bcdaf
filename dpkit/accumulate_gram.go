package dpkit

import "github.com/dpkit-go/dpnb/frames"

// gramSum sums the outer products of rows, G = Σ x·xᵀ, on and above the diagonal. Rows are packed
// column by column into panels, and a tile of 2×4 entries is held in registers while it runs down
// a panel: an entry is loaded and stored once a panel, and eight sums are under way at a time.
//
// In floating point entry (j, k) is off by at most (n/512 + 192)·2^-53·Σ|x_j·x_k|: a term is rounded
// once as a product and then at most 128 times in its panel, once for each panel of its lane and
// chunk, and lanes times at the end (Higham 2002, §4.2).
type gramSum struct {
	d     int
	g     []float64 // row-major d×d; below the diagonal unused
	panel []float64 // column-major, panelRows × (d padded to whole tiles)
	rows  int       // in the panel
}

const (
	panelRows = 128
	tileCols  = 4
)

func newGramSum(d int) *gramSum {
	return &gramSum{d: d, g: make([]float64, d*d), panel: make([]float64, panelRows*(d+tileCols))}
}

func (g *gramSum) add(b *frames.Block) {
	eachRun(b, func(from, to int) {
		for from < to {
			n := min(to-from, panelRows-g.rows)
			g.pack(b.X[from*b.Cols : (from+n)*b.Cols])
			from += n
			if g.rows == panelRows {
				g.update()
			}
		}
	})
	g.update() // a panel does not reach into the next chunk: its place would depend on the lanes
}

// pack parts rows into the columns of the panel.
func (g *gramSum) pack(x []float64) {
	n := len(x) / g.d
	for j := range g.d {
		col := g.panel[j*panelRows+g.rows:][:n]
		for i := range col {
			col[i] = x[i*g.d+j]
		}
	}
	g.rows += n
}

// update adds the panel and empties it. Rows that it lacks count as zeros.
func (g *gramSum) update() {
	if g.rows == 0 {
		return
	}
	for j := range g.d {
		clear(g.panel[j*panelRows+g.rows : (j+1)*panelRows])
	}
	g.rows = 0
	for j := 0; j < g.d; j += 2 {
		for k := j; k < g.d; k += tileCols {
			t := g.tile(j, k)
			for i := range min(2, g.d-j) {
				to := g.g[(j+i)*g.d+k : (j+i)*g.d+min(k+tileCols, g.d)]
				for l := range to {
					to[l] += t[i*tileCols+l]
				}
			}
		}
	}
}

// tile returns the products of columns j, j+1 with columns k to k+3.
func (g *gramSum) tile(j, k int) [2 * tileCols]float64 {
	col := func(j int) []float64 { return g.panel[j*panelRows : (j+1)*panelRows : (j+1)*panelRows] }
	a0, a1 := col(j), col(j+1)
	b0, b1, b2, b3 := col(k), col(k+1), col(k+2), col(k+3)
	var s00, s01, s02, s03, s10, s11, s12, s13 float64
	for i := range panelRows {
		x, y := a0[i], a1[i]
		v := b0[i]
		s00 += x * v
		s10 += y * v
		v = b1[i]
		s01 += x * v
		s11 += y * v
		v = b2[i]
		s02 += x * v
		s12 += y * v
		v = b3[i]
		s03 += x * v
		s13 += y * v
	}
	return [2 * tileCols]float64{s00, s01, s02, s03, s10, s11, s12, s13}
}

func (g *gramSum) merge(next *gramSum) {
	for i, v := range next.g {
		g.g[i] += v
	}
}
