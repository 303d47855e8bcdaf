package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// emptyPath leaves nothing on PATH but the go command and the programs given, which do nothing.
func emptyPath(t *testing.T, programs ...string) (bin string) {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin = t.TempDir()
	if err := os.Symlink(real, filepath.Join(bin, "go")); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		putProgram(t, filepath.Join(bin, name), "exit 0")
	}
	t.Setenv("PATH", bin)
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(bin, "jupyter-data"))
	t.Setenv("GOBIN", filepath.Join(bin, "gobin"))
	return bin
}

func putProgram(t *testing.T, file, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// module writes a go.mod into a new folder.
func module(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDoctor(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name     string
		programs []string
		prepare  func(t *testing.T, bin string) // may be nil
		args     []string
		code     int
		want     []string
	}{
		{"this project", nil, nil, []string{"../.."}, exitOK, []string{
			"ok       module       github.com/dpkit-go/dpnb, " + root, "the module is this project", "GoNB v0.11.4, pinned in " + root,
			"advice   kernel spec", "nb lab -no-open",
			"go install golang.org/x/tools/cmd/goimports@v0.42.0", "go install golang.org/x/tools/gopls@latest", "python3 -m pip install", "nothing that is needed is missing",
		}},
		{"counting Jupyter", nil, nil, []string{"-jupyter"}, exitCell, []string{"MISSING  kernel spec", "MISSING  gopls", "4 missing"}},
		{"all there", []string{"gopls", "goimports", "jupyter-lab"}, func(t *testing.T, bin string) {
			putProgram(t, filepath.Join(bin, "gonb"), "")
			spec := filepath.Join(bin, "jupyter-data", "kernels", "gonb", "kernel.json")
			putProgram(t, spec, "")
			putProgram(t, filepath.Join(bin, "gate"), "")
			putProgram(t, filepath.Join(bin, "cells", "go"), "")
			if err := os.WriteFile(spec, []byte(`{"argv":["`+filepath.Join(bin, "gate")+`","`+filepath.Join(bin, "gonb")+`"]}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"-jupyter"}, exitOK, []string{"ok       kernel spec", "ok       Jupyter", "/jupyter-lab"}},
		{"a kernel without the builder of cells", nil, func(t *testing.T, bin string) {
			putProgram(t, filepath.Join(bin, "gonb"), "")
			spec := filepath.Join(bin, "jupyter-data", "kernels", "gonb", "kernel.json")
			putProgram(t, spec, "")
			putProgram(t, filepath.Join(bin, "gate"), "")
			if err := os.WriteFile(spec, []byte(`{"argv":["`+filepath.Join(bin, "gate")+`","`+filepath.Join(bin, "gonb")+`"]}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil, exitOK, []string{"advice   kernel spec", "gonb is started without the builder of cells", "nb lab -no-open"}},
		{"a kernel without its gate", nil, func(t *testing.T, bin string) {
			putProgram(t, filepath.Join(bin, "gonb"), "")
			spec := filepath.Join(bin, "jupyter-data", "kernels", "gonb", "kernel.json")
			putProgram(t, spec, "")
			if err := os.WriteFile(spec, []byte(`{"argv":["`+filepath.Join(bin, "gonb")+`","--kernel","{connection_file}"]}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil, exitOK, []string{"advice   kernel spec", "gonb is started without the gate", "nb lab -no-open"}},
		{"a kernel spec whose program is gone", nil, func(t *testing.T, bin string) {
			spec := filepath.Join(bin, "jupyter-data", "kernels", "gonb", "kernel.json")
			putProgram(t, spec, "")
			if err := os.WriteFile(spec, []byte(`{"argv":["/no/such/gonb"]}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil, exitOK, []string{"starts /no/such/gonb, which is not there"}},
		{"installed beside PATH", nil, func(t *testing.T, bin string) {
			putProgram(t, filepath.Join(bin, "gobin", "goimports"), "")
		}, nil, exitOK, []string{"gobin/goimports is there, but its folder is not on PATH", `export PATH="$PATH:`}},
		{"no Go", nil, func(t *testing.T, bin string) { os.Remove(filepath.Join(bin, "go")) }, nil, exitCell, []string{"MISSING  Go", "https://go.dev/dl/", "1 missing"}},
		{"old Go", nil, func(t *testing.T, bin string) {
			os.Remove(filepath.Join(bin, "go"))
			putProgram(t, filepath.Join(bin, "go"), "echo go1.25.3")
		}, nil, exitCell, []string{"go1.25.3, want go1.26 or newer", "go env -w GOTOOLCHAIN=go1.26.0+auto"}},
		{"outside a module", nil, nil, []string{t.TempDir()}, exitOK, []string{"advice   module", "go mod init notebooks && go get github.com/dpkit-go/dpnb@latest"}},
		{"a module without the project", nil, nil, []string{module(t, "module example.com/a\n\ngo 1.26\n")}, exitCell, []string{
			"MISSING  project", "example.com/a does not require github.com/dpkit-go/dpnb", "go get github.com/dpkit-go/dpnb@latest",
		}},
		{"a replace that leads nowhere", nil, nil, []string{module(t, "module example.com/a\n\ngo 1.26\n\nrequire github.com/dpkit-go/dpnb v0.0.0\n\nreplace github.com/dpkit-go/dpnb => ../gone\n")}, exitCell, []string{
			"is replaced by ../gone, where there is no go.mod", "go mod edit -dropreplace=github.com/dpkit-go/dpnb && go get",
		}},
		{"a replace that leads here", nil, nil, []string{module(t, "module example.com/a\n\ngo 1.26\n\nrequire github.com/dpkit-go/dpnb v0.0.0\n\nreplace github.com/dpkit-go/dpnb => "+root+"\n")}, exitOK, []string{
			"ok       project      github.com/dpkit-go/dpnb v0.0.0 => " + root,
		}},
		{"a go.mod that is none", nil, nil, []string{module(t, "modul x\n")}, exitCell, []string{"MISSING  module", "go mod tidy"}},
		{"no folder", nil, nil, []string{"main.go"}, exitUsage, []string{"main.go is not a folder"}},
		{"two folders", nil, nil, []string{".", "."}, exitUsage, []string{"got 2 folders, want one"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bin := emptyPath(t, tc.programs...)
			if tc.prepare != nil {
				tc.prepare(t, bin)
			}
			var out strings.Builder
			code := command(t.Context(), append([]string{"doctor"}, tc.args...), &out, &out)
			if code != tc.code {
				t.Errorf("exit %d, want %d", code, tc.code)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
		})
	}
}

func TestInFolder(t *testing.T) {
	for dir, want := range map[string]string{".": "go x", "a/b": "cd a/b && go x", "my books": "cd 'my books' && go x", "a'b": `cd 'a'\''b' && go x`} {
		if got := inFolder(dir, "go x"); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}
