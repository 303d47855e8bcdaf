package domain

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// Was is the text of a condition in identities of version 5, which never changes: conditions of others are younger.
func (c Condition) Was() string {
	if c.join == one && c.levels == nil {
		return kind.Call("Between", fmt.Sprintf("%q", c.column), fmt.Sprintf("%g", c.lo), fmt.Sprintf("%g", c.hi))
	}
	return c.Text()
}
