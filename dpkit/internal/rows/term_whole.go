package rows

// Scale is what numbers are multiplied by before they are rounded to integers.
func (s *TermSums) Scale() float64 { return s.scale }

// AddWhole adds the sums of up to 2^12 lists of numbers times [TermSums.Scale], each of them rounded to an integer, ties to even, as AddTimes
// does, and writes zeros in their place.
func (s *TermSums) AddWhole(sums []int64) {
	for j, v := range sums {
		s.sums[j].Add(v)
	}
	clear(sums)
}
