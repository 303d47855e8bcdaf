package frames

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding says how the characters of a text stand in its bytes.
type Encoding string

const (
	UTF8        Encoding = ""             // a byte order mark may stand before it
	UTF16       Encoding = "UTF-16"       // in the order of its byte order mark, which it needs
	UTF16LE     Encoding = "UTF-16LE"     // the lower byte first
	UTF16BE     Encoding = "UTF-16BE"     // the higher byte first
	Latin1      Encoding = "ISO-8859-1"   // a byte a character
	Windows1252 Encoding = "windows-1252" // what programs of Windows wrote as Latin-1: with € and “ ” where that has control characters
)

func (e Encoding) validate() error {
	switch e {
	case UTF8, UTF16, UTF16LE, UTF16BE, Latin1, Windows1252:
		return nil
	}
	return fmt.Errorf("frames: options: got Encoding %q, want UTF8, UTF16, UTF16LE, UTF16BE, Latin1 or Windows1252: re-encode other texts to UTF-8: %w", string(e), ErrOptions)
}

// decode returns the text of a reader in UTF-8.
func (e Encoding) decode(r io.Reader) io.Reader {
	switch e {
	case UTF16, UTF16LE, UTF16BE:
		return &decoder{r: r, decode: (&utf16Decoder{order: e}).decode}
	case Latin1, Windows1252:
		return &decoder{r: r, decode: (&byteDecoder{of: e, first: true}).decode}
	}
	return r
}

// decoder reads a text in another encoding as UTF-8, some bytes at a time.
type decoder struct {
	r      io.Reader
	decode func(to, from []byte, end bool) (text []byte, rest int, err error) // appends what is whole; rest bytes are not
	in     [1 << 13]byte
	n      int    // bytes of in that wait for more
	out    []byte // text that waits to be read
	text   []byte // the memory of out
	err    error
}

func (d *decoder) Read(p []byte) (int, error) {
	for empty := 0; len(d.out) == 0; {
		if d.err != nil {
			return 0, d.err
		}
		n, err := d.r.Read(d.in[d.n:])
		if n == 0 && err == nil {
			if empty++; empty > 100 {
				err = io.ErrNoProgress
			}
		}
		d.n += n
		text, rest, bad := d.decode(d.text[:0], d.in[:d.n], err == io.EOF)
		d.text, d.out = text, text
		copy(d.in[:], d.in[d.n-rest:d.n])
		d.n = rest
		if d.err = err; bad != nil {
			d.err = bad // behind the text before it
		}
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// utf16Decoder decodes UTF-16 (RFC 2781).
type utf16Decoder struct {
	order Encoding // UTF16: not known yet
	begun bool
}

func (u *utf16Decoder) decode(to, from []byte, end bool) ([]byte, int, error) {
	if !u.begun && len(from) < 2 && !end {
		return to, len(from), nil
	}
	if !u.begun {
		u.begun = true
		var marked Encoding
		switch {
		case bytes.HasPrefix(from, []byte("\xff\xfe")):
			marked = UTF16LE
		case bytes.HasPrefix(from, []byte("\xfe\xff")):
			marked = UTF16BE
		case u.order == UTF16 && len(from) > 0:
			return to, 0, fmt.Errorf("got no byte order mark, want UTF-16 with one: declare UTF16LE or UTF16BE, or UTF8 if it is that: %w", ErrEncoding)
		}
		switch {
		case marked != "" && u.order != UTF16 && marked != u.order:
			return to, 0, fmt.Errorf("got the byte order mark of %s, want %s: declare UTF16: %w", marked, u.order, ErrEncoding)
		case marked != "":
			u.order, from = marked, from[2:]
		}
	}
	unit := func(i int) rune {
		if u.order == UTF16BE {
			return rune(from[i])<<8 | rune(from[i+1])
		}
		return rune(from[i+1])<<8 | rune(from[i])
	}
	for i := 0; ; {
		rest := len(from) - i
		if rest == 0 || rest == 1 && !end {
			return to, rest, nil
		}
		if rest == 1 {
			return to, 0, fmt.Errorf("got an odd number of bytes, want two a character of UTF-16: copy the file again: %w", ErrEncoding)
		}
		r := unit(i)
		switch {
		case !utf16.IsSurrogate(r):
			i += 2
		case rest < 4 && !end:
			return to, rest, nil
		default:
			second := rune(0)
			if rest >= 4 {
				second = unit(i + 2)
			}
			if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
				return to, 0, fmt.Errorf("got half a character, want pairs of surrogates in UTF-16: is it another encoding? %w", ErrEncoding)
			}
			i += 4
		}
		to = utf8.AppendRune(to, r)
	}
}

// byteDecoder decodes what has a byte a character.
type byteDecoder struct {
	of    Encoding
	first bool
}

func (b *byteDecoder) decode(to, from []byte, _ bool) ([]byte, int, error) {
	if b.first && bytes.HasPrefix(from, []byte("\xef\xbb\xbf")) {
		return to, 0, fmt.Errorf("got the byte order mark of UTF-8, want %s: declare UTF8: %w", b.of, ErrEncoding)
	}
	b.first = b.first && len(from) == 0
	for _, c := range from {
		r := rune(c)
		switch {
		case c < 0x80:
			to = append(to, c)
			continue
		case c < 0xa0 && b.of == Latin1:
			return to, 0, fmt.Errorf("got a control character, want ISO-8859-1: declare Windows1252, or UTF8 if it is that: %w", ErrEncoding)
		case c < 0xa0:
			if r = windows1252[c-0x80]; r == 0 {
				return to, 0, fmt.Errorf("got a byte that is no character, want windows-1252: is it another encoding? %w", ErrEncoding)
			}
		}
		to = utf8.AppendRune(to, r)
	}
	return to, 0, nil
}

// windows1252 are the characters of the bytes 0x80 to 0x9f (WHATWG, Encoding, index windows-1252, without what it maps to controls).
var windows1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}
