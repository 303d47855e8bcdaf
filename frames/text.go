package frames

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
)

// Text is a column of texts that no codebook lists, such as diagnoses as they were typed or the pages of a site. Which of them occur is private. It
// is no feature of a model and no statistic sees its cells: groups by it are found, with noise (Found and Levels of package dpkit), or it is
// given levels by a public list of them (Codebook), or dropped. A text is at most 1000 bytes long, and is not [MissingLevel].
//
// A table knows a text by a number that is made of the text alone. What texts there are stays with the column, shared by all tables that are loaded
// with it, prints as nothing and cannot be listed: only a text that was found is looked up.
func Text(name string) Column {
	return Column{Name: name, Kind: KindText, NoBounds: true, Lo: math.Inf(-1), Hi: math.Inf(1)}.with(func(r *rare) { r.texts = newTexts() })
}

// mostText is how long a text may be, in bytes.
const mostText = 1000

// textsOf hides what texts there are: fmt follows pointers, but not into what a function captured.
type textsOf struct{ table func() *textTable }

// textTable are the texts of a column by their codes. Several loaders may fill it at once.
type textTable struct {
	mu sync.RWMutex
	at map[float64]string
}

func newTexts() *textsOf {
	t := &textTable{at: map[float64]string{}}
	return &textsOf{func() *textTable { return t }}
}

// TextCode is the number that a [Block] holds for a text: the same for the same text, in every table. It has 61 bits of the text's SHA-256 and is less than
// 2¹²⁸ in size, so that of a million texts two have one code with probability 2⁻²² (docs/theory/tables.md#codes-of-texts).
func TextCode(text string) float64 {
	sum := sha256.Sum256([]byte("dpnb/frames.Text/1\x00" + text))
	b := binary.LittleEndian.Uint64(sum[:])
	const bias, range2 = 1023, 7 // exponents −128 to 127
	exponent := b>>52&0xff + bias - 1<<range2
	return math.Float64frombits(b&(1<<63|1<<52-1) | exponent<<52)
}

// keep remembers a text; false where another one has its code.
func (t *textsOf) keep(code float64, text []byte) bool {
	of := t.table()
	of.mu.RLock()
	known, ok := of.at[code]
	of.mu.RUnlock()
	if !ok {
		of.mu.Lock()
		defer of.mu.Unlock()
		if known, ok = of.at[code]; !ok {
			of.at[code] = string(text)
			return true
		}
	}
	return known == string(text)
}

// all are the texts that are known, in order.
func (t *textsOf) all() []string {
	of := t.table()
	of.mu.RLock()
	defer of.mu.RUnlock()
	return slices.Sorted(maps.Values(of.at))
}

// TextOf looks up the text of a code in a column of [Text]; false where no table that was loaded with the column has it. It is for what was found with
// noise, and for public rows: a text is private until then.
func (c Column) TextOf(code float64) (string, bool) {
	t := c.parts().texts
	if t == nil {
		return "", false
	}
	of := t.table()
	of.mu.RLock()
	defer of.mu.RUnlock()
	text, ok := of.at[code]
	return text, ok
}

// Code is [TextCode] of a text that a [Source] of the caller's has, for a column of [Text], which then knows the text. Errors wrap [ErrText].
func (c Column) Code(text string) (float64, error) {
	if c.Kind != KindText {
		return 0, fmt.Errorf("frames: column %q: got kind %v, want one of Text: %w", c.Name, c.Kind, ErrText)
	}
	p := newCellParser(&c, newMarkers(nil), false)
	code, f := p.text([]byte(text), false)
	if f != fine {
		return 0, fmt.Errorf("frames: column %q: %w", c.Name, p.explain(f))
	}
	return code, nil
}

// text is literal for a cell of a column of texts, from which space was trimmed or may be.
func (p *cellParser) text(cell []byte, trim bool) (float64, fault) {
	if code, ok := p.seen[string(cell)]; ok {
		return code, fine
	}
	switch t := bytes.TrimSpace(cell); {
	case len(t) == 0:
		return p.absent()
	case len(t) < len(cell) && !trim:
		return 0, faultSpace // "E11" and " E11" would be two
	case len(t) > mostText || validateLevel(string(t)) != nil:
		return 0, faultText
	default:
		code := TextCode(string(t))
		if !p.col.parts().texts.keep(code, t) {
			return 0, faultText
		}
		p.seen[string(cell)] = code
		return code, fine
	}
}

// has reports a code that the column knows the text of.
func (t *textsOf) has(code float64) bool {
	of := t.table()
	of.mu.RLock()
	defer of.mu.RUnlock()
	_, ok := of.at[code]
	return ok
}

// known is typed for a cell of a column of texts.
func (p *cellParser) known(code float64) (float64, fault) {
	if !p.col.parts().texts.has(code) {
		return 0, faultText
	}
	return code, fine
}

func (c Column) validateTexts(bad func(string, ...any) error) error {
	r := c.parts()
	switch {
	case r.texts == nil:
		return bad("got no place for its texts: declare it with Text")
	case r.people != nil || r.per != "" || r.dated() || len(c.Levels) > 0 || c.Rest != "" || c.Ordered || c.Clamp || c.Block != "" || c.Scale != 0 || !c.NoBounds:
		return bad("a column of texts has no levels, bounds, days, roster or flags but MayMiss: drop them")
	}
	return nil
}

// learn makes columns of texts know the texts of those of an equal schema.
func (s Schema) learn(from Schema) error {
	for i := range s.Len() {
		to, other := s.s.cols[i].parts().texts, from.s.cols[i].parts().texts
		if to == other {
			continue
		}
		of := other.table()
		of.mu.RLock()
		texts := maps.Clone(of.at)
		of.mu.RUnlock()
		for code, text := range texts {
			if !to.keep(code, []byte(text)) {
				return fmt.Errorf("column %q: %w: another text has the same hash: correct one of them", s.s.cols[i].Name, ErrText)
			}
		}
	}
	return nil
}
