package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// clockTick is how far behind a file system's clock may be: some count in seconds.
const clockTick = 2 * time.Second

// watch notes the folders of local packages and those above them in their modules, where another go.mod may appear. Their state has
// to be the one of before the build, whatever their times say: else one of the two may have been built. A build that began within a
// tick of a change is not to be repeated either, as a second change within it would look the same.
func (r *record) watch(before snapshot, began time.Time) error {
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
		if was, err := before.stateOf(path, deep); err != nil || was != state || last.After(began.Add(-clockTick)) {
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
		for module, root := range modules {
			rest, ok := strings.CutPrefix(p.Path, module)
			dir := filepath.Join(root, filepath.FromSlash(rest))
			if info, err := os.Stat(dir); !ok || root == "" || rest != "" && rest[0] != '/' || err != nil || !info.IsDir() {
				continue // or of another module of a longer path
			}
			deep, err := embeds(dir)
			if err != nil {
				return err
			}
			if err := add(dir, deep); err != nil {
				return err
			}
			for up := filepath.Dir(dir); len(up) > len(filepath.Clean(root)); up = filepath.Dir(up) {
				if err := add(up, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
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

// stateOf digests the names, sizes and times of a folder's files, or of one file, and returns the newest time of
// a file or a list of files.
func stateOf(path string, deep bool) (state string, last time.Time, err error) {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", last, err
	}
	files := snapshot{}
	if last, err = files.add(root, deep); err != nil {
		return "", last, err
	}
	state, err = files.stateOf(root, deep)
	return state, last, err
}

// embeds reports whether a Go file of a folder may embed files of folders below it.
func embeds(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return false, err
		}
		if bytes.Contains(data, []byte("//go:embed")) {
			return true, nil
		}
	}
	return false, nil
}
