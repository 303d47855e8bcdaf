package steps

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Alternatives are bounds of half and of twice as much. How many rows each drops is private, so that no error that is predicted from public
// facts ranks them: they are listed with their price.
func (b Bound) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	to, err := b.To.settle()
	if err != nil {
		return nil
	}
	out := []stage.Alternative{{
		Kind: stage.Public, Step: b, Same: true,
		Note: fmt.Sprintf("as written; one row a person, by PerPerson(…) in its place, is one free row for %d", to.Rows),
	}}
	add := func(other Contributing, note string) {
		c, err := other.settle()
		if err != nil || c.Rows == to.Rows && c.Groups == to.Groups && c.PerGroup == to.PerGroup {
			return
		}
		out = append(out, stage.Alternative{Kind: stage.Public, Step: Bound{To: other}, Note: note})
	}
	for _, part := range []struct {
		of   func(*Contributing) *int
		name string
	}{
		{func(c *Contributing) *int { return &c.Rows }, "rows"},
		{func(c *Contributing) *int { return &c.Groups }, "groups"},
		{func(c *Contributing) *int { return &c.RowsPerGroup }, "rows in a group"},
	} {
		if n := *part.of(&b.To); n > 0 {
			half, twice := b.To, b.To
			*part.of(&half), *part.of(&twice) = (n+1)/2, 2*n
			add(half, fmt.Sprintf("half as many %s of a person: less noise, and more is dropped; By(…).Dropped(most) tells how much", part.name))
			add(twice, fmt.Sprintf("twice as many %s of a person: more noise, and less is dropped; By(…).Dropped(most) tells how much", part.name))
		}
	}
	return out
}
