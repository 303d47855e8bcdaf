package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// snapshot is what the file system says of files, by their paths without links: size, times and mode, and where a link leads.
type snapshot map[string]string

// mostFiles bounds what is looked at before a build: a module of more files is built by the go command each time.
const mostFiles = 50_000

// add looks at a folder's files, or at one file, and returns the newest time of a file or a list of files.
func (s snapshot) add(root string, deep bool) (last time.Time, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (!deep || e.Name() == ".git") { // nothing embeds it
			return filepath.SkipDir
		}
		said := ""
		if e.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			said = fmt.Sprintf("%q %v ", to, err)
		}
		info, err := os.Stat(path) // of what a link leads to
		if err != nil {
			s[path] = said + "gone"
			return nil
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
		if !info.IsDir() {
			s[path] = said + fmt.Sprintf("%d %d %d %v", info.Size(), info.ModTime().UnixNano(), changedAt(info), info.Mode())
		}
		if len(s) > mostFiles {
			return fmt.Errorf("%s has more than %d files", root, mostFiles)
		}
		return nil
	})
	return last, err
}

// stateOf digests what is known of a folder's files, or of one file.
func (s snapshot) stateOf(path string, deep bool) (string, error) {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	var lines []string
	for file, what := range s {
		dir := filepath.Dir(file)
		if file == root || dir == root || deep && strings.HasPrefix(dir, root+string(filepath.Separator)) {
			lines = append(lines, fmt.Sprintf("%q %s\n", file, what))
		}
	}
	slices.Sort(lines)
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", root)
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// before looks at every file of the modules that folders replace, and keeps what it saw for the build's -toolexec.
func (b *build) before(file string) error {
	data, err := os.ReadFile(filepath.Join(b.dir, "go.mod"))
	if err != nil {
		return err
	}
	folders, err := replacing(string(data))
	if err != nil {
		return err
	}
	s := snapshot{}
	for _, dir := range folders {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(b.dir, dir)
		}
		root, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // what was not looked at is not recorded
		}
		if _, err := s.add(root, true); err != nil {
			return err
		}
	}
	if data, err = json.Marshal(s); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// replacing lists the folders that a go.mod puts in place of modules. It knows the lines of go mod edit; what looks otherwise
// is one folder more, or an error.
func replacing(mod string) (folders []string, err error) {
	for line := range strings.Lines(mod) {
		_, right, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		right = strings.TrimSpace(right)
		word := strings.Fields(right + " .")[0]
		if quoted, err := strconv.QuotedPrefix(right); err == nil {
			if word, err = strconv.Unquote(quoted); err != nil {
				return nil, err
			}
		}
		if filepath.IsAbs(word) || word == "." || word == ".." || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") {
			folders = append(folders, filepath.FromSlash(word))
		}
	}
	return folders, nil
}
