package lab

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestRound(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 0}, {1, 1}, {123456, 123460}, {-0.0001234567, -0.00012346}, {9.99999, 10}, {math.Inf(1), math.Inf(1)},
	} {
		if got := Round(c.x); got != c.want {
			t.Errorf("Round(%g): got %g, want %g", c.x, got, c.want)
		}
	}
	if !math.IsNaN(Round(math.NaN())) {
		t.Error("NaN does not stay")
	}
}

// TestDigest: the digest is that of FIPS 180-2's first example; a file that is not there says so.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DPNB_DATA", dir)
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "b"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Digest("a/b")
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; err != nil || got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	if _, err := Digest("a/c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}
