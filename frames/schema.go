package frames

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Schema is the public domain of a table: an ordered list of columns. It is immutable; the zero
// Schema has no columns. Loaders want one that [NewSchema] made.
type Schema struct{ s *schema }

type schema struct {
	cols     []Column
	byName   map[string]int
	features []int // positions in cols
	feature  []int // position in features of each column; -1 for the label, the person and ignored columns
	label    int   // position in cols, -1 if none
	person   int   // likewise
}

// NewSchema checks the columns and returns their schema. Errors wrap [ErrSchema].
func NewSchema(cols ...Column) (Schema, error) {
	if len(cols) == 0 {
		return Schema{}, fmt.Errorf("frames: schema: got 0 columns, want at least 1: declare them: %w", ErrSchema)
	}
	s := &schema{cols: make([]Column, 0, len(cols)), byName: make(map[string]int, len(cols)), feature: make([]int, len(cols)), label: -1, person: -1}
	first := map[string]Column{} // of each block
	last := ""                   // block of the feature before
	for i, c := range cols {
		if err := c.validate(); err != nil {
			return Schema{}, fmt.Errorf("frames: schema: %w: %w", err, ErrSchema)
		}
		if j, dup := s.byName[c.Name]; dup {
			return Schema{}, fmt.Errorf("frames: schema: columns %d and %d are both named %q, want unique names: rename one: %w", j+1, i+1, c.Name, ErrSchema)
		}
		if b, ok := first[c.Block]; ok {
			if err := b.sameBlock(c, last); err != nil {
				return Schema{}, fmt.Errorf("frames: schema: column %q: %w: %w", c.Name, err, ErrSchema)
			}
		}
		if c.Block != "" && first[c.Block].Name == "" {
			first[c.Block] = c
		}
		if c.feature() {
			last = c.Block
		}
		s.byName[c.Name] = i
		s.feature[i] = -1
		switch {
		case c.feature():
			s.feature[i] = len(s.features)
			s.features = append(s.features, i)
		case c.Kind == KindLabel && s.label >= 0:
			return Schema{}, fmt.Errorf("frames: schema: columns %q and %q are both labels, want at most one: make one a feature or Ignored: %w", s.cols[s.label].Name, c.Name, ErrSchema)
		case c.Kind == KindLabel:
			s.label = i
		case c.Kind == KindPerson && s.person >= 0:
			return Schema{}, fmt.Errorf("frames: schema: columns %q and %q both name the person, want at most one: a row is of one person; make the other Ignored: %w", s.cols[s.person].Name, c.Name, ErrSchema)
		case c.Kind == KindPerson:
			s.person = i
		}
		s.cols = append(s.cols, c.clone())
	}
	for name, c := range first {
		if _, taken := s.byName[name]; taken {
			return Schema{}, fmt.Errorf("frames: schema: column %q: block %q is also the name of a column, want names that tell them apart: rename one: %w", c.Name, name, ErrSchema)
		}
	}
	if err := s.setPeriods(); err != nil {
		return Schema{}, fmt.Errorf("frames: schema: %w: %w", err, ErrSchema)
	}
	return Schema{s}, nil
}

// sameBlock says why c, whose preceding feature is of block last, cannot stand in the block that b
// begins: bounds on a block treat its columns as one, and a missing value misses in all of them.
func (b Column) sameBlock(c Column, last string) error {
	switch {
	case c.Hi != b.Hi:
		return fmt.Errorf("got bounds [0, %g] in block %q, want [0, %g] as its other columns have: scale the block as one", c.Hi, c.Block, b.Hi)
	case c.Missing != b.Missing:
		return fmt.Errorf("block %q may miss in some of its columns only, want all or none: a missing category misses in every column of its block", c.Block)
	case last != c.Block:
		return fmt.Errorf("block %q is split by another feature, want its columns together: reorder the columns", c.Block)
	}
	return nil
}

// Len is the number of columns, ignored ones included.
func (s Schema) Len() int {
	if s.s == nil {
		return 0
	}
	return len(s.s.cols)
}

// Columns returns a copy of the columns in order.
func (s Schema) Columns() []Column {
	if s.s == nil {
		return []Column{}
	}
	return own(slices.Clone(s.s.cols))
}

// own gives columns levels of their own, one behind the other: many look at columns but once.
func own(cols []Column) []Column {
	n := 0
	for i := range cols {
		n += len(cols[i].Levels)
	}
	all := make([]string, 0, n)
	for i := range cols {
		if c := &cols[i]; c.Levels != nil {
			all = append(all, c.Levels...)
			c.Levels = all[len(all)-len(c.Levels) : len(all) : len(all)]
		}
	}
	return cols
}

