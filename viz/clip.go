package viz

// pair is a point of a panel: 0 to 1 from left to right and from bottom to top is inside.
type pair struct{ x, y float64 }

// clipLine cuts a polyline at the edges of the unit square, into pieces.
func clipLine(points []pair) [][]pair {
	var pieces [][]pair
	var piece []pair
	for i := 1; i < len(points); i++ {
		a, b, ok := clipSegment(points[i-1], points[i])
		if !ok {
			continue
		}
		if len(piece) == 0 || piece[len(piece)-1] != a {
			if len(piece) > 0 {
				pieces = append(pieces, piece)
			}
			piece = []pair{a}
		}
		piece = append(piece, b)
	}
	if len(piece) > 0 {
		pieces = append(pieces, piece)
	}
	return pieces
}

// clipSegment is what of the segment lies in the unit square (Liang and Barsky 1984).
func clipSegment(a, b pair) (pair, pair, bool) {
	from, to := 0.0, 1.0
	dx, dy := b.x-a.x, b.y-a.y
	for _, e := range [4][2]float64{{-dx, a.x}, {dx, 1 - a.x}, {-dy, a.y}, {dy, 1 - a.y}} {
		p, q := e[0], e[1]
		switch {
		case p == 0 && q < 0:
			return a, b, false
		case p < 0:
			from = max(from, q/p)
		case p > 0:
			to = min(to, q/p)
		}
	}
	if !(from <= to) {
		return a, b, false
	}
	start, end := a, b
	if from > 0 {
		start = pair{a.x + from*dx, a.y + from*dy}
	}
	if to < 1 {
		end = pair{a.x + to*dx, a.y + to*dy}
	}
	return start, end, true
}

// clipArea cuts a polygon at the edges of the unit square (Sutherland and Hodgman 1974).
func clipArea(points []pair) []pair {
	for _, side := range []struct {
		inside func(pair) bool
		cut    func(a, b pair) pair
	}{
		{func(p pair) bool { return p.x >= 0 }, func(a, b pair) pair { return pair{0, cross(a.x, a.y, b.x, b.y, 0)} }},
		{func(p pair) bool { return p.x <= 1 }, func(a, b pair) pair { return pair{1, cross(a.x, a.y, b.x, b.y, 1)} }},
		{func(p pair) bool { return p.y >= 0 }, func(a, b pair) pair { return pair{cross(a.y, a.x, b.y, b.x, 0), 0} }},
		{func(p pair) bool { return p.y <= 1 }, func(a, b pair) pair { return pair{cross(a.y, a.x, b.y, b.x, 1), 1} }},
	} {
		var out []pair
		for i, b := range points {
			a := points[(i+len(points)-1)%len(points)]
			switch {
			case side.inside(a) && side.inside(b):
				out = append(out, b)
			case side.inside(a):
				out = append(out, side.cut(a, b))
			case side.inside(b):
				out = append(out, side.cut(a, b), b)
			}
		}
		points = out
	}
	return points
}

// cross is the other coordinate of the line from (a0, a1) to (b0, b1) where the first one is v.
func cross(a0, a1, b0, b1, v float64) float64 { return a1 + (v-a0)/(b0-a0)*(b1-a1) }
