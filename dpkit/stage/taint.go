package stage

import "github.com/dpkit-go/dpnb/frames"

// Taint names the columns in which a common row may differ between the two sides of the pair.
// The other columns are clean (docs/theory/calculus.md#the-pair-state). It is never empty while rows are displaced.
type Taint map[string]bool

// With returns the taint and those columns.
func (t Taint) With(names ...string) Taint {
	out := make(Taint, len(t)+len(names))
	for n := range t {
		out[n] = true
	}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// WithFeatures returns the taint and every feature of the schema: of a step that is fitted to all of them.
func (t Taint) WithFeatures(s frames.Schema) Taint {
	out := t.With()
	for _, c := range s.Features() {
		out[c.Name] = true
	}
	return out
}
