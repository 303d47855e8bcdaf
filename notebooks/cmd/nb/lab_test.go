package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestLabDry(t *testing.T) {
	for _, tc := range []struct {
		name     string
		programs []string
		args     []string
		code     int
		want     []string
		not      string
	}{
		{"Jupyter Notebook", []string{"jupyter-lab", "jupyter-notebook", "code"}, []string{"../.."}, exitOK, []string{
			"would install GoNB v0.11.4, pinned in ", "jupyter-data/kernels/gonb/kernel.json", "install golang.org/x/tools/cmd/goimports",
			"github.com/dpkit-go/dpnb/dpkit ", "and run a cell", "/jupyter-notebook ../..",
		}, "jupyter-lab"},
		{"JupyterLab", []string{"jupyter-lab", "goimports"}, []string{"../.."}, exitOK, []string{"/jupyter-lab ../.."}, "would run go"},
		{"VS Code", []string{"code"}, []string{"../../quickstart.ipynb"}, exitOK, []string{"/code ../../quickstart.ipynb"}, ""},
		{"a choice", []string{"jupyter-notebook", "code"}, []string{"-with", "code"}, exitOK, []string{"/code .", "dpnb/dpkit github.com/dpkit-go/dpnb/frames github.com/dpkit-go/dpnb/viz"}, "jupyter-notebook ."},
		{"only prepare", nil, []string{"-no-open"}, exitOK, []string{"would install"}, "open"},
		{"nothing to open", nil, nil, exitEnvironment, []string{"neither jupyter-notebook, jupyter-lab nor code is on PATH", installJupyter}, ""},
		{"the chosen one is missing", []string{"code"}, []string{"-with", "lab"}, exitEnvironment, []string{"no jupyter-lab is on PATH"}, ""},
		{"unknown choice", nil, []string{"-with", "emacs"}, exitUsage, []string{"want notebook, lab or code"}, ""},
		{"no such folder", nil, []string{"missing"}, exitUsage, []string{"no such file"}, ""},
		{"two folders", nil, []string{".", "."}, exitUsage, []string{"want one"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bin := emptyPath(t, tc.programs...)
			var out strings.Builder
			code := command(t.Context(), append([]string{"lab", "-n"}, tc.args...), &out, &out)
			if code != tc.code || tc.not != "" && strings.Contains(out.String(), tc.not) {
				t.Errorf("exit %d, want %d and no %q in\n%s", code, tc.code, tc.not, &out)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
			if _, err := os.Stat(filepath.Join(bin, "jupyter-data")); err == nil {
				t.Error("a dry run installed something")
			}
		})
	}
}

// TestLab installs the kernel, runs the cell and starts a stand-in for Jupyter.
func TestLab(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	notes := filepath.Join(bin, "notes")
	putProgram(t, filepath.Join(bin, "jupyter-notebook"), `{ echo "$@"; command -v go; go env GOOS; } >'`+notes+`'`)
	putProgram(t, filepath.Join(bin, "goimports"), "exit 0")
	data := filepath.Join(bin, "data")
	run := func(args ...string) (int, string, string) {
		cmd := program("testdata", args...) // inside the module
		cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "JUPYTER_DATA_DIR="+data, "TMPDIR="+dir)
		return execute(t, cmd)
	}
	code, stdout, stderr := run("lab", ".")
	if code != exitOK || stderr != "" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if !strings.Contains(stdout, "the kernel works: 3 of 3 cells ran, 0 failed") {
		t.Errorf("no cell ran:\n%s", stdout)
	}
	// The go command of Jupyter's kernels is the builder of cells, with the real one behind it.
	if said, err := os.ReadFile(notes); err != nil || !regexp.MustCompile(`^\.\n/.*/cellgo-[0-9a-f]+/go\n`+runtime.GOOS+`\n$`).Match(said) {
		t.Errorf("Jupyter was started with %q (%v)", said, err)
	}
	if got := files(t, filepath.Join(data, "kernels", "gonb")); got != "gonb kernel.json logo-svg.svg" {
		t.Errorf("installed %s", got)
	}
	if got := files(t, dir); got != "" {
		t.Errorf("%s is left", got)
	}
	if code, stdout, stderr := run("doctor"); code != exitOK || !strings.Contains(stdout, "ok       kernel spec  Jupyter starts GoNB v0.11.4, "+filepath.Join(data, "kernels", "gonb", "gonb")) {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
