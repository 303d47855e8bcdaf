package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// commandEnv makes the test binary the command.
const commandEnv = "NB_TEST_COMMAND"

var (
	binary string   // the command, which is this program
	caches []string // environment: nothing goes into the user's caches
)

func TestMain(m *testing.M) {
	if os.Getenv(commandEnv) != "" {
		main()
	}
	dir, err := os.MkdirTemp("", "nb-command-test-")
	if err != nil {
		panic(err)
	}
	if binary, err = os.Executable(); err != nil {
		panic(err)
	}
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		panic(err)
	}
	// XDG_CACHE_HOME moves Go's own cache too; that one is to stay. The kernel is the one that tests of package kernel build.
	goCache, own := strings.TrimSpace(string(out)), filepath.Join(dir, "dpnb")
	tools := filepath.Join(goCache, "dpnb-tests")
	if err := errors.Join(os.MkdirAll(tools, 0o755), os.Mkdir(own, 0o755), os.Symlink(tools, filepath.Join(own, "tools"))); err != nil {
		panic(err)
	}
	caches = []string{"XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "GOCACHE=" + goCache}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// program prepares a run of the command in dir.
func program(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), caches...), commandEnv+"=1")
	return cmd
}

// execute runs a program of another process, into which the race detector of this one does not see.
func execute(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	if underRace() {
		t.Skip("runs a program that is built without -race, as the tests without it do")
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// underRace reports that the tests were built with -race.
func underRace() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// notebook writes a notebook with the given code cells into a new folder, and the folder's path.
func notebook(t *testing.T, cells ...string) (dir string) {
	t.Helper()
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
	for _, c := range cells {
		n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: c})
	}
	dir = t.TempDir()
	if err := n.WriteFile(filepath.Join(dir, "n.ipynb")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestRunStoresOutputs(t *testing.T) {
	source, err := os.ReadFile("../../nb/kernel/testdata/run/hello.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.ipynb"), source, 0o640); err != nil {
		t.Fatal(err)
	}
	cmd := program(".", "run", filepath.Join(dir, "hello.ipynb"))
	cmd.Env = append(cmd.Env, "GREETING=good day")
	code, stdout, stderr := execute(t, cmd)
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"| hello, world", "[2/3] ok", "  fmt.Println(greet", "3 of 3 cells ran, 0 failed", "hello.html"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if got, want := files(t, dir), "hello.html hello.ipynb"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	n, err := nb.ReadFile(filepath.Join(dir, "hello.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Cells[2].Outputs; len(got) != 1 || n.Cells[2].ExecutionCount != 2 {
		t.Errorf("%d outputs with count %d, want one with count 2", len(got), n.Cells[2].ExecutionCount)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Cells[3].Outputs[0].Text; got != real+"\ngood day\n" && got != dir+"\ngood day\n" {
		t.Errorf("cell output %q, want the notebook's folder and the environment", got)
	}
	page, err := os.ReadFile(filepath.Join(dir, "hello.html"))
	if err != nil || !bytes.Contains(page, []byte("<title>hello</title>")) {
		t.Errorf("page %.80s, %v", page, err)
	}

	// A second run changes nothing in the file.
	first, _ := os.ReadFile(filepath.Join(dir, "hello.ipynb"))
	if code, _, stderr := execute(t, cmdAgain(cmd)); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if second, _ := os.ReadFile(filepath.Join(dir, "hello.ipynb")); !bytes.Equal(first, second) {
		t.Error("the same run writes another file")
	}
}

func cmdAgain(cmd *exec.Cmd) *exec.Cmd {
	again := exec.Command(cmd.Path, cmd.Args[1:]...)
	again.Dir, again.Env = cmd.Dir, cmd.Env
	return again
}

func TestRunFlags(t *testing.T) {
	lines := "!for i in $(seq 15); do echo line $i; done"
	for _, tc := range []struct {
		name          string
		args          []string
		cells         []string
		code          int
		files         string
		stdout, quiet string // wanted, unwanted
		stderr        string
	}{
		{"elsewhere", []string{"-o", "out.ipynb", "-html", "page.html", "n.ipynb"}, []string{"!echo x"}, exitOK, "n.ipynb out.ipynb page.html", "wrote out.ipynb, page.html", "", ""},
		{"beside -o", []string{"n.ipynb", "-o", "out.ipynb"}, []string{"!echo x"}, exitOK, "n.ipynb out.html out.ipynb", "", "", ""},
		{"no page", []string{"-no-html", "n.ipynb"}, []string{"!echo x"}, exitOK, "n.ipynb", "| x", "html", ""},
		{"long output", []string{"-no-html", "n.ipynb"}, []string{lines}, exitOK, "n.ipynb", "… 5 more lines", "line 11", ""},
		{"verbose", []string{"-no-html", "-v", "n.ipynb"}, []string{lines}, exitOK, "n.ipynb", "line 15", "more lines", ""},
		{"quiet", []string{"-no-html", "-q", "n.ipynb"}, []string{lines}, exitOK, "n.ipynb", "[1/1] ok", "| line", ""},
		{"failure", []string{"n.ipynb"}, []string{"!false", "!echo x"}, exitCell, "n.html n.ipynb", "1 of 2 cells ran, 1 failed", "[2/2]", "nb: n.ipynb: cell 1 line 1: a shell command failed: exit status 1"},
		{"keep going", []string{"-no-html", "-keep-going", "n.ipynb"}, []string{"!false", "!echo x"}, exitCell, "n.ipynb", "[2/2] ok", "", "cell 1 line 1"},
		{"compile error", []string{"-no-html", "n.ipynb"}, []string{"%%\nnope()"}, exitCell, "n.ipynb", "[1/1] FAILED", "", "cell 1 line 2: undefined: nope"},
		{"timeout", []string{"-no-html", "-timeout", "300ms", "n.ipynb"}, []string{"!sleep 60"}, exitCell, "n.ipynb", "", "", "interrupted after 300ms"},
		{"changed meanwhile", []string{"n.ipynb"}, []string{"!echo >>n.ipynb"}, exitEnvironment, "n.ipynb", "", "wrote", "n.ipynb changed while it ran"},
		{"no code", []string{"n.ipynb"}, nil, exitUsage, "n.ipynb", "", "", "nothing to run"},
		{"missing", []string{"other.ipynb"}, nil, exitUsage, "n.ipynb", "", "", "other.ipynb: no such file"},
		{"several", []string{"-no-html", "n.ipynb", "other.ipynb"}, []string{"!echo x"}, exitUsage, "n.ipynb", "[1/1] ok", "", "other.ipynb: no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := notebook(t, tc.cells...)
			cmd := program(dir, append([]string{"run"}, tc.args...)...)
			code, stdout, stderr := execute(t, cmd)
			if code != tc.code {
				t.Errorf("exit %d, want %d", code, tc.code)
			}
			if got := files(t, dir); got != tc.files {
				t.Errorf("files %s, want %s", got, tc.files)
			}
			if !strings.Contains(stdout, tc.stdout) || tc.quiet != "" && strings.Contains(stdout, tc.quiet) {
				t.Errorf("want %q and not %q in\n%s", tc.stdout, tc.quiet, stdout)
			}
			if !strings.Contains(stderr, tc.stderr) || tc.stderr == "" && stderr != "" {
				t.Errorf("want %q in the errors\n%s", tc.stderr, stderr)
			}
		})
	}
}

func TestUse(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string // in both outputs together
	}{
		{"nothing", nil, exitUsage, "nb run"},
		{"help", []string{"help"}, exitOK, "Exit status"},
		{"help run", []string{"help", "run"}, exitOK, "-keep-going"},
		{"run -h", []string{"run", "-h"}, exitOK, "-timeout"},
		{"unknown", []string{"walk"}, exitUsage, `unknown command "walk"`},
		{"no file", []string{"run"}, exitUsage, "no notebook given"},
		{"bad flag", []string{"run", "-x", "a.ipynb"}, exitUsage, "-x"},
		{"one output for two", []string{"run", "-o", "x", "a.ipynb", "b.ipynb"}, exitUsage, "takes one notebook, got 2"},
		{"contradiction", []string{"run", "-html", "x", "-no-html", "a.ipynb"}, exitUsage, "exclude each other"},
		{"negative timeout", []string{"run", "-timeout", "-1s", "a.ipynb"}, exitUsage, "want 0 or more"},
		{"not a notebook", []string{"run", "main.go"}, exitUsage, "main.go:1: not a Jupyter notebook"},
		{"Python", []string{"run", "testdata/python.ipynb"}, exitUsage, `its kernel is for "python", want go`},
		{"html of nothing", []string{"html", "missing.ipynb"}, exitUsage, "no such file"},
		{"html to nowhere", []string{"html", "-o", "no/such/page.html", "testdata/python.ipynb"}, exitEnvironment, "cannot write no/such/page.html"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := command(t.Context(), tc.args, &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Errorf("exit %d, want %d and %q in\n%s", code, tc.code, tc.want, &out)
			}
		})
	}
}

