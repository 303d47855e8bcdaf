package rows

import (
	"slices"
)

// Freed is the number of rows that keeping one row of each group frees, beside the f that were free.
func (k KeySet) Freed(f int) int {
	if k.All {
		return 0
	}
	return f
}

// Dedup keeps the smallest row of each group of rows that agree in their keys.
func (m *Matrix) Dedup(k KeySet) {
	width, key := m.Cells(slices.Concat(k.Numeric, k.Exact), k.Label)
	class, count := m.ClassesOf(width, func() keyFunc { return key })
	m.KeepSmallest(class, count)
}
