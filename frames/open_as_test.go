package frames_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestOpenAs: what another process opened has the same rows and the same fingerprint here, and fails where it is no longer what it was.
func TestOpenAs(t *testing.T) {
	s, err := frames.NewSchema(frames.Numeric("x", 0, 100))
	if err != nil {
		t.Fatal(err)
	}
	arff := "@relation r\n@attribute x real\n@data\n1\n2\n"
	for _, c := range []struct {
		name, text string
		at         string // when a change is found
		changes    map[string]string
	}{
		{"x.constant", "seven..", "scan", map[string]string{"cell": "six...", "bounds": strings.Repeat(".", 101)}},
		{"x.arff", arff, "open", map[string]string{"cell": strings.Replace(arff, "2\n", "3\n", 1), "fewer": strings.Replace(arff, "2\n", "", 1), "format": "x\n1\n2\n"}},
	} {
		path := filepath.Join(put(t, map[string]string{c.name: c.text}), c.name)
		src, err := frames.Open(path, s)
		if err != nil {
			t.Fatal(err)
		}
		told, err := frames.Opened(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		scan := func() (at string, err error) {
			again, err := frames.OpenAs(t.Context(), path, s, told)
			if err != nil {
				return "open", err
			}
			if again.Rows() != src.Rows() || fingerprintOf(t, again, "x") != fingerprintOf(t, src, "x") || !frames.Fixed(again) {
				t.Errorf("%s: other rows", c.name)
			}
			return "scan", again.Scan(t.Context(), func(*frames.Block) error { return nil })
		}
		if at, err := scan(); at != "scan" || err != nil {
			t.Errorf("%s: at %s: %v", c.name, at, err)
		}
		for name, text := range c.changes {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if at, err := scan(); at != c.at || !errors.Is(err, frames.ErrChanged) {
				t.Errorf("%s, %s: at %s, got %v", c.name, name, at, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := scan(); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("%s is gone: got %v", c.name, err)
		}
		if _, err := frames.OpenAs(t.Context(), path, s, []byte("{}")); !errors.Is(err, frames.ErrOptions) {
			t.Errorf("%s: told nothing: got %v", c.name, err)
		}
	}
}
