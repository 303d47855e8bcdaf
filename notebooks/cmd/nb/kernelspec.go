package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

const gonbModule = "github.com/janpfeifer/gonb"

// errNoSpec says that Jupyter does not know the kernel.
var errNoSpec = errors.New("the kernel gonb is not known to Jupyter")

// kernelSpec is how Jupyter starts the kernel.
type kernelSpec struct {
	file    string
	program string
	version string // of GoNB, "" where the program does not say
}

// specFile is where GoNB installs itself for Jupyter.
func specFile() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Join(dir, "kernels", "gonb", "kernel.json"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	data := filepath.Join(".local", "share", "jupyter")
	if runtime.GOOS == "darwin" {
		data = filepath.Join("Library", "Jupyter")
	}
	return filepath.Join(home, data, "kernels", "gonb", "kernel.json"), nil
}

// readSpec reads the installed kernel. The error wraps errNoSpec where there is none.
func readSpec() (s kernelSpec, err error) {
	if s.file, err = specFile(); err != nil {
		return s, err
	}
	data, err := os.ReadFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return s, errNoSpec
	}
	if err != nil {
		return s, err
	}
	var spec struct{ Argv []string }
	if err := json.Unmarshal(data, &spec); err != nil || len(spec.Argv) == 0 {
		return s, fmt.Errorf("%s does not name a program", s.file)
	}
	if s.program, err = exec.LookPath(spec.Argv[0]); err != nil {
		return s, fmt.Errorf("%s starts %s, which is not there", s.file, spec.Argv[0])
	}
	// GoNB's own -V prints a text that its releases do not keep up to date.
	if info, err := buildinfo.ReadFile(s.program); err == nil {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == gonbModule && m.Replace == nil {
				s.version = m.Version
			}
		}
	}
	return s, nil
}
