package celltest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// CopyFolder copies the files of a notebook's folder, without hidden ones and the folder tests. No copy is a link, by which a cell
// would write to the user's file. Files that the disk cannot hold are left out, and left says which.
func CopyFolder(to, from, tests string) (left []string, err error) {
	return copier{free: freeSpace}.folder(to, from, tests)
}

// copier copies files; free says how many bytes the disk of a folder has left, false where it is not known.
type copier struct {
	free func(dir string) (bytes uint64, ok bool)
}

func (c copier) folder(to, from, tests string) (left []string, err error) {
	from, err = filepath.EvalSymlinks(from)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(tests); err == nil {
		tests = real
	}
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case rel != "." && strings.HasPrefix(e.Name(), "."), rel != "." && path == tests:
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case e.IsDir():
			return os.MkdirAll(target, 0o755)
		}
		why, err := c.file(target, path)
		if why != "" {
			left = append(left, rel+" "+why)
		}
		return err
	})
	return left, err
}

// file copies a file, or what a link leads to, and says why it did not. Links to folders, sockets and the like are left out.
func (c copier) file(to, from string) (why string, err error) {
	info, err := os.Stat(from)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil //nolint:nilerr // a dangling link is not there for the cells either
	}
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm()|0o200)
	if err != nil {
		return "", err
	}
	if clone(out, in) {
		return "", out.Close()
	}
	// A sixteenth of what is left stays for the run itself, and for others.
	if free, ok := c.free(filepath.Dir(to)); ok && uint64(info.Size()) > free/16*15 {
		err = syscall.ENOSPC
	} else {
		_, err = io.Copy(out, in)
	}
	if err = errors.Join(err, out.Close()); errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Sprintf("(%s) is not copied: %s has no room for it", bytesOf(info.Size()), filepath.Dir(to)), os.Remove(to)
	}
	return "", err
}

// bytesOf prints a size with a unit.
func bytesOf(n int64) string {
	x, units := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for len(units) > 1 && x >= 1024 {
		x, units = x/1024, units[1:]
	}
	return fmt.Sprintf("%.3g %s", x, units[0])
}
