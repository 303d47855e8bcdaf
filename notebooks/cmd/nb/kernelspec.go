package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

const gonbModule = "github.com/janpfeifer/gonb"

// What stands beside the kernel's spec: the gate, and the folder that the gate puts in front of the kernel's PATH.
const (
	gateName    = "gate"
	cellsFolder = "cells"
)

// errNoSpec says that Jupyter does not know the kernel.
var errNoSpec = errors.New("the kernel gonb is not known to Jupyter")

// kernelSpec is how Jupyter starts the kernel.
type kernelSpec struct {
	file    string
	program string
	version string // of GoNB, "" where the program does not say
	guarded bool   // the gate starts the program
	builds  bool   // the gate's builder of cells is there, which ties notebooks to their projects
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
	s.guarded = len(spec.Argv) > 1 && filepath.Base(spec.Argv[0]) == gateName
	programs := spec.Argv[:1]
	if s.guarded {
		programs = spec.Argv[:2]
		_, err := os.Stat(filepath.Join(filepath.Dir(spec.Argv[0]), cellsFolder, goName()))
		s.builds = err == nil
	}
	for _, program := range programs {
		if s.program, err = exec.LookPath(program); err != nil {
			return s, fmt.Errorf("%s starts %s, which is not there", s.file, program)
		}
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

// goName is the file of a go command.
func goName() string {
	if runtime.GOOS == "windows" {
		return "go.exe"
	}
	return "go"
}

// guardSpec puts the gate in front of the installed kernel, and the builder of cells, from a folder that holds it, in front of the
// kernel's PATH. What else the spec says stays.
func guardSpec(gate, builder string) error {
	file, err := specFile()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var spec map[string]any
	if err := json.Unmarshal(data, &spec); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	argv, ok := spec["argv"].([]any)
	if !ok || len(argv) == 0 {
		return fmt.Errorf("%s does not name a program", file)
	}
	own := filepath.Join(filepath.Dir(file), gateName)
	cells := filepath.Join(filepath.Dir(file), cellsFolder)
	if err := os.MkdirAll(cells, 0o755); err != nil {
		return err
	}
	if err := errors.Join(copyProgram(gate, own), copyProgram(filepath.Join(builder, goName()), filepath.Join(cells, goName()))); err != nil {
		return err
	}
	if name, _ := argv[0].(string); name != own {
		spec["argv"] = append([]any{own}, argv...)
	}
	return nb.WriteFileAtomic(file, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(spec)
	})
}

func copyProgram(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := nb.WriteFileAtomic(to, func(w io.Writer) error { _, err := w.Write(program); return err }); err != nil {
		return err
	}
	return os.Chmod(to, 0o755)
}
