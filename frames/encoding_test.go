package frames_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/dpkit-go/dpnb/frames"
)

// in16 is a text in UTF-16, a mark before it where one is given.
func in16(text string, big bool, mark string) string {
	var b strings.Builder
	b.WriteString(mark)
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

func in8(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '€':
			b.WriteByte(0x80)
		case 'ž':
			b.WriteByte(0x9e)
		default:
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}

// TestEncodings: a text is the same table in every encoding that holds its characters, however the bytes arrive.
func TestEncodings(t *testing.T) {
	s := mustSchema(t, frames.Numeric("größe", 0, 300), frames.Category("stadt", "Köln", "Genève", "Málaga"), frames.Person("wer"))
	s2 := mustSchema(t, frames.Numeric("größe", 0, 300), frames.Category("stadt", "Köln", "€ ž", "𝄞"), frames.Person("wer"))
	const head = "größe,stadt,wer\r\n"
	const latin = head + "180,Köln,Ä\r\n17,Genève,Ö\r\n1,Málaga,\"Ä\"\r\n"
	windows := strings.NewReplacer("Genève", "€ ž", "Málaga", "Köln").Replace(latin)
	wide := strings.NewReplacer("Genève", "€ ž", "Málaga", "𝄞").Replace(latin)
	for _, c := range []struct {
		name, text, encoded string
		s                   frames.Schema
		e                   frames.Encoding
	}{
		{"Latin-1", latin, in8(latin), s, frames.Latin1},
		{"Windows", latin, in8(latin), s, frames.Windows1252},
		{"Windows beyond Latin-1", windows, in8(windows), s2, frames.Windows1252},
		{"UTF-16, marked little", wide, in16(wide, false, "\xff\xfe"), s2, frames.UTF16},
		{"UTF-16, marked big", wide, in16(wide, true, "\xfe\xff"), s2, frames.UTF16},
		{"UTF-16LE", wide, in16(wide, false, ""), s2, frames.UTF16LE},
		{"UTF-16LE, marked", wide, in16(wide, false, "\xff\xfe"), s2, frames.UTF16LE},
		{"UTF-16BE", wide, in16(wide, true, ""), s2, frames.UTF16BE},
	} {
		want, err := parse(c.s, c.text, frames.CSVOptions{Header: true})
		if err != nil {
			t.Fatal(c.name, err)
		}
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "end with data": iotest.DataErrReader,
		} {
			f, err := frames.ParseCSV(reader(strings.NewReader(c.encoded)), "t", c.s, frames.CSVOptions{Header: true, Encoding: c.e})
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, how, err)
				continue
			}
			if fingerprintOf(t, f, "größe", "stadt", "wer") != fingerprintOf(t, want, "größe", "stadt", "wer") {
				t.Errorf("%s, %s: another fingerprint", c.name, how)
			}
		}
	}
}

// TestEncodingsRefused: what is not in the declared encoding, behind which line, and what to declare.
func TestEncodingsRefused(t *testing.T) {
	s := mustSchema(t, frames.Category("a", "x", "y"), frames.Person("b"))
	const rows = "x,1\ny,2\n"
	long := strings.Repeat(rows, 5000)
	for _, c := range []struct {
		name, text string
		e          frames.Encoding
		is         error
		says       string
	}{
		{"UTF-8 as UTF-16", rows, frames.UTF16, frames.ErrEncoding, "byte order mark"},
		{"UTF-16 as UTF-8", in16(rows, false, "\xff\xfe"), frames.UTF8, frames.ErrEncoding, "set Encoding to UTF16"},
		{"the other order", in16(rows, true, "\xfe\xff"), frames.UTF16LE, frames.ErrEncoding, "declare UTF16"},
		{"UTF-8 with a mark as Latin-1", "\xef\xbb\xbf" + rows, frames.Latin1, frames.ErrEncoding, "declare UTF8"},
		{"Windows as Latin-1", rows + "x,\x80\n", frames.Latin1, frames.ErrEncoding, "after line 2"},
		{"no character of Windows", rows + "x,\x81\n", frames.Windows1252, frames.ErrEncoding, "after line 2"},
		{"an odd byte", in16(rows, false, "\xff\xfe") + "x", frames.UTF16, frames.ErrEncoding, "after line 2"},
		{"half a pair at the end", in16(rows, false, "\xff\xfe") + "\x00\xd8", frames.UTF16, frames.ErrEncoding, "half a character"},
		{"a lower half first", in16(rows, false, "\xff\xfe") + "\x00\xdc\x00\xd8", frames.UTF16, frames.ErrEncoding, "half a character"},
		{"far behind", in16(long, false, "\xff\xfe") + "\x00\xdc\x00\x00", frames.UTF16, frames.ErrEncoding, "after line 10000"},
		{"nothing", "", frames.UTF16, frames.ErrEmpty, "the file is empty"},
		{"a mark alone", "\xff\xfe", frames.UTF16, frames.ErrEmpty, "the file is empty"},
		{"another name", rows, "latin1", frames.ErrOptions, "want UTF8, UTF16"},
	} {
		_, err := parse(s, c.text, frames.CSVOptions{Encoding: c.e})
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: got %v, want %v and %q", c.name, err, c.is, c.says)
		}
	}
}

// FuzzUTF16 holds the decoder to package utf16 on whole texts: the same characters, or an error where that has a replacement.
func FuzzUTF16(f *testing.F) {
	f.Add("1\n2\n", true)
	f.Add("é𝄞€\n", false)
	f.Fuzz(func(t *testing.T, text string, big bool) {
		s := mustSchema(t, frames.Numeric("a", 0, 1), frames.Person("b"))
		encoded := in16(text, big, "")
		e := frames.UTF16LE
		if big {
			e = frames.UTF16BE
		}
		plain := string(utf16.Decode(utf16.Encode([]rune(text))))
		want, err := parse(s, plain, frames.CSVOptions{})
		got, bad := parse(s, encoded, frames.CSVOptions{Encoding: e})
		if strings.HasPrefix(plain, "\ufeff") { // a mark, which both skip
			return
		}
		if (err == nil) != (bad == nil) || err != nil && err.Error() != bad.Error() || err == nil && fingerprintOf(t, got, "a", "b") != fingerprintOf(t, want, "a", "b") {
			t.Errorf("got %v, want %v", bad, err)
		}
	})
}
