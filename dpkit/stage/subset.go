package stage

import (
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// EmptyImage completes the pair behind a map that sends rows of zeros elsewhere: a free row that is
// empty on one side stays empty, so that the two differ by up to the norm of the other's image.
func (st Stage) EmptyImage(p pair.State) pair.State {
	if st.MayBeEmpty() {
		p.DFree = max(p.DFree, p.R)
	}
	return p
}
