package sums

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (c Condition) was() string {
	if c.levels != nil {
		return kind.Call("Is", kind.QuoteAll(append([]string{c.column}, c.levels...))...)
	}
	return kind.Call("Between", fmt.Sprintf("%q", c.column), fmt.Sprintf("%g", c.lo), fmt.Sprintf("%g", c.hi))
}
