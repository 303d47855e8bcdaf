package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

const (
	project = "github.com/dpkit-go/dpnb"
	minGo   = "go1.26"
)

// examine looks at everything, in the order in which things depend on each other.
func examine(ctx context.Context, dir string) []finding {
	env, err := readGoEnv(ctx, dir)
	list := []finding{goFinding(env, err)}
	if list[0].mend != "" {
		return append(list, jupyterFinding()) // nothing else can be asked
	}
	module, path := moduleFinding(ctx, dir, env.mod)
	list = append(list, module)
	if path != "" {
		list = append(list, projectFinding(ctx, dir, path, env.mod))
	}
	pinned, err := kernel.Find(ctx, dir)
	if err != nil {
		list = append(list, finding{"kernel", "no module in reach has GoNB as a tool", inFolder(dir, kernel.PinCommand), true})
	} else {
		list = append(list, finding{what: "kernel", says: fmt.Sprintf("GoNB %s, pinned in %s", orFolder(pinned.GoNB), pinned.Folder)})
	}
	return append(list, specFinding(pinned),
		programFinding(env.bin, "goimports", "golang.org/x/tools/cmd/goimports", pinned.Goimports, "Jupyter's kernel completes imports with it"),
		programFinding(env.bin, "gopls", "golang.org/x/tools/gopls", "", "Jupyter's kernel completes code with it"),
		jupyterFinding())
}

func goFinding(env goEnv, err error) finding {
	f := finding{what: "Go", needed: true}
	if _, err := exec.LookPath("go"); err != nil {
		f.says, f.mend = "no go command on PATH", "install Go 1.26 or newer from https://go.dev/dl/"
		return f
	}
	switch {
	case err != nil:
		f.says, f.mend = err.Error(), "go env -w GOTOOLCHAIN=auto"
	case version.IsValid(env.version) && version.Compare(env.version, minGo) < 0:
		f.says, f.mend = env.version+", want "+minGo+" or newer", "go env -w GOTOOLCHAIN="+minGo+".0+auto"
	default:
		f.says = env.version
	}
	return f
}

// moduleFinding returns the path of the module around dir, "" where there is none.
func moduleFinding(ctx context.Context, dir, file string) (f finding, path string) {
	f = finding{what: "module"}
	if file == "" || file == os.DevNull {
		f.says = "none around " + dir + ": notebooks there fetch this project themselves, which needs a network"
		f.mend = inFolder(dir, "go mod init notebooks && go get "+project+"@latest")
		return f, ""
	}
	path, err := goOutput(ctx, dir, "list", "-m")
	if err != nil {
		f.says, f.mend, f.needed = err.Error(), inFolder(dir, "go mod tidy"), true
		return f, ""
	}
	f.says = strings.ReplaceAll(path, "\n", ", ") + ", " + file
	return f, path
}

// projectFinding says whether the module finds this project, and through a replace that leads somewhere.
func projectFinding(ctx context.Context, dir, path, file string) finding {
	f := finding{what: "project", needed: true}
	if path == project {
		f.says = "the module is this project"
		return f
	}
	get := inFolder(dir, "go get "+project+"@latest")
	text, err := goOutput(ctx, dir, "mod", "edit", "-json")
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &mod)
	}
	if err != nil {
		f.says, f.mend = err.Error(), get
		return f
	}
	for _, r := range mod.Replace {
		if r.Old.Path != project || r.New.Version != "" {
			continue
		}
		target := r.New.Path
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		if _, err := os.Stat(filepath.Join(target, "go.mod")); err != nil {
			f.says = fmt.Sprintf("%s is replaced by %s, where there is no go.mod", project, r.New.Path)
			f.mend = inFolder(dir, "go mod edit -dropreplace="+project+" && go get "+project+"@latest")
			return f
		}
	}
	out, err := goOutput(ctx, dir, "list", "-mod=readonly", "-m", "-f", "{{.Version}}{{with .Replace}} => {{.Path}} {{.Version}}{{end}}", project)
	if err != nil {
		f.says, f.mend = path+" does not require "+project, get
		return f
	}
	f.says = project + " " + out
	return f
}

func specFinding(pinned kernel.Pinned) finding {
	f := finding{what: "kernel spec"}
	const install = "nb lab -no-open"
	s, err := readSpec()
	switch {
	case errors.Is(err, errNoSpec):
		f.says, f.mend = err.Error(), install
	case err != nil:
		f.says, f.mend = err.Error(), install
	case pinned.GoNB != "" && s.version != "" && s.version != pinned.GoNB:
		f.says, f.mend = fmt.Sprintf("Jupyter starts GoNB %s, pinned is %s", s.version, pinned.GoNB), install
	case !s.guarded:
		f.says, f.mend = s.program+" is started without the gate: a message that is not signed ends it, and every user of the computer can send one", install
	case !s.builds:
		f.says, f.mend = s.program+" is started without the builder of cells: they import nothing of the module around their notebook", install
	default:
		f.says = "Jupyter starts GoNB " + orFolder(s.version) + ", " + s.program
	}
	return f
}

// programFinding looks for a program that go install makes. at is its version, "" for the latest.
func programFinding(bin, name, path, at, why string) finding {
	f := finding{what: name}
	if found, err := exec.LookPath(name); err == nil {
		f.says = found
		return f
	}
	f.says = "not on PATH: " + why
	if at == "" {
		at = "latest"
	}
	f.mend = "go install " + path + "@" + at
	if _, err := os.Stat(filepath.Join(bin, name)); err == nil && bin != "" {
		f.says = filepath.Join(bin, name) + " is there, but its folder is not on PATH"
		f.mend = `export PATH="$PATH:` + bin + `"`
	}
	return f
}

func jupyterFinding() finding {
	f := finding{what: "Jupyter"}
	if e := frontEnds(""); len(e) > 0 {
		f.says = e[0].program
		return f
	}
	f.says, f.mend = "neither Jupyter nor VS Code is on PATH", installJupyter
	return f
}

// inFolder is a command for a folder that need not be the current one.
func inFolder(dir, command string) string {
	if dir == "." {
		return command
	}
	if strings.ContainsFunc(dir, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"\\$`&|;<>()*?[]#~!{}", r) }) {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return "cd " + dir + " && " + command
}

func orFolder(version string) string {
	if version == "" {
		return "of a folder"
	}
	return version
}

// goOutput is what a go command prints, trimmed.
func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// goEnv is what the go command says of itself in a folder.
type goEnv struct {
	version string
	mod     string // the go.mod around the folder
	bin     string // where go install puts programs, "" where Go does not say
}

func readGoEnv(ctx context.Context, dir string) (e goEnv, err error) {
	out, err := goOutput(ctx, dir, "env", "GOVERSION", "GOMOD", "GOPATH", "GOBIN")
	lines := append(strings.Split(out, "\n"), "", "", "")
	e = goEnv{version: lines[0], mod: lines[1], bin: lines[3]}
	if paths := filepath.SplitList(lines[2]); e.bin == "" && len(paths) > 0 {
		e.bin = filepath.Join(paths[0], "bin")
	}
	return e, err
}
