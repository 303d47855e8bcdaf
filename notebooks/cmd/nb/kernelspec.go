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

// gateName is the file of the gate beside the kernel's spec.
const gateName = "gate"

// errNoSpec says that Jupyter does not know the kernel.
var errNoSpec = errors.New("the kernel gonb is not known to Jupyter")

// kernelSpec is how Jupyter starts the kernel.
type kernelSpec struct {
	file    string
	program string
	version string // of GoNB, "" where the program does not say
	guarded bool   // the gate starts the program
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

// guardSpec puts the gate in front of the installed kernel. What else the spec says stays.
func guardSpec(gate string) error {
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
	program, err := os.ReadFile(gate)
	if err == nil {
		err = nb.WriteFileAtomic(own, func(w io.Writer) error { _, err := w.Write(program); return err })
	}
	if err == nil {
		err = os.Chmod(own, 0o755)
	}
	if err != nil {
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
