package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// local is a folder, or the go.mod, of a module that a folder replaces: its files may change, unlike those of the module cache
// and of Go. A change of any file's name, size or time counts.
type local struct {
	Path  string
	Deep  bool   // subfolders too: files to embed
	State string // of the entries
}

// changed names what is not as it was, "" where all is.
func (r *record) changed() string {
	for _, l := range r.Local {
		if state, _, err := stateOf(l.Path, l.Deep); err != nil || state != l.State {
			return l.Path
		}
	}
	return ""
}

// watch notes the folders of local packages. A file that changed after the build began may have been read before or after it did: that
// build is not to be repeated. Clocks of file systems tick in milliseconds.
func (r *record) watch(began time.Time) error {
	modules, err := replaced(r.ModInfo)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	add := func(path string, deep bool) error {
		if seen[path] && !deep {
			return nil
		}
		seen[path] = true
		state, last, err := stateOf(path, deep)
		if err != nil {
			return err
		}
		if last.After(began.Add(-50 * time.Millisecond)) {
			return fmt.Errorf("%s changed during the build", path)
		}
		r.Local = append(r.Local, local{path, deep, state})
		return nil
	}
	for path, dir := range modules {
		if path == r.Main {
			return errors.New("a module replaces the program's")
		}
		if dir == "" {
			continue
		}
		if err := add(filepath.Join(dir, "go.mod"), false); err != nil {
			return err
		}
	}
	for _, p := range r.Packages {
		if strings.HasPrefix(p.Path, r.Main+"/") {
			return errors.New("the program's module has other packages")
		}
		dir, ok := folderOf(p.Path, modules)
		if !ok {
			continue
		}
		if err := add(dir, false); err != nil {
			return err
		}
		deep, err := embedded(dir)
		if err != nil {
			return err
		}
		for _, d := range deep {
			if err := add(d, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// folderOf is the folder of a package of one of the modules.
func folderOf(path string, modules map[string]string) (dir string, ok bool) {
	longest := -1
	for module, root := range modules {
		if rest, found := strings.CutPrefix(path, module); found && (rest == "" || rest[0] == '/') && len(module) > longest {
			dir, ok, longest = filepath.Join(root, filepath.FromSlash(rest)), root != "", len(module)
		}
	}
	return dir, ok
}

// replaced reads the folders that replace modules from the linker's line about modules; other modules have "". A line "dep" or "mod" tells
// of a module and a line "=>" of what replaces the one before it (cmd/go/internal/modload, ModInfoProg).
func replaced(line string) (map[string]string, error) {
	_, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
	if quoted == "" {
		return nil, nil // a program of the standard library alone
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, fmt.Errorf("the linker's line about modules: %w", err)
	}
	out, last := map[string]string{}, ""
	for l := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		switch {
		case len(f) >= 3 && f[0] == "dep":
			last = f[1]
			out[last] = ""
		case len(f) >= 2 && f[0] == "=>" && last != "" && (filepath.IsAbs(f[1]) || strings.HasPrefix(f[1], ".")):
			if out[last], err = filepath.Abs(f[1]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// stateOf digests the names, sizes and times of a folder's files, or of one file, and returns the newest time.
func stateOf(dir string, deep bool) (state string, last time.Time, err error) {
	h := sha256.New()
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if path != dir && !deep {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // of what a link leads to
		if err != nil {
			fmt.Fprintf(h, "%q gone\n", path)
			return nil
		}
		fmt.Fprintf(h, "%q %d %d %v\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), last, err
}

// embedded lists the subfolders from which the Go files of a folder may embed: those that patterns begin with, or
// the folder itself where a pattern begins with a wildcard.
func embedded(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			patterns, ok := strings.CutPrefix(line, "//go:embed")
			if !ok {
				continue
			}
			for _, p := range strings.Fields(patterns) {
				first, _, _ := strings.Cut(strings.TrimPrefix(strings.Trim(p, "\"`"), "all:"), "/")
				at := filepath.Join(dir, first)
				if strings.ContainsAny(first, `*?[\`) {
					at = dir
				}
				if info, err := os.Stat(at); err == nil && info.IsDir() {
					out = append(out, at)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
