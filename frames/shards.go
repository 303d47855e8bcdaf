package frames

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// part is one of the files whose rows stand one behind the other, or a pair of files that are read side by side.
type part struct {
	paths  []string
	parser func() (fileParser, error) // for one pass
}

// run reads the files once and returns the SHA-256 of their bytes.
func (p part) run(parser fileParser, m *meter, sink func(*Block) error) (sums [][32]byte, err error) {
	err = withFiles(p.paths, func(files []io.Reader) error {
		hashes := make([]hash.Hash, len(files))
		for i := range files {
			hashes[i] = sha256.New()
			files[i] = io.TeeReader(m.reader(files[i]), hashes[i])
		}
		if err := run(parser, p.paths[0], files, sink); err != nil {
			return err
		}
		for i, file := range files {
			if _, err := io.Copy(io.Discard, file); err != nil { // what the parser had no need to read
				return fmt.Errorf("frames: %s: read: %w", p.paths[i], err)
			}
			sums = append(sums, [32]byte(hashes[i].Sum(nil)))
		}
		return nil
	})
	return sums, err
}

// shardParser is a parser of one of several files, which may hold a header alone.
type shardParser interface {
	fileParser
	inShards()
}

// partsOf are the files that a path or a pattern stands for, each with a parser of its own; with extensions, those of a folder too.
func partsOf[P shardParser](path string, parser func(name string) (P, error), extensions ...string) ([]part, error) {
	paths, err := Shards(path, extensions...)
	if info, bad := os.Stat(path); len(extensions) == 0 && bad == nil && info.IsDir() {
		paths, err = []string{path}, nil // which is not opened
	}
	if err != nil {
		return nil, err
	}
	parts := make([]part, len(paths))
	for i, name := range paths {
		parts[i] = part{paths: []string{name}, parser: func() (fileParser, error) {
			p, err := parser(name)
			if err == nil && len(paths) > 1 {
				p.inShards()
			}
			return p, err
		}}
	}
	return parts, nil
}

// Shards are the files that a path stands for, sorted: itself; those that it matches, if it is a pattern of [filepath.Match] such as
// "visits/part-*.csv" and no file has that very name; all in and below it, if it is a folder, but those whose name, or whose folder's,
// begins with a dot or an underscore, where other programs keep their own. With extensions, a file in a folder that has none
// of them is an error. Readers of shards take their rows in this order, as those of one file.
func Shards(path string, extensions ...string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return shardsIn(path, extensions)
	case err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?["):
		return []string{path}, nil // opening it says what is wrong
	}
	paths, err := filepath.Glob(path)
	if err != nil {
		return nil, fmt.Errorf("frames: %s: %w, want one such as part-*.csv: fix it: %w", path, err, ErrOptions)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("frames: %s: no file has a name like this, want at least one: check the pattern; a relative one starts at the working directory, in a notebook its folder: %w", path, fs.ErrNotExist)
	}
	slices.Sort(paths)
	return paths, nil
}

// shardsIn are the files in and below a folder.
func shardsIn(folder string, extensions []string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("frames: %w", err)
		case path != folder && strings.HasPrefix(e.Name(), ".") || path != folder && strings.HasPrefix(e.Name(), "_"):
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		case len(extensions) > 0 && !slices.Contains(extensions, extension(path)):
			return fmt.Errorf("frames: %s: got another kind of file in the folder %s, want those that end with %s alone: move it, or name the files by a pattern: %w",
				path, folder, strings.Join(extensions, ", "), ErrOptions)
		}
		paths = append(paths, path)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(paths) == 0:
		return nil, fmt.Errorf("frames: %s: got a folder without files, want at least one: check the path: %w", folder, fs.ErrNotExist)
	}
	slices.Sort(paths)
	return paths, nil
}

// extension is that of a file's name in lower case, of a packed file that of what is in it.
func extension(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, packed := range []string{".gz", ".bz2"} {
		name = strings.TrimSuffix(name, packed)
	}
	return filepath.Ext(name)
}
