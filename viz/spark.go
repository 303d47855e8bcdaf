package viz

import (
	"math"
	"sort"
	"strings"
)

// sparkCells is the width of a series that is drawn in characters.
const sparkCells = 32

var sparkMarks = []rune("▁▂▃▄▅▆▇█")

// spark draws a series in one line of characters, each the height of the line in its middle (of the last
// point in it, for a series without a line). A dot says that there is nothing.
func spark(s Series, x, y scale) string {
	var points []pair
	for i := range s.X {
		u, okX := x.at(s.X[i])
		v, okY := y.at(s.Y[i])
		if okX && okY {
			points = append(points, pair{u, v})
		}
	}
	sort.SliceStable(points, func(i, j int) bool { return points[i].x < points[j].x })
	var out strings.Builder
	for c := range sparkCells {
		v, ok := 0.0, false
		if s.Style == PointStyle || len(points) == 1 {
			v, ok = lastWithin(points, float64(c)/sparkCells, float64(c+1)/sparkCells)
		} else {
			v, ok = between(points, (float64(c)+0.5)/sparkCells, s.Style == StepStyle)
		}
		out.WriteRune(sparkMark(v, ok))
	}
	return out.String()
}

func sparkMark(v float64, ok bool) rune {
	if !ok {
		return '·'
	}
	return sparkMarks[max(0, min(len(sparkMarks)-1, int(math.Floor(v*float64(len(sparkMarks))+1e-9))))]
}

// lastWithin is the height of the last point in [from, to), the right edge included at the end.
func lastWithin(points []pair, from, to float64) (float64, bool) {
	v, ok := 0.0, false
	for _, q := range points {
		if q.x >= from && (q.x < to || to == 1 && q.x == 1) {
			v, ok = q.y, true
		}
	}
	return v, ok
}

// between is the height of the line at u.
func between(points []pair, u float64, step bool) (float64, bool) {
	i := sort.Search(len(points), func(i int) bool { return points[i].x >= u })
	switch {
	case i == len(points):
		return 0, false
	case points[i].x == u:
		return points[i].y, true
	case i == 0:
		return 0, false
	}
	a, b := points[i-1], points[i]
	if step {
		return a.y, true
	}
	return a.y + (u-a.x)/(b.x-a.x)*(b.y-a.y), true
}
