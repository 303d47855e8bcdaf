package frames_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestSpaceAroundIdentifiers: where no option removes it, space around an identifier, a text or a
// level is an error, in quotes and in the IDs of a program's own source; and no option makes one
// level of two.
func TestSpaceAroundIdentifiers(t *testing.T) {
	x := frames.Numeric("x", 0, 1)
	for _, c := range []frames.Column{frames.Person("v"), frames.Text("v"), frames.Category("v", "7", "8"), frames.Category("v", "7", "8").Other("other")} {
		_, err := frames.ParseARFF(strings.NewReader("@relation r\n@attribute v string\n@attribute x numeric\n@data\n'7 ',0\n7,0\n"), "t", mustSchema(t, c, x), frames.ARFFOptions{})
		if err == nil || !strings.Contains(err.Error(), "space around") || !strings.Contains(err.Error(), "line 5") || strings.Contains(err.Error(), "TrimSpace") {
			t.Errorf("%s in quotes in ARFF: got %v", c.Kind, err)
		}
	}
	s := mustSchema(t, frames.Person("v"), x)
	for _, id := range []string{"7 ", " 7", "7\n", "7\u00a0"} {
		b := frames.Block{Rows: 2, Cols: 1, X: []float64{0, 0}, Person: []frames.PersonID{frames.NewPersonID([]byte("7")), frames.NewPersonID([]byte(id))}}
		_, collected := frames.FromBlock(s, &b)
		_, checked := frames.Check(t.Context(), always(s, b))
		for _, err := range []error{collected, checked} {
			if !errors.Is(err, frames.ErrText) || !strings.Contains(err.Error(), "space around") || !strings.Contains(err.Error(), "row 2") {
				t.Errorf("%q: got %v, want ErrText in row 2", id, err)
			}
		}
	}
	if of := frames.NewPersonID([]byte("\xff\x01 ")); of == frames.NewPersonID([]byte("\xff\x01")) || of == frames.NewPersonID([]byte("\xfe\x01 ")) {
		t.Error("binary data with a last byte of 32 is another's")
	}
	if frames.NewPersonID([]byte(" \n")) != (frames.PersonID{}) {
		t.Error("a text of space alone is somebody")
	}
	spaced := mustSchema(t, frames.Category("v", "7", "7 "), x)
	text := "v,x\n7,0\n7 ,0\n"
	if _, err := frames.ParseCSV(strings.NewReader(text), "t", spaced, frames.CSVOptions{Header: true, TrimSpace: true}); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("TrimSpace and a level with space: got %v, want ErrOptions", err)
	}
	f, err := frames.ParseCSV(strings.NewReader(text), "t", spaced, frames.CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := cellsOf(t, f); got[0] == got[2] {
		t.Error("two levels are one")
	}
}
