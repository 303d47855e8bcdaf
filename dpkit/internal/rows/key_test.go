package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestClassesAgreeWithAMap: rows are in one class exactly if their keys are equal.
func TestClassesAgreeWithAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	values := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Float64frombits(0x7ff8_dead_beef_0000), 5e-324, math.MaxFloat64}
	for range 300 {
		n, d := r.IntN(60), 1+r.IntN(3)
		m := &Matrix{Cols: d, X: make([]float64, n*d), Y: make([]float64, n), Empty: make([]bool, n)}
		for i := range m.X {
			m.X[i] = values[r.IntN(len(values))]
		}
		for i := range n {
			m.Y[i], m.Empty[i] = float64(r.IntN(2)), r.IntN(5) == 0
		}
		columns := r.Perm(d)[:1+r.IntN(d)]
		label := r.IntN(2) == 0
		want, seen := make([]int32, n), map[string]int32{}
		for i := range n {
			if m.Empty[i] {
				want[i] = -1
				continue
			}
			s := ""
			for _, j := range columns {
				s += fmt.Sprint(m.Row(i)[j]+0, " ")
			}
			if label {
				s += fmt.Sprint(m.Y[i])
			}
			if _, ok := seen[s]; !ok {
				seen[s] = int32(len(seen))
			}
			want[i] = seen[s]
		}
		width, key := m.Cells(columns, label)
		got, count := m.ClassesOf(width, func() keyFunc { return key })
		if count != len(seen) || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %d classes %v, want %d %v", count, got, len(seen), want)
		}
		members, start := byClass(got, count)
		for c := range count {
			for _, i := range members[start[c]:start[c+1]] {
				if got[i] != int32(c) {
					t.Fatalf("row %d is listed in class %d, want %d", i, c, got[i])
				}
			}
		}
	}
}

// TestSmallestRowIsKept: which row is kept depends on values alone.
func TestSmallestRowIsKept(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		rows [][]float64 // key, payload, label
		want []bool      // kept
	}{
		{"payload decides", [][]float64{{1, 5, 0}, {1, 3, 1}, {2, 9, 0}}, []bool{false, true, true}},
		{"a missing cell comes first", [][]float64{{1, 5, 0}, {1, nan, 1}}, []bool{false, true}},
		{"then the label", [][]float64{{1, 5, 1}, {1, 5, 0}, {1, 5, 1}}, []bool{false, true, false}},
		{"equal rows", [][]float64{{1, 5, 1}, {1, 5, 1}}, []bool{true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := matrixOf(c.rows)
			m.Dedup(KeySet{Numeric: []int{0}})
			for i, want := range c.want {
				if m.IsEmpty(i) == want {
					t.Errorf("row %d: kept %v, want %v", i, !want, want)
				}
				if !want && (m.Row(i)[1] != 0 || m.Y[i] != 0) {
					t.Errorf("row %d was removed and still holds values", i)
				}
			}
		})
	}
}

// matrixOf makes a matrix of rows of features and a label.
func matrixOf(table [][]float64) *Matrix {
	m := &Matrix{Cols: len(table[0]) - 1}
	for _, row := range table {
		m.X = append(m.X, row[:m.Cols]...)
		m.Y = append(m.Y, row[m.Cols])
	}
	return m
}
