package frames

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

// Cache keeps tables that were read from files, so that the next cell or program has them without parsing: their columns lie in a file that is
// mapped into memory, where the system can do that. The zero Cache is in the user's cache folder. Files are the user's alone (mode 0600, in a
// folder that is made with mode 0700 and a .gitignore), and hold the rows: keep a Folder of your own out of shared places and of version control,
// and remove what is no longer wanted by Remove or by "nb cache rm".
//
// Nothing stale is trusted: a table is taken from the cache if the SHA-256 of the bytes of all files of the path is that of the files that were
// read, under the same schema and options and by the same version of this module, and if its cells have the hashes that they had, and keep to the schema. [Content] and [Fingerprint] name the
// cells that are there, not those that a file of the cache claims. Else the files are read anew. While a frame of a cache is in use, nobody may
// write to its file but by replacing it, as Cache does. A column of [Text] knows the texts of a table from the cache, as of one that was read.
type Cache struct {
	Folder string // "": the user's cache folder
}

// ReadCSV is the function [ReadCSV] through the cache.
func (c Cache) ReadCSV(path string, s Schema, o CSVOptions) (*Frame, error) {
	return c.through(path, s, fmt.Sprintf("CSV %#v", o), func() ([]part, error) {
		return partsOf(path, func(name string) (*csvParser, error) { return newCSVParser(name, s, o) })
	})
}

// ReadARFF is the function [ReadARFF] through the cache.
func (c Cache) ReadARFF(path string, s Schema, o ARFFOptions) (*Frame, error) {
	return c.through(path, s, fmt.Sprintf("ARFF %#v", o), func() ([]part, error) {
		return partsOf(path, func(name string) (*arffParser, error) { return newARFFParser(name, s, o) })
	})
}

// ReadLibSVM is the function [ReadLibSVM] through the cache.
func (c Cache) ReadLibSVM(path string, s Schema, o LibSVMOptions) (*Frame, error) {
	return c.through(path, s, fmt.Sprintf("libsvm %#v", o), func() ([]part, error) {
		return partsOf(path, func(name string) (*libSVMParser, error) { return newLibSVMParser(name, s, o) })
	})
}

// Remove removes all tables of the cache, and says how many there were. Frames that are in use keep theirs.
func (c Cache) Remove() (files int, err error) {
	folder, err := c.folder()
	if err == nil {
		files, _, err = rowcache.Remove(folder)
	}
	if err != nil {
		return files, fmt.Errorf("frames: cache: %w", err)
	}
	return files, nil
}

func (c Cache) folder() (string, error) {
	if c.Folder != "" {
		return c.Folder, nil
	}
	return rowcache.Folder()
}

// through reads files of a format and its options, or takes the table that they gave before.
func (c Cache) through(path string, s Schema, format string, partsOf func() ([]part, error)) (*Frame, error) {
	parts, err := partsOf()
	if err != nil {
		return nil, err
	}
	if s.Len() == 0 {
		return readFiles(path, s, parts...) // which says what is wrong
	}
	folder, err := c.folder()
	if err != nil {
		return nil, fmt.Errorf("frames: cache: %w: %w", err, ErrOptions)
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("frames: cache: %w", err)
	}
	schema := s.Hash()
	key := sha256.Sum256(fmt.Appendf(nil, "dpnb/frames.Cache/2 %q %x %q %q", whole, schema, format, moduleVersion()))
	kept := filepath.Join(folder, hex.EncodeToString(key[:16])+rowcache.Suffix)
	if _, err := os.Lstat(kept); err == nil {
		m := newMeter("check", path, s, 0, pathsOf(parts)...)
		sum, err := sumOf(parts, m)
		m.done()
		if err != nil {
			return nil, err
		}
		if f, err := openKept(kept, s, key, sum); err == nil {
			return f, nil
		} // what is wrong with it does not matter: it is made anew
	}
	f, sum, err := readSummed(path, s, parts)
	if err != nil {
		return nil, err
	}
	if err := keep(folder, kept, f, key, sum); errors.Is(err, errRemoved) {
		return f, nil
	} else if err != nil {
		return nil, fmt.Errorf("frames: cache: %w: make room, name another Folder, or read without a Cache", err)
	}
	if mapped, err := openKept(kept, s, key, sum); err == nil {
		return mapped, nil
	}
	return f, nil
}

// moduleVersion is that of this module in the program, whose readers may read a file otherwise than those of another version; "" where the program does
// not know it, as a test.
var moduleVersion = sync.OnceValue(func() string {
	const module = "github.com/dpkit-go/dpnb"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
})

// sumOf hashes the bytes of files, as a File does.
func sumOf(parts []part, m *meter) ([32]byte, error) {
	paths := pathsOf(parts)
	sums, errs := make([][32]byte, len(paths)), make([]error, len(paths))
	eachOf(len(paths), func(i int) {
		errs[i] = withFiles(paths[i:i+1], func(files []io.Reader) error {
			h := sha256.New()
			if _, err := io.CopyBuffer(h, m.reader(files[0]), make([]byte, 1<<20)); err != nil {
				return fmt.Errorf("frames: %s: read: %w", paths[i], err)
			}
			sums[i] = [32]byte(h.Sum(nil))
			return nil
		})
	})
	all := sha256.New()
	for _, sum := range sums {
		all.Write(sum[:])
	}
	return [32]byte(all.Sum(nil)), errors.Join(errs...)
}

// readSummed reads files into memory, and hashes the bytes that were parsed.
func readSummed(name string, s Schema, parts []part) (*Frame, [32]byte, error) {
	f := &File{name: name, parts: parts, schema: s}
	t := newTable(s)
	clamped, sum, err := f.pass(context.Background(), t.take)
	if err != nil {
		return nil, sum, err
	}
	t.clamped = clamped
	if t.rows == 0 {
		return nil, sum, noRows(name)
	}
	return newFrame(t), sum, nil
}

// private reports a file that the user alone may write to, or read, as far as the system tells.
func private(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0) && ours(info)
}
