package frames

import (
	"math"
	"strings"
	"testing"
)

// secret marks cells in the fuzzed texts; it occurs in none of the package's own.
const secret = "zqjx"

// checkOutcome: an error comes without a frame and does not repeat a cell; a frame keeps its schema.
func checkOutcome(t *testing.T, f *Frame, err error) {
	t.Helper()
	if (f == nil) == (err == nil) {
		t.Fatalf("got frame %v and error %v", f, err)
	}
	if err != nil {
		if strings.Contains(err.Error(), secret) {
			t.Fatalf("the error repeats a cell: %v", err)
		}
		return
	}
	again, err := Collect(t.Context(), f) // holds every value to the schema
	if err != nil || f.Rows() < 1 {
		t.Fatalf("a frame of %d rows breaks its schema: %v", f.Rows(), err)
	}
	if again.Fingerprint(nil) != f.Fingerprint(nil) {
		t.Fatal("values are not as their schema has them")
	}
}

func FuzzParseBlanks(f *testing.F) {
	s, err := NewSchema(Numeric("a", -2, 5), Category("b", "u", "v").MayMiss(), Ignored("c"), Numeric("d", 0, 1).Clamped().MayMiss(), Label("e", "n", "p"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(" 1 u  x\t0.5 n\r\n2 \"\" \"a \"\"b\" NA p", false)
	f.Add("e d c b a\nn 7 x u -2\n", true)
	f.Add("1 \"SECRET 2\nSECRET\"\" SECRET SECRET SECRET SECRET\n", true)
	f.Add("SECRET,SECRET,SECRET,SECRET,SECRET\n", false)
	f.Fuzz(func(t *testing.T, text string, header bool) {
		frame, err := ParseCSV(strings.NewReader(strings.ReplaceAll(text, "SECRET", secret)), "fuzz", s, CSVOptions{Blanks: true, Header: header})
		checkOutcome(t, frame, err)
	})
}

func FuzzParseARFF(f *testing.F) {
	s, err := NewSchema(Numeric("a", -2, 5), Category("b", "u", "v").MayMiss(), Ignored("c"), Numeric("d", 0, 1).Clamped().MayMiss(), Label("e", "n", "p"))
	if err != nil {
		f.Fatal(err)
	}
	const head = "@relation r\n@attribute a numeric\n@attribute 'b' {u,v}\n@attribute c string\n@attribute d real\n@attribute e {n,p}\n@data\n"
	f.Add(head + "1,u,,0.5,n\n2,?,x,?,p\n")
	f.Add(head + "{0 1, 3 0.5}\n{4 p} % c\n")
	f.Add(strings.ToUpper(head) + "1,'u','it\\'s',0.5,\"n\"\r\n%\n")
	f.Add(head + "SECRET,SECRET,'SECRET,SECRET,SECRET\n{0 SECRET}\n{9 SECRET}\n")
	f.Add("@attribute SECRET {SECRET,'SECRET}\n@data\nSECRET\n")
	f.Add("@attribute SECRET relational\n")
	f.Fuzz(func(t *testing.T, text string) {
		frame, err := ParseARFF(strings.NewReader(strings.ReplaceAll(text, "SECRET", secret)), "fuzz", s, ARFFOptions{})
		checkOutcome(t, frame, err)
	})
}

func FuzzParseLibSVM(f *testing.F) {
	s, err := NewSchema(Numeric("a", -2, 5), Category("b", "0", "3"), Ignored("c"), Numeric("d", 0.5, 1).Clamped(), Label("e", "-1", "1"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("-1 1:0.5 2:3 3:x 4:7\n+1\n", false)
	f.Add("1 0:1e-9 1:0.0 # SECRET\n\r\n-1.0\t2:SECRET", true)
	f.Add("SECRET 1:1\n1 SECRET:1\n1 qid:SECRET\n1 1:SECRET 1:SECRET\n", false)
	f.Add("1 99999999999999999999:1\n", false)
	f.Fuzz(func(t *testing.T, text string, zero bool) {
		frame, err := ParseLibSVM(strings.NewReader(strings.ReplaceAll(text, "SECRET", secret)), "fuzz", s, LibSVMOptions{ZeroBased: zero})
		checkOutcome(t, frame, err)
	})
}

// FuzzIDX: header and items of any bytes; what they claim does not make the reader allocate more than they hold.
func FuzzIDX(f *testing.F) {
	f.Add([]byte("\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x02abcd"), []byte("\x00\x00\x08\x01\x00\x00\x00\x02\x00\x01"))
	f.Add([]byte("\x00\x00\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), []byte{})
	f.Add([]byte("\x00\x00\x08\x02\x7f\xff\xff\xff\x00\x00\x00\x01z"), []byte("\x00\x00\x08\x01\x7f\xff\xff\xff\x63\x63"))
	f.Add([]byte("\x00\x00\x08\x01\x00\x00\x00\x01zqjx"), []byte("\x00\x00\x08\x01\x00\x00\x00\x01\x07"))
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		h, err := readIDXHeader(strings.NewReader(string(images)))
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Fatalf("the error repeats a cell: %v", err)
			}
			return
		}
		if h.size < 1 || h.size > maxPixels || h.count < 0 || h.count > math.MaxInt32 {
			t.Fatalf("got header %+v", h)
		}
		if h.size > 1<<10 {
			return // valid, but a schema of so many columns is slow to make
		}
		s, err := h.schema(true, IDXOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := newIDXParser("fuzz", s, IDXOptions{})
		if err != nil {
			t.Fatal(err)
		}
		frame, err := parseReaders(p, s, "fuzz", strings.NewReader(string(images)), strings.NewReader(string(labels)))
		checkOutcome(t, frame, err)
		if frame != nil && frame.Rows()*h.size > len(images) {
			t.Fatalf("got %d rows of %d values from %d bytes", frame.Rows(), h.size, len(images))
		}
	})
}
