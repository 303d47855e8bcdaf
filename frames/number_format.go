package frames

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NumberFormat says how the numbers of a file are written. The zero value: digits with a point and a power of ten, as -1234.5 and 1e-3.
// Nothing is guessed: 1.234 is a bit more than one unless Group says that the point parts thousands.
type NumberFormat struct {
	// Decimal stands before the decimals; 0 means '.'.
	Decimal rune
	// Group stands between groups of three digits before the decimals; 0: nowhere. Numbers without it are read too. ' ' stands for
	// any single space, as many countries part thousands by a thin one.
	Group rune
	// Currency lists the signs one of which may stand before or behind a number, with a space or without: "€", "CHF". Such a number may
	// be negative by parentheses: (12.50).
	Currency []string
	// Percent says that every number ends with a percent sign, a space before it or none: 12.5 % is 0.125.
	Percent bool
}

func (f NumberFormat) zero() bool {
	return f.Decimal == 0 && f.Group == 0 && f.Currency == nil && !f.Percent
}

func (f NumberFormat) decimal() rune {
	if f.Decimal == 0 {
		return '.'
	}
	return f.Decimal
}

func (f NumberFormat) validate() error {
	// What digits, signs and powers of ten are made of would make a number mean two things.
	bad := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsControl(r) || !utf8.ValidRune(r) || strings.ContainsRune("+-−%()\"", r)
	}
	switch {
	case bad(f.decimal()) || unicode.IsSpace(f.decimal()):
		return fmt.Errorf("got Decimal %q, want a sign such as ',' that no number is made of", f.Decimal)
	case f.Group != 0 && bad(f.Group):
		return fmt.Errorf("got Group %q, want a sign such as '.' or a space that no number is made of", f.Group)
	case f.Group == f.decimal():
		return fmt.Errorf("got %q for Decimal and Group, want two signs", f.Group)
	case f.Percent && len(f.Currency) > 0:
		return fmt.Errorf("got Percent and Currency, want one of them")
	}
	for _, c := range f.Currency {
		number := strings.ContainsFunc(c, func(r rune) bool {
			return unicode.IsDigit(r) || unicode.IsSpace(r) || unicode.IsControl(r) || r == f.decimal() && c == string(r) || r == f.Group || strings.ContainsRune("+-−%()\"", r)
		})
		if c == "" || number || !utf8.ValidString(c) {
			return fmt.Errorf("got the currency %q, want a sign such as € or CHF without digits, spaces and signs of numbers", c)
		}
	}
	return nil
}

// String writes an example.
func (f NumberFormat) String() string {
	text := "1234" + string(f.decimal()) + "5"
	if f.Group != 0 {
		text = "1" + string(f.Group) + text[1:]
	}
	switch {
	case f.Percent:
		text += "%"
	case len(f.Currency) > 0:
		text += " " + f.Currency[0]
	}
	return text
}

// numberReader turns numbers of a format into those that parseNumber reads.
type numberReader struct {
	NumberFormat
	buf []byte
}

// newNumberReader returns nil for the zero format.
func newNumberReader(f NumberFormat) *numberReader {
	if f.zero() {
		return nil
	}
	f.Currency = slices.Clone(f.Currency)
	slices.SortFunc(f.Currency, func(a, b string) int { return len(b) - len(a) }) // of "kr" and "k" the longer
	return &numberReader{NumberFormat: f}
}

// number reads a number, correctly rounded.
func (r *numberReader) number(cell []byte) (float64, bool) {
	if r == nil {
		return parseNumber(cell)
	}
	rest, neg, ok := r.undress(cell)
	if !ok {
		return 0, false
	}
	r.buf = r.buf[:0]
	if neg {
		r.buf = append(r.buf, '-')
	}
	whole, decimals := rest, []byte(nil)
	if i := bytes.IndexRune(rest, r.decimal()); i >= 0 {
		whole, decimals = rest[:i], rest[i+utf8.RuneLen(r.decimal()):]
	}
	exponent := []byte(nil)
	last := &whole // where a power of ten may stand
	if len(whole) < len(rest) {
		last = &decimals
	}
	if i := bytes.IndexAny(*last, "eE"); i >= 0 && !r.Percent {
		*last, exponent = (*last)[:i], (*last)[i:]
	}
	if !r.digits(whole) || !onlyDigits(decimals) {
		return 0, false
	}
	if len(whole) < len(rest) {
		r.buf = append(append(r.buf, '.'), decimals...)
	}
	r.buf = append(r.buf, exponent...)
	if r.Percent {
		r.buf = append(r.buf, "e-2"...)
	}
	return parseNumber(r.buf)
}

// undress takes sign, currency and percent from around the digits.
func (r *numberReader) undress(cell []byte) (rest []byte, neg, ok bool) {
	rest = cell
	if n := len(rest); len(r.Currency) > 0 && n > 1 && rest[0] == '(' && rest[n-1] == ')' {
		rest, neg = rest[1:n-1], true
	}
	sign, signed := r.sign(&rest)
	if r.Percent {
		rest, ok = bytes.CutSuffix(rest, []byte("%"))
		if !ok {
			return nil, false, false
		}
		rest = trimOne(rest)
	}
	for _, c := range r.Currency {
		if cut, ok := bytes.CutPrefix(rest, []byte(c)); ok {
			rest = trimOneLeft(cut)
			if !signed {
				sign, signed = r.sign(&rest)
			}
			break
		}
		if cut, ok := bytes.CutSuffix(rest, []byte(c)); ok {
			rest = trimOne(cut)
			break
		}
	}
	if neg && signed { // (-12)
		return nil, false, false
	}
	return rest, neg || sign, true
}

// sign takes a sign from before the text.
func (r *numberReader) sign(text *[]byte) (neg, ok bool) {
	for _, s := range []string{"-", "−", "+"} {
		if cut, ok := bytes.CutPrefix(*text, []byte(s)); ok {
			*text = cut
			return s != "+", true
		}
	}
	return false, false
}

// digits appends the digits before the decimals, whose groups must be of three.
func (r *numberReader) digits(whole []byte) bool {
	if r.Group == 0 {
		r.buf = append(r.buf, whole...)
		return onlyDigits(whole)
	}
	n, grouped := 0, false // digits of the current group
	for i := 0; i < len(whole); {
		if c := whole[i]; c >= '0' && c <= '9' {
			r.buf = append(r.buf, c)
			n++
			i++
			continue
		}
		c, size := utf8.DecodeRune(whole[i:])
		if c != r.Group && !(r.Group == ' ' && unicode.Is(unicode.Zs, c)) {
			return false
		}
		if n == 0 || n > 3 || grouped && n != 3 {
			return false
		}
		n, grouped = 0, true
		i += size
	}
	return !grouped || n == 3
}

func onlyDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// trimOne takes one space from the end of a text, trimOneLeft from its beginning.
func trimOne(b []byte) []byte {
	if r, n := utf8.DecodeLastRune(b); unicode.Is(unicode.Zs, r) {
		return b[:len(b)-n]
	}
	return b
}

func trimOneLeft(b []byte) []byte {
	if r, n := utf8.DecodeRune(b); unicode.Is(unicode.Zs, r) {
		return b[n:]
	}
	return b
}