func TestHTMLCommand(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	var out bytes.Buffer
	if code := command(t.Context(), []string{"html", "testdata/python.ipynb", "-o", page}, &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, &out)
	}
	if data, err := os.ReadFile(page); err != nil || !bytes.Contains(data, []byte("<title>python</title>")) {
		t.Errorf("page %.80s, %v", data, err)
	}
}

func TestNoKernel(t *testing.T) {
	dir := notebook(t, "!true")
	cmd := program(dir, "run", "n.ipynb")
	cmd.Env = append(cmd.Env, "PATH="+dir)
	if code, _, stderr := execute(t, cmd); code != exitEnvironment || !strings.Contains(stderr, "install Go") {
		t.Errorf("exit %d, want %d and how to install Go: %s", code, exitEnvironment, stderr)
	}
	if got := files(t, dir); got != "n.ipynb" {
		t.Errorf("files %s, want the notebook alone", got)
	}
}

// However the command ends, the kernel and what a cell started end too, and nothing stays in the
// temporary folder.
func TestSignals(t *testing.T) {
	const cell = `!(echo $PPID; sleep 600 >/dev/null 2>&1 & echo $!) >ids.tmp; mv ids.tmp ids; sleep 600`
	for _, tc := range []struct {
		signal syscall.Signal
		stored bool
	}{
		{syscall.SIGINT, true},
		{syscall.SIGTERM, true},
		{syscall.SIGKILL, false},
	} {
		t.Run(tc.signal.String(), func(t *testing.T) {
			dir, tmp := notebook(t, cell), t.TempDir()
			cmd := program(dir, "run", "n.ipynb")
			cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
			cmd.Stdout = io.Discard
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var ids []string
			waitFor(t, "the cell", func() bool {
				data, _ := os.ReadFile(filepath.Join(dir, "ids"))
				ids = strings.Fields(string(data))
				return len(ids) == 2
			})
			_ = cmd.Process.Signal(tc.signal)
			err := cmd.Wait()
			if tc.stored && cmd.ProcessState.ExitCode() != exitCell {
				t.Errorf("ended with %v, want exit %d", err, exitCell)
			}
			waitFor(t, "the end of the processes", func() bool {
				out, _ := exec.Command("ps", "-o", "stat=", "-p", strings.Join(ids, ",")).Output()
				return strings.Trim(string(out), "Z+sl<N\n ") == "" // gone, or zombies that nobody collected
			})
			waitFor(t, "an empty temporary folder", func() bool { return files(t, tmp) == "" })
			if _, err := os.Stat(filepath.Join(dir, "n.html")); (err == nil) != tc.stored {
				t.Errorf("page: %v, want it stored: %v", err, tc.stored)
			}
		})
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("waited 30 s for %s", what)
}

// moduleNotebook writes a notebook of those code cells, as the quickstart's kernel runs them, into a folder within the module that is
// removed in the end: they import this module.
func moduleNotebook(t *testing.T, cells ...string) (file string) {
	t.Helper()
	quickstart, err := nb.ReadFile("../../quickstart.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5, Metadata: quickstart.Metadata}
	for _, source := range cells {
		n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: source})
	}
	dir, err := os.MkdirTemp(".", ".nb-check-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file = filepath.Join(dir, "n.ipynb")
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	return file
}
