package frames

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

func cacheSchema(t *testing.T) Schema {
	t.Helper()
	s, err := NewSchema(Person("p"), Numeric("x", -9, 9).MayMiss().Clamped(), Category("c", "a", "b", "c"), Numeric("z", 0, 1).Single(), Label("y", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writeRows(t *testing.T, path string, rows int, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for i := range rows {
		x := fmt.Sprintf("%.5f", 5*r.NormFloat64())
		if i%5 == 0 {
			x = "NA"
		}
		fmt.Fprintf(&b, "p%d,%s,%s,%.3f,%s\n", r.IntN(rows), x, []string{"a", "b", "c"}[r.IntN(3)], r.Float64(), []string{"no", "yes"}[r.IntN(2)])
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// kept is the one file of a cache.
func keptFile(t *testing.T, c Cache) string {
	t.Helper()
	files, err := rowcache.Files(c.Folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	return files[0]
}

// sameFrames compares rows, what they are known by, and what the loader counted.
func sameFrames(t *testing.T, what string, got, want *Frame) {
	t.Helper()
	key := []byte("k")
	if got.Rows() != want.Rows() || got.Fingerprint(key) != want.Fingerprint(key) || !got.data().shard().same(want.data().shard()) ||
		fmt.Sprint(got.Clamped()) != fmt.Sprint(want.Clamped()) || got.String() != want.String() {
		t.Errorf("%s: another table", what)
	}
}

// TestCache: what comes out of a cache is what the reader makes of the files as they are, whatever was done to the files or to the cache.
func TestCache(t *testing.T) {
	s := cacheSchema(t)
	dir := t.TempDir()
	path, c, o := filepath.Join(dir, "t.csv"), Cache{Folder: filepath.Join(dir, "cache")}, CSVOptions{}
	for _, rows := range []int{3, 2*pageRows + 5} {
		writeRows(t, path, rows, 1)
		read := func(what string, o CSVOptions) {
			t.Helper()
			want, err := ReadCSV(path, s, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, time := range []string{"first", "again"} {
				got, err := c.ReadCSV(path, s, o)
				if err != nil {
					t.Fatalf("%s, %s: %v", what, time, err)
				}
				sameFrames(t, what+", "+time, got, want)
			}
		}
		read("fresh", o)
		was := keptFile(t, c)
		before, err := os.ReadFile(was)
		if err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(was); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		writeRows(t, path, rows, 2) // of the same name and size, perhaps
		read("changed", o)
		writeRows(t, path, rows, 1)
		read("changed back", o)
		for name, spoil := range map[string]func(b []byte) []byte{
			"a cell":    func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
			"the first": func(b []byte) []byte { b[cacheAlign] ^= 1; return b },
			"the head":  func(b []byte) []byte { b[20] ^= 1; return b },
			"cut":       func(b []byte) []byte { return b[:len(b)-1] },
			"short":     func(b []byte) []byte { return b[:5] },
			"empty":     func([]byte) []byte { return nil },
			"longer":    func(b []byte) []byte { return append(b, 0) },
			"length":    func(b []byte) []byte { binary.LittleEndian.PutUint64(b, math.MaxUint64-3); return b },
		} {
			if err := os.Remove(was); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(was, spoil(bytes.Clone(before)), 0o600); err != nil {
				t.Fatal(err)
			}
			read("spoilt "+name, o)
		}
		if n, err := c.Remove(); n != 1 || err != nil {
			t.Fatalf("removed %d: %v", n, err)
		}
	}
	if runtime.GOOS != "windows" { // a file that others may have written is not looked into
		if _, err := c.ReadCSV(path, s, o); err != nil {
			t.Fatal(err)
		}
		was := keptFile(t, c)
		if err := os.Chmod(was, 0o640); err != nil {
			t.Fatal(err)
		}
		sum, err := sumOf([]part{{paths: []string{path}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openKept(was, s, [32]byte{}, sum); !errors.Is(err, errStale) {
			t.Errorf("mode 0640: got %v", err)
		}
	}
}

// TestCacheOfOthers: other options, schemas and files have tables of their own, and hashes that fit do not let cells in that a loader refuses.
func TestCacheOfOthers(t *testing.T) {
	dir := t.TempDir()
	path, c := filepath.Join(dir, "t.csv"), Cache{Folder: filepath.Join(dir, "cache")}
	if err := os.WriteFile(path, []byte("0.25,1\n0.5,0\n-1,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wide, err := NewSchema(Numeric("x", -1, 1).MayMiss(), Label("y", "0", "1"))
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := NewSchema(Numeric("x", 0, 1).MayMiss(), Label("y", "0", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReadCSV(path, wide, CSVOptions{}); err != nil {
		t.Fatal(err)
	}
	if f, err := c.ReadCSV(path, wide, CSVOptions{Missing: []string{"-1"}}); err != nil || !math.IsNaN(f.data().value(2, 0)) {
		t.Errorf("other markers: %v", err)
	}
	if _, err := c.ReadCSV(path, narrow, CSVOptions{}); !errors.Is(err, ErrBounds) {
		t.Errorf("narrower bounds: got %v", err)
	}
	// A file that was made by hand under the narrower schema, with all hashes right.
	f, err := ReadCSV(path, wide, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	forged := filepath.Join(c.Folder, "forged"+rowcache.Suffix)
	if err := keep(c.Folder, forged, f, [32]byte{1}, [32]byte{2}); err != nil {
		t.Fatal(err)
	}
	if _, err := openKept(forged, wide, [32]byte{1}, [32]byte{2}); err != nil {
		t.Errorf("under its schema: %v", err)
	}
	for name, try := range map[string]func() (*Frame, error){
		"bounds": func() (*Frame, error) { return openKept(forged, narrow, [32]byte{1}, [32]byte{2}) },
		"key":    func() (*Frame, error) { return openKept(forged, wide, [32]byte{3}, [32]byte{2}) },
		"sum":    func() (*Frame, error) { return openKept(forged, wide, [32]byte{1}, [32]byte{4}) },
	} {
		if _, err := try(); !errors.Is(err, errStale) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := json.Marshal(f); !errors.Is(err, ErrPrivate) {
		t.Errorf("a frame of a cache leaves: %v", err)
	}
	if _, err := (Cache{Folder: path}).ReadCSV(path, wide, CSVOptions{}); err == nil {
		t.Error("a file as the folder: got no error")
	}
}
