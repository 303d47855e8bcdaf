package frames

import "slices"

// A Sorter is a [Source] of the caller's own whose rows stand in the order of their own values, as those of a query with ORDER BY do.
type Sorter interface {
	Source
	// SortedBy names the columns of the schema by whose values rows are ordered; none where what orders them is in no column of the schema.
	SortedBy() []string
}

// SortedBy names the columns by whose values the rows of a source stand in order, as far as the source says so ([Sorter], and what [Check], [Collect] and
// [Concat] make of one). Where one row has another value all rows behind it have other places, so that what goes by places, as a split of rows does,
// tells of values.
func SortedBy(src Source) []string {
	switch s := src.(type) {
	case *Frame:
		if s != nil {
			return slices.Clone(s.data().sorted)
		}
	case blocked:
		return SortedBy(s.Frame)
	case *Checked:
		if s != nil && s.private != nil {
			return SortedBy(s.private().src)
		}
	case concat:
		var all []string
		for _, part := range s {
			for _, name := range SortedBy(part) {
				if !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
		return all
	case Sorter:
		return slices.Clone(s.SortedBy())
	}
	return nil
}
