package rows

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestClassesOfManyRows: classes are numbered in order of first appearance, however many parts rows fall into, however large a class is, and whoever
// works on which.
func TestClassesOfManyRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		name       string
		rows, keys int
		empty      bool
	}{
		{"one row", 1, 1, false},
		{"a part and a row", partRows + 1, partRows, true},
		{"one class", 5 * partRows, 1, true},
		{"few classes", 4*partRows - 1, 7, true},
		{"hardly a row twice", 9*partRows + 5, 40 * partRows, false},
		{"all are empty", 3 * partRows, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(c.rows)))
			m := &Matrix{Cols: 1, X: make([]float64, c.rows)}
			if c.empty {
				m.Empty = make([]bool, c.rows)
			}
			want, seen := make([]int32, c.rows), map[float64]int32{}
			for i := range m.X {
				if c.empty && (c.keys == 0 || r.IntN(4) == 0) {
					m.Empty[i], want[i] = true, -1
					continue
				}
				m.X[i] = float64(r.IntN(c.keys))
				if _, ok := seen[m.X[i]]; !ok {
					seen[m.X[i]] = int32(len(seen))
				}
				want[i] = seen[m.X[i]]
			}
			for _, procs := range []int{1, 3, 8} {
				runtime.GOMAXPROCS(procs)
				width, key := m.Cells([]int{0}, false)
				got, count := m.ClassesOf(width, func() keyFunc { return key })
				if count != len(seen) {
					t.Fatalf("on %d processors: got %d classes, want %d", procs, count, len(seen))
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("on %d processors: row %d: got class %d, want %d", procs, i, got[i], want[i])
					}
				}
			}
		})
	}
}
