package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// Marks in records of other kernels.
const (
	moduleMark = "\x00module\x00" // the name of a kernel's module where that is the folder's
	sourceMark = "\x00source\x00" // the path of main.go
)

// mostOthers bounds the records that are kept of builds of one fingerprint, and the fingerprints; the oldest go.
const mostOthers = 64

// othersAge is how long they are kept: the go command keeps an archive that nobody uses for five days.
const othersAge = 5 * 24 * time.Hour

// othersFolder is the folder of the records of a fingerprint.
func othersFolder(print string) string {
	return filepath.Join(os.Getenv(prebuilt.KeepEnv), print[:16])
}

// trusted reports whether what is in a folder of records is this user's own: their commands are run, and what they make is too.
func trusted(folder string) bool {
	above, err := os.Stat(filepath.Dir(folder))
	if err != nil || !owned(above) {
		return false
	}
	info, err := os.Lstat(folder)
	return err == nil && info.IsDir() && owned(info)
}

// othersPrint is the fingerprint of what decides such a build in any kernel. It is without the folder and what is named by it, and
// with the compilers of C, which may be others another day, and this program, which may write records otherwise. It is "" where the folder
// shows in what is built. Libraries of C, and what pkg-config says of them, are taken to be what they were, as the go command takes them
// where it has a package's archive: it is to be told of others ("go clean -cache", or another PKG_CONFIG_PATH).
func (b *build) othersPrint(goCommand string) string {
	if keep := os.Getenv(prebuilt.KeepEnv); !filepath.IsAbs(keep) {
		return ""
	}
	module, err := prebuilt.Read(b.dir)
	if err != nil {
		return ""
	}
	module.Main = nil
	folders, err := replacing(string(module.Mod))
	if err != nil || slices.ContainsFunc(folders, func(dir string) bool { return !filepath.IsAbs(dir) }) {
		return ""
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(self)
	if err != nil {
		return ""
	}
	// Package kernel puts it into a folder of its version. When its node was last changed says nothing: links to it change that.
	more := []string{module.Name(), self, fmt.Sprint(info.Size(), info.ModTime().UnixNano())}
	compilers := append([]string{"gcc", "g++", "clang", "clang++"}, strings.Fields(os.Getenv("CC")+" "+os.Getenv("CXX"))...)
	for _, compiler := range compilers {
		if path, err := exec.LookPath(compiler); err == nil {
			state, _, err := stateOf(path, false)
			if err != nil {
				return ""
			}
			more = append(more, path, state)
		}
	}
	return b.decides(goCommand, withoutOwn(os.Environ(), os.Getenv(prebuilt.OwnEnv)), more...)
}

// withoutOwn leaves the folders of a kernel's own out of PATH: no compiler is there.
func withoutOwn(env []string, own string) []string {
	if own == "" {
		return env
	}
	out := slices.Clone(env)
	for i, s := range out {
		if path, ok := strings.CutPrefix(s, "PATH="); ok {
			folders := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return filepath.Dir(dir) == own })
			out[i] = "PATH=" + strings.Join(folders, string(filepath.ListSeparator))
		}
	}
	return out
}

// leave keeps a record for other kernels, unless it tells of this one: where archives are kept in its folder, or a flag names it.
// A build that finds it looks at all that may have changed since, as at a record of its own.
func (r *record) leave(dir, print string) {
	if print == "" || strings.Contains(r.ModInfo, `\tvcs`) { // the revision around the folder is not in the fingerprint
		return
	}
	if slices.ContainsFunc(r.Link.Args, setsVariable) { // which may be a password
		note("not kept for other kernels: a flag sets a variable")
		return
	}
	left := *r
	left.Build = print
	left.moved(filepath.Base(dir), moduleMark, source(dir), sourceMark)
	data, err := json.Marshal(left)
	if err != nil {
		return
	}
	for _, own := range []string{dir, resolved(dir), os.Getenv(prebuilt.OwnEnv), filepath.Base(dir)} {
		if text, err := json.Marshal(own); err != nil || own != "" && bytes.Contains(data, bytes.Trim(text, "\"")) {
			note("not kept for other kernels: it names %s", own)
			return
		}
	}
	to := othersFolder(print)
	if err := os.MkdirAll(to, 0o700); err != nil {
		note("not kept for other kernels: %v", err)
		return
	}
	if !trusted(to) {
		note("not kept for other kernels: others may write to %s", to)
		return
	}
	if err := left.write(to); err != nil {
		note("not kept for other kernels: %v", err)
	}
	trim(to, recordName, os.Remove)
	trim(filepath.Dir(to), printName, removeRecords)
}

// setsVariable reports whether an argument has the linker set a variable, other than the one that the go command has it set.
func setsVariable(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return name != arg && (name == "X" || strings.HasPrefix(name, "X=") && !strings.HasPrefix(name, "X=runtime.godebugDefault="))
}

// What is kept is named so; nothing else is removed, whatever folder was told.
var (
	recordName = regexp.MustCompile(`^record-[0-9a-f]{16}\.json`)
	printName  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// resolved is a folder's path without links.
func resolved(dir string) string {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	return path
}

// source is the program's file.
func source(dir string) string { return filepath.Join(dir, "main.go") }

// moved changes the name of the program's module and the path of its file.
func (r *record) moved(module, toModule, source, toSource string) {
	if r.Main == module {
		r.Main = toModule
	}
	r.ModInfo = strings.ReplaceAll(r.ModInfo, module, toModule)
	r.Compile.Args = slices.Clone(r.Compile.Args)
	for i, a := range r.Compile.Args {
		if a == source {
			r.Compile.Args[i] = toSource
		}
	}
}

// trim removes what is old of such names, and the oldest of what is more than is kept.
func trim(dir string, names *regexp.Regexp, remove func(path string) error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type entry struct {
		name string
		at   time.Time
	}
	var list []entry
	for _, e := range entries {
		if info, err := e.Info(); err == nil && names.MatchString(e.Name()) && (info.IsDir() || info.Mode().IsRegular()) {
			list = append(list, entry{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return b.at.Compare(a.at) })
	for i, e := range list {
		if i >= mostOthers || time.Since(e.at) > othersAge {
			_ = remove(filepath.Join(dir, e.name))
		}
	}
}

// removeRecords removes the records in a folder, and the folder where nothing else is in it: others may name folders so too.
func removeRecords(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && recordName.MatchString(e.Name()) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return os.Remove(dir)
}
