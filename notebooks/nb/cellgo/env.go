package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// envFile is in folder, beside the records.
const envFile = "env.json"

// asked is what goimports asks of "go env -json" for each cell. The go command makes it of its environment and settings, of the folder's
// go.mod, and of a go.work above it.
var asked = []string{
	"GO111MODULE", "GOFLAGS", "GOINSECURE", "GOMOD", "GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOPATH", "GOPROXY", "GOROOT", "GOSUMDB", "GOWORK",
}

// told is an answer of "go env".
type told struct {
	Print string // fingerprint of what it was made of
	Text  string
}

// environmentOf answers a "go env" in a kernel's module as before, where what that was made of is as it was.
func environmentOf(goCommand string, args []string) (answered bool) {
	if len(args) < 3 || args[0] != "env" || args[1] != "-json" || slices.ContainsFunc(args[2:], func(name string) bool { return !slices.Contains(asked, name) }) {
		return false
	}
	dir := kernelFolder()
	if dir == "" || inWorkspace(dir) {
		return false
	}
	print, err := envPrint(goCommand, dir, args)
	if err != nil {
		return false
	}
	file := filepath.Join(dir, folder, envFile)
	var t told
	if data, err := os.ReadFile(file); err != nil || json.Unmarshal(data, &t) != nil || t.Print != print {
		out, err := exec.Command(goCommand, args...).Output()
		if err != nil {
			return false // the go command will say it
		}
		t = told{Print: print, Text: string(out)}
		t.keep(file)
	}
	_, err = io.WriteString(os.Stdout, t.Text)
	return err == nil
}

// keep writes the answer down, or does not.
func (t told) keep(file string) {
	data, err := json.Marshal(t)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	next := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(next, data, 0o600) != nil || os.Rename(next, file) != nil {
		_ = os.Remove(next)
	}
}

// envPrint is the fingerprint of what decides an answer of "go env".
func envPrint(goCommand, dir string, args []string) (string, error) {
	h := sha256.New()
	env := os.Environ()
	slices.Sort(env)
	fmt.Fprintf(h, "%q\n%q\n%q\n", dir, args, env)
	writeGo(h, goCommand)
	mod, err := modOf(dir)
	return hex.EncodeToString(h.Sum(nil)) + mod, err
}
