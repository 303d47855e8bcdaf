package frames

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// roster is a public list of people.
type roster struct {
	names  []string
	at     map[personKey]int // place of each
	digest [32]byte
	err    error // what is wrong with the list
}

// personKey is the part of a [PersonID] that says who it is.
type personKey [12]byte

func (id PersonID) key() personKey { return personKey(id[:]) }

// Roster returns the column of the person with a public list of everybody who may have rows: those of a register, a class, a panel, whoever
// has rows or has none. Who there is is public then, and so is their number, which is what n is. People stand in the order of the list. A
// row of anybody else is refused when the table is loaded. The list is a part of the schema, and of what a ledger knows its data by.
//
// Take the list from outside of the table: one that is made of its rows tells who is in it.
func (c Column) Roster(names ...string) Column {
	r := &roster{names: slices.Clone(names), at: make(map[personKey]int, len(names))}
	list := []byte(nil)
	for i, name := range r.names {
		key := newPersonID([]byte(name)).key()
		first, twice := r.at[key]
		switch err := validateText(name); {
		case r.err != nil:
		case err != nil:
			r.err = fmt.Errorf("roster: name %d %w", i+1, err)
		case strings.TrimSpace(name) != name:
			r.err = fmt.Errorf("roster: name %d has space around it: remove it", i+1)
		case twice:
			r.err = fmt.Errorf("roster: names %d and %d are the same: list everybody once", first+1, i+1)
		}
		r.at[key] = i
		list = appendText(list, name)
	}
	if len(names) == 0 {
		r.err = fmt.Errorf("roster: got nobody: list everybody who may have rows, or drop it")
	}
	r.digest = sha256.Sum256(append([]byte("dpnb/frames.Roster/1\x00"), list...))
	return c.with(func(p *rare) { p.people = r })
}

// Listed is how many people a roster lists; 0 without one.
func (c Column) Listed() int {
	if r := c.parts().people; r != nil {
		return len(r.names)
	}
	return 0
}

// Place is where somebody stands in the roster, from 0; false for who is not in it.
func (c Column) Place(id PersonID) (int, bool) {
	r := c.parts().people
	if r == nil {
		return 0, false
	}
	place, ok := r.at[id.key()]
	return place, ok
}

// stranger reports somebody who is not in the roster, where there is one.
func (c *Column) stranger(id PersonID) bool {
	r := c.parts().people
	if r == nil {
		return false
	}
	_, ok := r.at[id.key()]
	return !ok
}
