package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
		if strings.Contains(a, "toolexec") || a == "-a" || a == "-n" || a == "-x" || a == "-v" || a == "-work" || a == "-race" || strings.HasPrefix(a, "-cover") {
			return nil, "the flag " + a
		}
	}
	if strings.Contains(os.Getenv("GOFLAGS"), "toolexec") {
		return nil, "GOFLAGS"
	}
	if why := b.alone(); why != "" {
		return nil, why
	}
	if strings.Contains(string(source), "//go:") {
		return nil, "a directive in main.go"
	}
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", source, parser.ImportsOnly)
	if err != nil {
		return nil, "main.go does not parse"
	}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil || path == "C" || hidden(path) {
			return nil, "the import of " + i.Path.Value
		}
		b.imports = append(b.imports, path)
	}
	if b.print, err = b.fingerprint(goCommand); err != nil {
		return nil, err.Error()
	}
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
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.':
			return name
		case name == "vendor" || name == "default.pgo":
			return name
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "go.mod")); err != nil {
		return "no go.mod"
	}
	if w := os.Getenv("GOWORK"); w == "off" {
		return ""
	} else if w != "" {
		return "GOWORK"
	}
	for dir := b.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return "a go.work"
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// fingerprint is of what decides a build beside source files: the go command, its flags, its environment and settings, and the
// module's go.mod and go.sum.
func (b *build) fingerprint(goCommand string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", b.args[3:])
	env := slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return strings.HasPrefix(name, "GONB_") || !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "CGO_") && name != "HOME" && name != "XDG_CONFIG_HOME" && name != "XDG_CACHE_HOME"
	})
	slices.Sort(env)
	fmt.Fprintf(h, "%q\n", env)
	settings := os.Getenv("GOENV")
	if dir, err := os.UserConfigDir(); settings == "" && err == nil {
		settings = filepath.Join(dir, "go", "env")
	}
	for _, file := range []string{goCommand, settings} {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintf(h, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		} else {
			fmt.Fprintf(h, "%s none\n", file)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.dir, file))
		if err != nil && !os.IsNotExist(err) {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", file, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
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
	program := filepath.Join(work, "program")
	for _, c := range []command{r.Compile, r.Link} {
		cmd := exec.Command(c.Tool, c.arguments(work, program)...)
		cmd.Dir, cmd.Env = b.dir, append(os.Environ(), c.Env...)
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard // the go command will say it
		if err := cmd.Run(); err != nil {
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
	args := append([]string{"build", "-toolexec=" + self}, b.args[1:]...)
	return args, append(env, recordEnv+"="+dir, buildEnv+"="+b.print, beganEnv+"="+strconv.FormatInt(time.Now().UnixNano(), 10))
}
