// Command cellgo stands in front of the go command on a notebook kernel's PATH. It ties the kernel to the project around the
// notebook, so that a notebook begins with its imports, and it makes the wait for an edited cell shorter: of "go build" it runs the
// compiler and the linker and nothing else, where nothing else can have changed.
//
// GoNB keeps cells in a module of its own, which it makes with "go mod init" when a kernel starts, and completes with "go get" before
// each cell. Where there is a go.mod around the notebook, cellgo answers both: the module that it makes has the project's
// requirements and the project itself (tie.go). Elsewhere both go their way. What GoNB's goimports asks of "go env" for each cell is answered
// as before while what the answer is made of stays (env.go).
//
// GoNB compiles each cell as a program of one file, main.go, with "go build -o program". A third of that time go build
// finds out that no dependency has changed. cellgo lets the first build go its way and keeps its commands (it is the build's
// -toolexec); the next build with the same flags, environment and go.mod repeats the two of them, if the file imports packages of
// that build only and no file of a local module has changed. Where that cannot be told, or a command fails or says anything, the
// go command builds as if cellgo were not there, and its messages are the ones that are seen. Flags and settings that are not known
// to be harmless are its too, and everything but go build of such a folder. Programs have no symbol table unless the cell's flags
// say otherwise (-ldflags), and a message about an undefined name says what cells are (hint.go).
//
// Records are the kernel's, and go with it. Those that say nothing of one kernel are kept for others too, where the kernel was told a folder for
// them that other users cannot write to (others.go): the first cell of a notebook that ran before is built as an edited one.
//
// Where all cells are known beforehand, as in a check, package kernel lets a kernel run them once with programs that do nothing, and
// cellgo keeps what would be built; package kernel has it build one program of several cells of that, as a cell of a kernel to come, and cellgo
// takes it (bundled.go).
//
// It takes Go itself, the module cache and the build cache to be what the go command made of them.
//
// It is a program without dependencies but packages gomod and prebuilt: package nb carries the sources of all, and package kernel builds it.
// DPNB_CELLGO=off leaves builds as they are; DPNB_CELLGO_LOG=file appends a line for each build, how it was done and why.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// The environment.
const (
	offEnv    = "DPNB_CELLGO"        // "off": pass builds on
	logEnv    = "DPNB_CELLGO_LOG"    // a file to append to
	recordEnv = "DPNB_CELLGO_RECORD" // the folder to record to: this process is a build's -toolexec
	beganEnv  = "DPNB_CELLGO_BEGAN"  // when that build began, Unix nanoseconds
	beforeEnv = "DPNB_CELLGO_BEFORE" // the file that holds what local modules were before
	buildEnv  = "DPNB_CELLGO_BUILD"  // the build's fingerprint
	othersEnv = "DPNB_CELLGO_OTHERS" // its fingerprint for other kernels, or ""
	wasEnv    = "DPNB_CELLGO_WAS"    // digests of the go command's variables as the build was told them
)

func main() {
	idle()
	if dir := os.Getenv(recordEnv); dir != "" && len(os.Args) > 1 && filepath.IsAbs(os.Args[1]) {
		os.Exit(tool(dir, os.Args[1:]))
	}
	goCommand, err := realGo()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cellgo:", err)
		os.Exit(127)
	}
	args, env := os.Args[1:], os.Environ()
	switch answered, err := answer(goCommand, args); {
	case err != nil:
		fail(err)
	case answered:
		return
	}
	if os.Getenv(offEnv) != "off" && environmentOf(goCommand, args) {
		return
	}
	if buildsCell(args) && os.Getenv(offEnv) != "off" {
		if dir := os.Getenv(prebuilt.GatherEnv); dir != "" {
			if err := gather(dir, args); err != nil {
				fail(err)
			}
			return
		}
		if dir := os.Getenv(prebuilt.TakeEnv); dir != "" && take(dir, args) {
			note("bundled")
			return
		}
		args = small(args)
		recorded, env, built := cell(goCommand, args, env)
		if built {
			return
		}
		os.Exit(hinting(goCommand, recorded, env))
	}
	fail(replace(goCommand, append([]string{"go"}, args...), env))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cellgo:", err)
	os.Exit(1)
}

// cell builds a cell, or returns the arguments and the environment for the go command.
func cell(goCommand string, args, env []string) (_, _ []string, built bool) {
	b, why := newBuild(goCommand, args)
	if b == nil {
		if why != "" {
			note("go: %s", why)
		}
		return args, env, false
	}
	if why = b.repeat(); why == "" {
		note("repeated")
		return nil, nil, true
	}
	note("go: %s", why)
	args, env = b.recording(env)
	return args, env, false
}

// realGo is the go command on PATH behind the last place of this one, so that several of this program on PATH end.
func realGo() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	here, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	found, name := "", "go"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || !filepath.IsAbs(path) {
			continue
		}
		if os.SameFile(here, info) {
			found = ""
		} else if _, err := exec.LookPath(path); err == nil && found == "" {
			found = path
		}
	}
	if found == "" {
		return "", fmt.Errorf("no go command on PATH behind %s: install Go from https://go.dev/dl/", self)
	}
	return found, nil
}

// note tells how a build was done, to who asked.
func note(format string, args ...any) {
	path := os.Getenv(logEnv)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(f, format+"\n", args...)
}
