package frames

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// fault says why a cell was refused, without what it held.
type fault uint8

const (
	fine fault = iota
	faultMissing
	faultNumber
	faultBounds
	faultLevel
	faultDate
	faultPerson // of nobody in the roster
	faultText   // cannot be a key
	faultSpace  // would be accepted without the space around it
	faultSpaced // the same, where no option trims it
)

// cellParser turns the text of one column's cells into values: numbers, level codes, NaN = missing.
type cellParser struct {
	col     *Column // of a schema, which nothing changes
	codes   map[string]float64
	rest    float64 // code of what is no level; NaN: none
	missing *markers
	format  *numberReader // nil: as parseNumber reads
	trim    bool
	days    days // of a column of dates
	isDate  bool
	seen    map[string]float64 // of a column of texts: codes; nil of others
	id      PersonID           // of the last cell that named a person
	clamped int
}

func newCellParser(c *Column, missing *markers, trim bool) cellParser {
	p := cellParser{col: c, missing: missing, trim: trim, rest: math.NaN()}
	p.days, p.isDate = c.days()
	if c.Kind == KindText {
		p.seen = map[string]float64{}
	}
	if c.classes() {
		p.codes = make(map[string]float64, len(c.Levels))
		for i, l := range c.Levels {
			p.codes[l] = float64(i)
		}
		if c.Rest != "" {
			p.rest = p.codes[c.Rest]
		}
	}
	return p
}

// another is a parser of cells of the same column, for another goroutine.
func (p *cellParser) another() *cellParser {
	c := *p
	if p.format != nil {
		c.format = newNumberReader(p.format.NumberFormat)
	}
	if p.seen != nil {
		c.seen = map[string]float64{}
	}
	c.clamped = 0
	return &c
}

// markers are the texts that stand for a missing cell. Columns share them: there may be millions.
type markers struct {
	texts [][]byte
	first [256]bool // first bytes of the texts
	empty bool      // the empty cell is a marker
}

func newMarkers(texts []string) *markers {
	m := &markers{}
	for _, t := range texts {
		if t == "" {
			m.empty = true
			continue
		}
		m.texts = append(m.texts, []byte(t))
		m.first[t[0]] = true
	}
	return m
}

func (m *markers) match(cell []byte) bool {
	if len(cell) == 0 {
		return m.empty
	}
	if !m.first[cell[0]] {
		return false
	}
	for _, t := range m.texts {
		if bytes.Equal(cell, t) {
			return true
		}
	}
	return false
}

// parse returns the cell's value. A declared level wins over a missing marker that spells the same.
func (p *cellParser) parse(cell []byte) (float64, fault) {
	if p.col.Kind == KindPerson {
		return p.named(cell, p.trim)
	}
	if p.trim {
		cell = trimSpace(cell)
	}
	v, f := p.value(cell)
	if f != fine && !p.trim && f != faultBounds {
		if t := bytes.TrimSpace(cell); len(t) < len(cell) {
			if _, f := p.value(t); f == fine {
				return 0, faultSpace
			}
		}
	}
	return p.other(v, f)
}

// other is a value with what is no level become the level for the rest, where the column has one.
func (p *cellParser) other(v float64, f fault) (float64, fault) {
	if f == faultLevel && !math.IsNaN(p.rest) {
		return p.rest, fine
	}
	return v, f
}

func (p *cellParser) value(cell []byte) (float64, fault) {
	if p.codes != nil {
		if v, ok := p.codes[string(cell)]; ok {
			return v, fine
		}
	}
	if p.missing.match(cell) {
		return p.absent()
	}
	return p.literal(cell)
}

// quoted is parse for a cell that is never trimmed and never a marker.
func (p *cellParser) quoted(cell []byte) (float64, fault) {
	var v float64
	var f fault
	switch {
	case p.col.Kind == KindPerson:
		v, f = p.named(cell, false)
	case p.seen != nil:
		v, f = p.text(cell, false)
	default:
		v, f = p.literal(cell)
		if _, ok := p.codes[string(bytes.TrimSpace(cell))]; ok && f == faultLevel {
			f = faultSpace
		}
	}
	if f == faultSpace {
		f = faultSpaced
	}
	return p.other(v, f)
}

// literal is quoted but for what is no level.
func (p *cellParser) literal(cell []byte) (float64, fault) {
	if p.seen != nil {
		return p.text(cell, p.trim)
	}
	if p.codes == nil {
		if p.isDate {
			return p.dated(cell)
		}
		var v float64
		var ok bool
		if p.format == nil {
			v, ok = parseNumber(cell)
		} else {
			v, ok = p.format.number(cell)
		}
		if !ok {
			return 0, faultNumber
		}
		return p.number(v)
	}
	if v, ok := p.codes[string(cell)]; ok {
		return v, fine
	}
	return 0, faultLevel
}

// number holds a number to the column's bounds.
func (p *cellParser) number(v float64) (float64, fault) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, faultNumber
	case v >= p.col.Lo && v <= p.col.Hi:
		if p.col.IsSingle() {
			return p.col.rounded(v), fine
		}
		return v + 0, fine // +0 turns -0 into 0: one value, one fingerprint
	case !p.col.Clamp:
		return 0, faultBounds
	}
	p.clamped++
	if v = min(max(v, p.col.Lo), p.col.Hi) + 0; p.col.IsSingle() {
		v = p.col.rounded(v)
	}
	return v, fine
}

