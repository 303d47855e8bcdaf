package frames_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// A cut inside a stream is an error, never a shorter table.
func TestCutPackedFile(t *testing.T) {
	for name, text := range map[string]string{"gzip": packed(t, svmText), "bzip2": svmBzip2(t)} {
		whole := len(text)
		for n := range whole {
			f, err := frames.ParseLibSVM(strings.NewReader(text[:n]), "test", svmSchema(t), frames.LibSVMOptions{})
			if err == nil || f != nil {
				t.Errorf("%s: %d of %d bytes load", name, n, whole)
			}
		}
	}
}

// Every reader of text unpacks.
func TestPackedCSV(t *testing.T) {
	f, err := parse(people(t), packed(t, "30,clerk,x1,5,low\n41.5,?,x2,NA,high\n0,smith,x3,-3,low\n"), frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := cells(f); got != peopleRows {
		t.Errorf("got\n%s", got)
	}
	if _, err := parse(people(t), "BZh91AY", frames.CSVOptions{}); !errors.Is(err, frames.ErrRagged) {
		t.Errorf("a text that starts as bzip2 does: got %v, want ErrRagged", err)
	}
}
