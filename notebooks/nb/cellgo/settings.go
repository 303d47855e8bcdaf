package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// harmless reports whether a flag of go build does no more than to change what the compiler and the linker are told.
func harmless(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	switch name {
	case "-ldflags", "-gcflags", "-asmflags", "-tags", "-trimpath", "-modcacherw":
		return flag == name || name != "-trimpath"
	}
	return flag == "-buildvcs=false" || flag == "-buildvcs=auto" || flag == "-mod=readonly"
}

// harmlessSettings are of where packages come from and go to. What they were is in the fingerprint.
var harmlessSettings = []string{
	"GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOVCS", "GOAUTH",
	"GOBIN", "GOPATH", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN",
}

// settings says which setting of the go command is not known to be harmless.
func settings(goCommand string) string {
	for _, flag := range strings.Fields(os.Getenv("GOFLAGS")) {
		if !harmless(flag) {
			return "GOFLAGS"
		}
	}
	if m := os.Getenv("GO111MODULE"); m != "" && m != "on" {
		return "GO111MODULE"
	}
	if w := os.Getenv("GOWORK"); w != "" && w != "off" {
		return "GOWORK"
	}
	if path := settingsFile(); path != "" {
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return path
		}
		for line := range strings.Lines(string(data)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch {
			case name == "GOFLAGS" && !slices.ContainsFunc(strings.Fields(value), func(f string) bool { return !harmless(f) }):
			case name != "" && name[0] != '#' && !slices.Contains(harmlessSettings, name):
				return name + " in " + path
			}
		}
	}
	if f, err := os.Open(goCommand); err == nil { // a script chooses a go command by rules of its own
		defer f.Close()
		head := make([]byte, 2)
		if _, err := io.ReadFull(f, head); err != nil || string(head) == "#!" {
			return goCommand
		}
	}
	return ""
}

// settingsFile is the file of go env -w, "" where there is none.
func settingsFile() string {
	switch path := os.Getenv("GOENV"); path {
	case "":
	case "off":
		return ""
	default:
		return path
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go", "env")
}

// fingerprint is of what decides a build beside source files: the folder, the go command, its flags, its environment and settings, and
// the module's go.mod and go.sum, whose part is its end.
func (b *build) fingerprint(goCommand string) (string, error) {
	real, err := filepath.EvalSymlinks(b.dir)
	if err != nil {
		return "", err
	}
	mod, err := modOf(b.dir)
	return b.decides(goCommand, os.Environ(), b.dir, real) + mod, err
}

// decides digests the go command, its flags, its environment and settings, and more.
func (b *build) decides(goCommand string, env []string, more ...string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n%q\n", more, b.args[3:])
	env = slices.DeleteFunc(slices.Clone(env), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return !forGo(name) && !slices.Contains([]string{"PATH", "HOME", "CC", "CXX", "FC", "AR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}, name) && !strings.HasPrefix(name, "PKG_CONFIG")
	})
	slices.Sort(env)
	fmt.Fprintf(h, "%q\n", env)
	writeGo(h, goCommand)
	return hex.EncodeToString(h.Sum(nil))
}

// writeGo tells a digest of the go command and of the files of its settings: the user's, and those of Go itself, which come with it or are of
// who installed it.
func writeGo(h io.Writer, goCommand string) {
	files := []string{goCommand, settingsFile(), filepath.Join(filepath.Dir(filepath.Dir(resolved(goCommand))), "go.env")}
	if root := os.Getenv("GOROOT"); root != "" {
		files = append(files, filepath.Join(root, "go.env"))
	}
	for _, file := range files {
		state, _, err := stateOf(file, false)
		fmt.Fprintf(h, "%s %s %v\n", file, state, err != nil)
	}
}

// forGo reports whether a variable of the environment is the go command's.
func forGo(name string) bool {
	return strings.HasPrefix(name, "CGO_") || strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "GONB_")
}

// modOf is the fingerprint of a folder's go.mod and go.sum.
func modOf(dir string) (string, error) {
	h := sha256.New()
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil && !os.IsNotExist(err) {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", file, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
