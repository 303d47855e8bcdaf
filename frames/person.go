package frames

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Person is the column that says whose row a row is: a text such as the number of a patient. A person may have many rows, and what is
// released of the table protects people, each with all of their rows (the unit of privacy), where it protects rows without such a
// column. It is no feature: no model and no statistic sees it. A table has one at most.
//
// Every row has a person; two texts are two people, so that somebody with two numbers is protected as two. The number of people is
// public as the number of rows is otherwise: neighbouring tables have the same people, one of whom has other rows, or none. Where everybody
// who may have rows is known, list them: [Column.Roster].
func Person(name string) Column { return Column{Name: name, Kind: KindPerson} }

// PersonID is what a table in memory knows a person by: a hash of the text of the cell, which is not kept. It is private, as the text is,
// and prints as nothing.
type PersonID [16]byte

// newPersonID is the first half of the SHA-256 of a text: of 2³² people two have one hash with probability 2⁻⁶⁵.
func newPersonID(text []byte) PersonID {
	h := sha256.New()
	h.Write([]byte("dpnb/frames.Person/1\x00"))
	h.Write(text)
	return PersonID(h.Sum(nil)[:len(PersonID{})])
}

// NewPersonID is what a [Source] knows a person by: the same for the same text, so that rows from a
// database and from a file have the same people, and another one for every other text. Of a text of
// blanks alone there is none, which is the zero PersonID: a row of nobody. A text with space around
// it has an ID that [Check] and [Collect] refuse, since "7" in one row and "7 " in another may be
// one person or two: trim it, or say by a name of their own who they are. Space counts as any other
// byte in what is no text, such as a hash in binary form.
func NewPersonID(text []byte) PersonID {
	t := bytes.TrimSpace(text)
	switch {
	case len(t) == 0:
		return PersonID{}
	case len(t) < len(text) && isText(text):
		return spacedID
	}
	return newPersonID(text)
}

// spacedID stands for a text with space around it. No loader lets it in; a hash is it with
// probability 2⁻¹²⁸.
var spacedID = PersonID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// isText reports UTF-8 without control characters but those that are space.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}

// Format writes no part of the hash, whatever the verb and flags.
func (PersonID) Format(s fmt.State, _ rune) { fmt.Fprint(s, "person") }

// MarshalText refuses with [ErrPrivate]; it also covers encoding/json.
func (PersonID) MarshalText() ([]byte, error) { return nil, refuseMarshal() }

// Person returns the column of the person that a row is of.
func (s Schema) Person() (Column, bool) {
	if s.s == nil || s.s.person < 0 {
		return Column{}, false
	}
	return s.s.cols[s.s.person].clone(), true
}

// People counts the people of a source whose schema has a [Person]: those of the roster, where it has one. A [Frame] is counted once, a
// [File] or a [Checked] source when it is opened; others are read. Memory grows with the number of people, which is public.
func People(ctx context.Context, src Source) (int, error) {
	if _, ok := src.Schema().Person(); !ok {
		return 0, fmt.Errorf("frames: people: the schema names no person, want a column frames.Person: %w", ErrSchema)
	}
	switch s := src.(type) {
	case *Frame:
		return s.data().people(), nil
	case blocked:
		return s.Frame.data().people(), nil
	case *File:
		return s.private().people, nil
	case *Checked:
		return s.private().people, nil
	case *Sharded:
		return s.private().people, nil
	}
	seen := newCrowd(src.Schema())
	if seen.whose == nil { // listed: nothing is read
		return seen.count(), nil
	}
	err := src.Scan(ctx, func(b *Block) error {
		seen.add(b.Person...)
		return nil
	})
	return seen.count(), err
}

// countPeople is how many people there are, in words.
func countPeople(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

// crowd counts the people of a schema: those of its roster, or those who have rows, in whatever period.
type crowd struct {
	person Column
	whose  map[PersonID]struct{} // nil where nobody need be told apart
}

func newCrowd(s Schema) *crowd {
	person, ok := s.Person()
	c := &crowd{person: person}
	if ok && person.Listed() == 0 {
		c.whose = map[PersonID]struct{}{}
	}
	return c
}

// add is told whose rows there are.
func (c *crowd) add(ids ...PersonID) {
	if c.whose == nil {
		return
	}
	for _, id := range ids {
		who, _ := c.person.Split(id)
		c.whose[who] = struct{}{}
	}
}

func (c *crowd) count() int { return max(c.person.Listed(), len(c.whose)) }

// countPeople counts those of a table in memory.
func (t *table) countPeople() int {
	seen := newCrowd(t.schema)
	var ids [blockRows]PersonID
	for first := 0; first < t.rows && seen.whose != nil; first += blockRows {
		n := min(blockRows, t.rows-first)
		t.person().readPeople(ids[:n], first)
		seen.add(ids[:n]...)
	}
	return seen.count()
}

// named is parse for a cell that names a person, from which space was trimmed or may be: the hash
// is left in p.id.
func (p *cellParser) named(cell []byte, trim bool) (float64, fault) {
	switch t := bytes.TrimSpace(cell); {
	case len(t) == 0 || p.missing.match(t):
		return 0, faultMissing
	case len(t) < len(cell) && !trim:
		return 0, faultSpace // who is "7" in one row and " 7" in another would be two people
	default:
		p.id = newPersonID(t)
		return 0, p.whose(p.id)
	}
}

// whose is what is wrong with a person.
func (p *cellParser) whose(id PersonID) fault {
	switch {
	case id.key() == (personKey{}):
		return faultMissing
	case id.key() == spacedID.key():
		return faultSpaced
	case p.col.stranger(id):
		return faultPerson
	}
	return fine
}
