package main

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// folder is where records are kept, beside main.go; the go command ignores it for its dot.
const folder = ".cellgo"

// build is a "go build -o program" of a folder of GoNB's whose one Go file is main.go.
type build struct {
	dir     string
	output  string
	args    []string // of the go command
	print   string   // fingerprint of all but the source of main.go and of the packages
	others  string   // the same for records of other kernels' builds, "" where none may serve
	imports []string
}

// newBuild is nil for anything but a cell's build; why says what keeps a cell's build from being repeated or recorded.
func newBuild(goCommand string, args []string) (b *build, why string) {
	if len(args) < 3 || args[0] != "build" || args[1] != "-o" {
		return nil, ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, ""
	}
	source, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		return nil, ""
	}
	b = &build{dir: dir, args: args}
	name := filepath.Base(dir) // GoNB's folder and its program have one name
	if b.output, err = filepath.Abs(args[2]); err != nil || b.output != filepath.Join(dir, name) || !strings.HasPrefix(name, "gonb_") {
		return nil, ""
	}
	for _, a := range args[3:] {
		if !strings.HasPrefix(a, "-") {
			return nil, "" // packages or files of its own
		}
		if !harmless(a) {
			return nil, "the flag " + a
		}
	}
	if why := settings(goCommand); why != "" {
		return nil, why
	}
	if why := b.alone(); why != "" {
		return nil, why
	}
	if bytes.Contains(source, []byte("//go:")) || bytes.Contains(source, []byte("+build")) {
		return nil, "a directive in main.go"
	}
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", source, parser.ImportsOnly)
	if err != nil {
		return nil, "main.go does not parse"
	}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil || path == "C" || path == "runtime/debug" || hidden(path) { // runtime/debug tells of the modules of a build
			return nil, "the import of " + i.Path.Value
		}
		b.imports = append(b.imports, path)
	}
	if b.print, err = b.fingerprint(goCommand); err != nil {
		return nil, err.Error()
	}
	b.others = b.othersPrint(goCommand)
	return b, ""
}

// hidden reports whether the go command decides by who imports it.
func hidden(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "internal" || s == "vendor" || s == "." || s == ".." })
}

// alone says what else than main.go the build would read.
func (b *build) alone() string {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return err.Error()
	}
	for _, e := range entries {
		name := e.Name()
		switch filepath.Ext(name) {
		case ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".f", ".s", ".S", ".sx", ".swig", ".swigcxx", ".syso":
			return name
		}
		switch {
		case name == "main.go" || name == folder:
		case filepath.Ext(name) == ".go":
			return name
		case name == "vendor" || name == "default.pgo":
			return name
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "go.mod")); err != nil {
		return "no go.mod"
	}
	if !objectOrNothing(b.output) {
		return "what is at " + b.output
	}
	if inWorkspace(b.dir) {
		return "a go.work"
	}
	return ""
}

// inWorkspace reports whether the go command finds a go.work above a folder.
func inWorkspace(dir string) bool {
	if os.Getenv("GOWORK") == "off" {
		return false
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// objectOrNothing reports whether go build would write over what is there.
func objectOrNothing(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	defer f.Close()
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if err != nil {
		return n == 0
	}
	return slices.Contains([]string{"\x7fELF", "\xcf\xfa\xed\xfe"}, string(head)) || string(head[:2]) == "MZ"
}

// repeat builds by the commands of an earlier build. It says why not.
func (b *build) repeat() string {
	r, why := b.find()
	if r == nil {
		return why
	}
	if changed := r.changed(); changed != "" {
		return changed + " changed"
	}
	if err := os.MkdirAll(filepath.Join(b.dir, folder), 0o700); err != nil {
		return err.Error()
	}
	work, err := os.MkdirTemp(filepath.Join(b.dir, folder), "b")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(work)
	var packages strings.Builder
	for _, p := range r.Packages {
		fmt.Fprintf(&packages, "packagefile %s=%s\n", p.Path, p.Archive)
	}
	object := filepath.Join(work, "_pkg_.a")
	for name, text := range map[string]string{
		"importcfg":      packages.String(),
		"importcfg.link": fmt.Sprintf("packagefile %s=%s\n%s%s", r.Main, object, packages.String(), r.ModInfo),
	} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			return err.Error()
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	program := filepath.Join(work, "program")
	for _, c := range []command{r.Compile, r.Link} {
		cmd := exec.CommandContext(ctx, c.Tool, c.arguments(work, program)...)
		cmd.Dir, cmd.Env = b.dir, append(os.Environ(), c.Env...)
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			os.RemoveAll(work)
			os.Exit(1)
		}
		if err != nil || len(out) > 0 { // the go command will say it
			return filepath.Base(c.Tool) + " failed"
		}
	}
	if err := os.Rename(program, b.output); err != nil {
		return err.Error()
	}
	return ""
}

// recording is what to run instead, so that the build is recorded.
func (b *build) recording(env []string) ([]string, []string) {
	self, err := os.Executable()
	dir := filepath.Join(b.dir, folder)
	if err != nil || strings.ContainsAny(self, " '\"\t\n") || os.MkdirAll(dir, 0o700) != nil {
		return b.args, env
	}
	sweep(dir)
	began := time.Now()
	before, err := os.CreateTemp(dir, "before-")
	if err != nil {
		return b.args, env
	}
	_ = before.Close()
	if err := b.before(before.Name()); err != nil {
		note("not recorded: %v", err)
		_ = os.Remove(before.Name())
		return b.args, env
	}
	args := append([]string{"build", "-toolexec=" + self}, b.args[1:]...)
	return args, append(env, recordEnv+"="+dir, buildEnv+"="+b.print, othersEnv+"="+b.others, wasEnv+"="+digests(env), beforeEnv+"="+before.Name(), beganEnv+"="+strconv.FormatInt(began.UnixNano(), 10))
}

// sweep removes what builds that were killed left an hour ago, and what other builds look back on: one that is running is not recorded.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasPrefix(e.Name(), "record-") || strings.HasPrefix(e.Name(), "made-") || e.Name() == tieFile {
			continue
		}
		if strings.HasPrefix(e.Name(), "before-") || time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