func (p *cellParser) absent() (float64, fault) {
	if !p.col.Missing {
		return 0, faultMissing
	}
	return math.NaN(), fine
}

// explain says what the column wants instead of the cell.
func (p *cellParser) explain(f fault) error {
	c := p.col
	switch f {
	case faultMissing:
		if c.Kind == KindPerson {
			return fmt.Errorf("%w, want the person that the row is of: a row of nobody has no guarantee; fill the cell, drop such rows before loading, or give them all one name, which makes them one person's", ErrMissing)
		}
		if c.Kind == KindLabel {
			return fmt.Errorf("%w, want a label in every row: drop the rows without one", ErrMissing)
		}
		return fmt.Errorf("%w, want a value: declare the column with MayMiss, or fill the cell", ErrMissing)
	case faultNumber:
		if p.format != nil {
			return fmt.Errorf("%w, want one written as %s: fix the cell, change the column's NumberFormat, or name the cell's marker in Missing", ErrNumber, p.format)
		}
		if c.NoBounds {
			return fmt.Errorf("%w, want any finite one: fix the cell, name its marker in Missing, or say in Number how the file writes numbers, as 1.234,5", ErrNumber)
		}
		return fmt.Errorf("%w, want one in [%g, %g]: fix the cell, name its marker in Missing, or say in Number how the file writes numbers, as 1.234,5", ErrNumber, c.Lo, c.Hi)
	case faultPerson:
		return fmt.Errorf("%w, want one of the %d that it lists: correct the cell, or list the person if the register does", ErrPerson, c.Listed())
	case faultDate:
		return fmt.Errorf("%w, want a day from %s to %s, written so: fix the cell, say how the file writes days by Written, or name the cell's marker in Missing", ErrDate, c.DayText(c.Lo), c.DayText(c.Hi))
	case faultBounds:
		if c.IsDate() {
			return fmt.Errorf("%w: a day before %s or after %s: correct the days if the codebook has others, or declare the column Clamped", ErrBounds, c.firstDay(), c.lastDay())
		}
		return fmt.Errorf("%w [%g, %g]: correct the bounds if the codebook has wider ones, or declare the column Clamped", ErrBounds, c.Lo, c.Hi)
	case faultLevel:
		return fmt.Errorf("%w, want one of %d (%s): add the level if the codebook has it, name its marker in Missing, or take what no codebook lists by Other", ErrLevel, len(c.Levels), c.domain())
	case faultText:
		return fmt.Errorf("%w, want text of 1 to %d bytes without control characters, not %q, which is a cell without a value, and not the hash of another text: correct the cell, or name its marker in Missing", ErrText, mostText, MissingLevel)
	case faultSpace:
		return fmt.Errorf("%w because of the space around it: set TrimSpace", p.sentinel(f))
	case faultSpaced:
		return fmt.Errorf("%w because of the space around it, want it without: of \"7\" and \"7 \" nobody knows whether they are one; remove the space where the rows come from, in a query by trim()", p.sentinel(f))
	}
	return fmt.Errorf("frames: fault %d has no text", f) // unreachable: value returns the faults above
}

func (p *cellParser) sentinel(f fault) error {
	switch {
	case f == faultPerson:
		return ErrPerson
	case f == faultText || f == faultSpaced && p.codes == nil || f == faultSpace && p.seen != nil:
		return ErrText
	case f == faultMissing || p.col.Kind == KindPerson:
		return ErrMissing
	case f == faultBounds:
		return ErrBounds
	case p.col.IsDate():
		return ErrDate
	case p.codes != nil:
		return ErrLevel
	}
	return ErrNumber
}

// trimSpace is bytes.TrimSpace with a shortcut for cells without space around them.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if n := len(b); n == 0 || b[0] > ' ' && b[0] < 0x80 && b[n-1] > ' ' && b[n-1] < 0x80 {
		return b
	}
	return bytes.TrimSpace(b)
}

// pow10 is a constant table: powers of ten, exact in float64, for up to 15 decimals.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseNumber reads a finite decimal number, equal to strconv.ParseFloat's. Up to 15 digits m and
// k decimals are exact in float64, so that the one division m/10^k is correctly rounded
// (Clinger 1990, "How to read floating point numbers accurately"); the rest goes to strconv.
func parseNumber(b []byte) (float64, bool) {
	d := b
	neg := false
	if len(d) > 0 && (d[0] == '-' || d[0] == '+') {
		neg = d[0] == '-'
		d = d[1:]
	}
	var m uint64 // of more than 15 digits it may be anything
	i := 0
	for i < len(d) && d[i]-'0' <= 9 {
		m = m*10 + uint64(d[i]-'0')
		i++
	}
	digits, decimals := i, 0
	if i < len(d) && d[i] == '.' {
		for i++; i < len(d) && d[i]-'0' <= 9; i++ {
			m = m*10 + uint64(d[i]-'0')
		}
		decimals = i - digits - 1
	}
	switch digits += decimals; {
	case i < len(d) || digits > 15:
		return parseFloat(b)
	case digits == 0:
		return 0, false
	}
	v := float64(m)
	if decimals > 0 {
		v /= pow10[decimals]
	}
	if neg {
		v = -v
	}
	return v, true
}

// parseFloat accepts what strconv does, less hexadecimal and non-finite values.
func parseFloat(b []byte) (float64, bool) {
	for _, c := range b {
		if !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(b), 64) // its error repeats the cell: never wrap it
	return v, err == nil
}