// Column returns the column of that name.
func (s Schema) Column(name string) (Column, bool) {
	if s.s == nil {
		return Column{}, false
	}
	i, ok := s.s.byName[name]
	if !ok {
		return Column{}, false
	}
	return s.s.cols[i].clone(), true
}

// Features returns the numeric and category columns in order: column j of a [Block]'s X is Features()[j].
func (s Schema) Features() []Column {
	if s.s == nil {
		return nil
	}
	out := make([]Column, len(s.s.features))
	for j, i := range s.s.features {
		out[j] = s.s.cols[i]
	}
	return own(out)
}

// Width is the number of features, which is that of a [Block]'s columns.
func (s Schema) Width() int {
	if s.s == nil {
		return 0
	}
	return len(s.s.features)
}

// FeatureIndex returns the position of a feature among Features.
func (s Schema) FeatureIndex(name string) (int, bool) {
	if s.s == nil {
		return 0, false
	}
	i, ok := s.s.byName[name]
	if !ok || s.s.feature[i] < 0 {
		return 0, false
	}
	return s.s.feature[i], true
}

// Unbounded returns the names of the features and of the label that have no public bounds, in order.
func (s Schema) Unbounded() []string {
	var names []string
	for i := range s.Len() {
		if c := &s.s.cols[i]; c.NoBounds {
			names = append(names, c.Name)
		}
	}
	return names
}

// Label returns the label column.
func (s Schema) Label() (Column, bool) {
	if s.s == nil || s.s.label < 0 {
		return Column{}, false
	}
	return s.s.cols[s.s.label].clone(), true
}

// spacedLevel is a level that begins or ends with space, and its column.
func (s Schema) spacedLevel() (level, column string, ok bool) {
	if s.s == nil {
		return "", "", false
	}
	for i := range s.s.cols {
		for _, l := range s.s.cols[i].Levels {
			if strings.TrimSpace(l) != l {
				return l, s.s.cols[i].Name, true
			}
		}
	}
	return "", "", false
}

// Hash is the SHA-256 of a canonical, length-prefixed encoding of all public facts, in column
// order. It is stable across processes, machines and releases of this package.
func (s Schema) Hash() [32]byte {
	b := appendText(nil, "dpnb/frames.Schema/1")
	for _, c := range s.Columns() {
		b = c.appendTo(b)
	}
	return sha256.Sum256(b)
}

// appendTo writes the declaration of the column.
func (c Column) appendTo(b []byte) []byte {
	number := func(v float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)) } // +0 turns -0 into 0
	flag := func(f bool) {
		if f {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	b = appendText(b, c.Name)
	b = append(b, byte(c.Kind))
	number(c.Lo)
	number(c.Hi)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(c.Levels)))
	for _, l := range c.Levels {
		b = appendText(b, l)
	}
	switch { // where nothing is said of an order, as before there was one to declare
	case c.Ordered && c.Missing:
		b = append(b, 3)
	case c.Ordered:
		b = append(b, 2)
	default:
		flag(c.Missing)
	}
	switch {
	case c.IsDate() && c.Clamp:
		b = appendText(appendText(append(b, 4), c.Since()), c.layout())
	case c.IsDate():
		b = appendText(appendText(append(b, 3), c.Since()), c.layout())
	case c.Kind == KindPerson && c.more != nil:
		r := c.parts()
		switch { // of no column without either, as before there were any
		case r.people == nil:
			b = append(b, 6)
		case r.per == "":
			b = append(append(b, 5), r.people.digest[:]...)
		default:
			b = append(append(b, 7), r.people.digest[:]...)
		}
		if r.per != "" {
			b = appendText(appendText(b, string(r.per)), r.perDay)
		}
	case c.IsSingle() && c.Clamp: // never of dates
		b = append(b, 9)
	case c.IsSingle():
		b = append(b, 8)
	case c.Rest != "": // a column of levels, which is never clamped
		b = appendText(append(b, 2), c.Rest)
	default:
		flag(c.Clamp)
	}
	b = appendText(b, c.Block)
	if c.NoBounds { // a column with bounds has no scale
		number(c.Scale)
	}
	return b
}

// appendText writes a text behind its length.
func appendText(b []byte, t string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(t))), t...)
}
