package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// self is cellgo: this program, which is it where it is called so.
var self string

func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "go" {
		main()
		return
	}
	dir, err := os.MkdirTemp("", "cellgo-")
	if err != nil {
		panic(err)
	}
	self = filepath.Join(dir, "go")
	if err := linkTo(self); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// linkTo gives this program another name, or copies it.
func linkTo(name string) error {
	program, err := os.Executable()
	if err != nil || os.Link(program, name) == nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o755)
}

// bench is a folder as GoNB makes it, with cellgo in front of the go command and a local module beside it.
type bench struct {
	testing.TB
	dir, dep, bin, log string
	env                []string
	flags              []string
	clock              time.Time // of the local module's files
}

func newBench(tb testing.TB) *bench {
	if info, _ := debug.ReadBuildInfo(); info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		tb.Skip("runs a program that is built without -race, as the tests without it do")
	}
	root := tb.TempDir()
	b := &bench{TB: tb, clock: time.Now().Add(-24 * time.Hour), dir: filepath.Join(root, "gonb_a cell's"), dep: filepath.Join(root, "dep"), bin: filepath.Join(root, "bin"), log: filepath.Join(root, "log")}
	if err := os.Mkdir(b.bin, 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.Link(self, filepath.Join(b.bin, "go")); err != nil {
		tb.Fatal(err)
	}
	b.env = append(os.Environ(), "PATH="+b.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), logEnv+"="+b.log, "GOFLAGS=", "GOWORK=", "GO111MODULE=", "GOENV="+filepath.Join(root, "settings"))
	b.write(root, "settings", "GOFLAGS=-buildvcs=false\nGOTOOLCHAIN=local\n")
	b.write(b.dir, "go.mod", "module nb\n\ngo 1.26\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => ../dep\n")
	b.write(b.dep, "go.mod", "module example.org/dep\n\ngo 1.26\n")
	b.write(b.dep, "dep.go", "package dep\n\nfunc Word() string { return \"old\" }\n")
	b.write(b.dep, "said/said.go", "package said\n\nimport \"embed\"\n\nvar (\n\t//go:embed words/* more.txt\n\tFS embed.FS\n)\n\nfunc Text(name string) string {\n\tdata, _ := FS.ReadFile(name)\n\treturn string(data)\n}\n")
	b.write(b.dep, "said/more.txt", "more")
	b.write(b.dep, "said/words/one.txt", "one")
	b.write(b.dep, "internal/secret/secret.go", "package secret\n\nconst Word = \"secret\"\n")
	return b
}

func (b *bench) write(dir, name, text string) {
	b.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	if b.clock = b.clock.Add(time.Minute); dir == b.dep { // long before a build that is about to begin
		for ; len(path) >= len(b.dep); path = filepath.Dir(path) {
			if err := os.Chtimes(path, b.clock, b.clock); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// build builds the main.go and returns how, by cellgo's log, and what the go command's user saw.
func (b *bench) build(source string) (how, says string, err error) {
	b.Helper()
	b.write(b.dir, "main.go", source)
	_ = os.Remove(b.log)
	out, err := b.run(append([]string{"build", "-o", b.output()}, b.flags...)...)
	log, _ := os.ReadFile(b.log)
	return strings.TrimSpace(string(log)), out, err
}

func (b *bench) output() string { return filepath.Join(b.dir, filepath.Base(b.dir)) }

func (b *bench) run(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(b.bin, "go"), args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// expect builds and runs a cell. Whether the build was recorded is compared where how has a second line.
func (b *bench) expect(source, how, prints string) {
	b.Helper()
	got, says, err := b.build(source)
	if err != nil || says != "" {
		b.Fatalf("build: %v: %s", err, says)
	}
	if !strings.Contains(how, "\n") {
		got, _, _ = strings.Cut(got, "\n")
	}
	if got != how {
		b.Errorf("built by %q, want %q", got, how)
	}
	out, err := exec.Command(b.output()).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != prints {
		b.Errorf("the program printed %q (%v), want %q", out, err, prints)
	}
}

// program is a program that prints an expression by package fmt.
func program(expression, path string) string {
	return fmt.Sprintf("package main\n\nimport (\n\t\"fmt\"\n\t%q\n)\n\nfunc main() {\n\tfmt.Println(%s)\n}\n", path, expression)
}

// smallProgram is a program that prints an expression without a package, and is built in two thirds of the time.
func smallProgram(expression, path string) string {
	return fmt.Sprintf("package main\n\nimport %q\n\nfunc main() {\n\tprintln(%s)\n}\n", path, expression)
}

const depPath = "example.org/dep"

const repeated = "repeated"

// TestRepeats follows an afternoon of edits: what may be repeated is, and whatever happens the program is the one that the
// go command would have built.
func TestRepeats(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := program("dep.Word(), 1", depPath)
	b.expect(first, "go: no record", "old 1")
	b.expect(program("dep.Word(), 2", depPath), repeated, "old 2")
	b.expect(first, repeated, "old 1")
	b.expect("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(3) }\n", repeated, "3") // fewer imports
	b.expect("package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"4\") }\n", repeated, "4")
	b.expect(program("math.Sqrt(25)", "math"), repeated, "5")
	b.expect(program("said.Text(\"more.txt\")", depPath+"/said"), "go: another import", "more")
	b.expect(program("said.Text(\"words/one.txt\")", depPath+"/said"), repeated, "one")
	b.expect(program("dep.Word(), 6", depPath), repeated, "old 6") // the first record still holds

	first = smallProgram("dep.Word(), 1", depPath)
	const changed = "package dep\n\nfunc Word() string { return \"new\" }\n" // of the same size
	if err := os.WriteFile(filepath.Join(b.dep, "dep.go"), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	b.expect(first, "go: "+b.dep+" changed\nnot recorded: "+b.dep+" changed during the build", "new 1")
	b.write(b.dep, "dep.go", changed)
	b.expect(smallProgram("dep.Word(), 7", depPath), "go: "+b.dep+" changed", "new 7")
	b.expect(smallProgram("dep.Word(), 8", depPath), repeated, "new 8")

	said := filepath.Join(b.dep, "said")
	b.expect(smallProgram("said.Text(\"more.txt\"), 9", depPath+"/said"), repeated, "more 9")
	b.write(b.dep, "said/words/two.txt", "two") // an embedded file more
	b.expect(smallProgram("said.Text(\"words/two.txt\"), 10", depPath+"/said"), "go: "+said+" changed", "two 10")
	b.expect(smallProgram("said.Text(\"words/two.txt\"), 11", depPath+"/said"), repeated, "two 11")

	b.flags = []string{"-ldflags=-s"} // "-s -w" where none are given
	b.expect(first, "go: other flags, environment or go.mod", "new 1")
	b.expect(smallProgram("dep.Word(), 12", depPath), repeated, "new 12")
	b.flags = nil
	b.expect(smallProgram("dep.Word(), 13", depPath), repeated, "new 13")
	b.env = append(b.env, "GOFLAGS=-tags=another")
	b.expect(smallProgram("dep.Word(), 14", depPath), "go: other flags, environment or go.mod", "new 14")
	b.write(b.dir, "go.mod", "module nb\n\ngo 1.26\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => ../dep\n\ngodebug default=go1.25\n")
	b.expect(smallProgram("dep.Word(), 15", depPath), "go: other flags, environment or go.mod", "new 15")
	b.expect(smallProgram("dep.Word(), 16", depPath), repeated, "new 16")
	// The go command takes what is in place for its own by the ID in it.
	b.write(b.dir, "go.mod", "module nb\n\ngo 1.26\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => ../dep\n\ngodebug default=go1.25 // as before\n")
	b.expect(smallProgram("dep.Word(), 15", depPath), "go: other flags, environment or go.mod", "new 15")
}

// TestSeesChanges: changes of a local module that its names, sizes and times hide.
func TestSeesChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	real, word := filepath.Join(filepath.Dir(b.dep), "real"), func(word string) string { return "package dep\n\nfunc Word() string { return \"" + word + "\" }\n" }
	if err := os.Rename(b.dep, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, b.dep); err != nil {
		t.Fatal(err)
	}
	good := smallProgram("dep.Word()", depPath)
	b.expect(good, "go: no record", "old")
	b.expect(good, repeated, "old")
	file := filepath.Join(real, "dep.go")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		set(word("new")) // of the same size and time, behind a link
		b.expect(good, "go: "+b.dep+" changed", "new")
		b.expect(good, repeated, "new")
	}
	b.write(b.dep, "internal/go.mod", "module example.org/dep/internal\n") // another module now
	b.expect(smallProgram("said.Text(\"more.txt\")", depPath+"/said"), "go: another import", "more")

	other := filepath.Join(filepath.Dir(b.dir), "other", filepath.Base(b.dir)) // the folder copied, with its records
	if err := os.CopyFS(other, os.DirFS(b.dir)); err != nil {
		t.Fatal(err)
	}
	b.dir = other
	b.write(filepath.Dir(other), "dep/go.mod", "module example.org/dep\n\ngo 1.26\n")
	b.write(filepath.Dir(other), "dep/dep.go", word("another"))
	b.expect(smallProgram("dep.Word(), 2", depPath), "go: other flags, environment or go.mod", "another 2")
}

// TestSettings: flags and settings that are not known to be harmless are the go command's.
func TestSettings(t *testing.T) {
	for flag, want := range map[string]bool{
		"-ldflags=-s -w": true, "-tags=a": true, "-gcflags=all=-N": true, "-trimpath": true, "-buildvcs=false": true, "-mod=readonly": true,
		"-mod=mod": false, "-mod=vendor": false, "-v": false, "--v": false, "-x": false, "-n": false, "-a": false, "-race": false, "-cover": false, "-o=x": false,
		"-modfile=x": false, "-overlay=x": false, "-toolexec=x": false, "-buildvcs=true": false, "-trimpath=x": false, "--ldflags=x": false, "-pgo=x": false, "-buildmode=plugin": false,
	} {
		if harmless(flag) != want {
			t.Errorf("harmless(%q) = %v", flag, !want)
		}
	}
	command, script := filepath.Join(t.TempDir(), "go"), filepath.Join(t.TempDir(), "go")
	for path, text := range map[string]string{command: "\x7fELF", script: "#!/bin/sh\n"} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, file, command, variable, value, want string }{
		{"none", "", command, "", "", ""},
		{"harmless ones", "# a comment\n\nGOPROXY=direct\nGOFLAGS=-buildvcs=false -tags=x\n", command, "GOFLAGS", "-trimpath", ""},
		{"flags", "", command, "GOFLAGS", "-tags=x -mod=mod", "GOFLAGS"},
		{"flags in the file", "GOFLAGS=-toolexec=x\n", command, "", "", "GOFLAGS in "},
		{"a workspace", "", command, "GOWORK", "/x/go.work", "GOWORK"},
		{"a workspace in the file", "GOWORK=/x/go.work\n", command, "", "", "GOWORK in "},
		{"no modules", "", command, "GO111MODULE", "off", "GO111MODULE"},
		{"an architecture in the file", "GOAMD64=v2\n", command, "", "", "GOAMD64 in "},
		{"a script", "", script, "", "", script},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "settings")
			if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"GOFLAGS", "GOWORK", "GO111MODULE"} {
				t.Setenv(name, "")
			}
			t.Setenv("GOENV", file)
			if c.variable != "" {
				t.Setenv(c.variable, c.value)
			}
			if got := settings(c.command); got != c.want && (!strings.HasSuffix(c.want, " in ") || got != c.want+file) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSeveralOnPath: copies of cellgo on PATH find the go command behind the last of them.
func TestSeveralOnPath(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	list := string(filepath.ListSeparator)
	for name, path := range map[string]string{
		"two copies":        b.bin + list + other + list + os.Getenv("PATH"),
		"the other first":   other + list + b.bin + list + os.Getenv("PATH"),
		"one of them twice": b.bin + list + other + list + b.bin + list + os.Getenv("PATH"),
		"empty entries":     list + b.bin + list + list + "." + list + os.Getenv("PATH"),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "go"), "env", "GOOS")
		cmd.Env, cmd.Dir = append(b.env, "PATH="+path), b.dir
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != runtime.GOOS {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		cancel()
	}
	cmd := exec.Command(filepath.Join(b.bin, "go"), "version")
	cmd.Env = append(b.env, "PATH="+b.bin)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "no go command on PATH behind") {
		t.Errorf("alone on PATH: %v: %s", err, out)
	}
}

// TestSaysWhatGoSays: where a build fails its message is the go command's, and the failure leaves nothing behind that a later
// build would stumble over.
func TestSaysWhatGoSays(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good := smallProgram("dep.Word()", depPath)
	b.expect(good, "go: no record", "old")
	for _, c := range []struct{ name, source, how string }{
		{"a type error", smallProgram("dep.Word() + 1", depPath), "go: compile failed"},
		{"an unused import", "package main\n\nimport \"example.org/dep\"\n\nfunc main() { println() }\n", "go: compile failed"},
		{"no main", "package main\n\nimport \"example.org/dep\"\n\nvar _ = dep.Word\n", "go: link failed"},
		{"another's internal package", smallProgram("secret.Word", depPath+"/internal/secret"), `go: the import of "` + depPath + `/internal/secret"`},
		{"a package that is not there", smallProgram("nowhere.Word", depPath+"/nowhere"), "go: another import"},
		{"no Go", "package main\n\nfunc {\n", "go: compile failed"},
		{"no imports that parse", "package main\n\nimport fmt\n", "go: main.go does not parse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := *b
			b.TB = t
			how, says, err := b.build(c.source)
			if err == nil {
				t.Fatal("it was built")
			}
			if how, _, _ = strings.Cut(how, "\n"); how != c.how {
				t.Errorf("by %q, want %q", how, c.how)
			}
			plain := exec.Command("go", "build", "-o", b.output())
			plain.Dir, plain.Env = b.dir, append(b.env, offEnv+"=off")
			want, err := plain.CombinedOutput()
			if err == nil || says != string(want) {
				t.Errorf("it says\n%s\nthe go command\n%s", says, want)
			}
			b.expect(good, repeated, "old")
		})
	}
}

// TestLeavesToGo: what is no cell, or reads more than main.go, is the go command's alone.
func TestLeavesToGo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good := smallProgram("dep.Word()", depPath)
	b.expect(good, "go: no record", "old")
	for name, args := range map[string][]string{
		"version":  {"version"},
		"env":      {"env", "GOOS"},
		"a build":  {"build", "."},
		"a file":   {"build", "-o", b.output(), "main.go"},
		"a name":   {"build", "-o", "program"},
		"the test": {"vet"},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(b.log)
			out, err := b.run(args...)
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if log, err := os.ReadFile(b.log); err == nil {
				t.Errorf("cellgo took part: %s", log)
			}
		})
	}
	for _, c := range []struct{ name, file, text, how string }{
		{"a test", "main_test.go", "package other\n", "go: main_test.go"},
		{"a text in the program's place", filepath.Base(b.dir), "a text", "go: what is at " + b.output()},
		{"another file", "other.go", "package main\n\nfunc init() { println() }\n", "go: other.go"},
		{"an assembly file", "x.s", "\n", "go: x.s"},
		{"a workspace", "go.work", "go 1.26\n\nuse .\n", "go: a go.work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(b.dir, c.file)
			b.write(b.dir, c.file, c.text)
			how, _, _ := b.build(good)
			if how != c.how {
				t.Errorf("built by %q, want %q", how, c.how)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			b := *b
			b.TB = t
			b.expect(good, repeated, "old")
		})
	}
	t.Run("a directive", func(t *testing.T) {
		if how, says, err := b.build("//go:build !ignore\n\n" + good); err != nil || how != "go: a directive in main.go" {
			t.Errorf("built by %q (%v, %s)", how, err, says)
		}
	})
	t.Run("an old directive", func(t *testing.T) {
		if how, says, err := b.build("// +build ignore\n\n" + good); err == nil || how != "go: a directive in main.go" {
			t.Errorf("built by %q (%v, %s)", how, err, says)
		}
	})
	t.Run("the flag -x", func(t *testing.T) {
		b := *b
		b.flags = []string{"-x"}
		if how, says, err := b.build(good); err != nil || how != "go: the flag -x" || !strings.Contains(says, "WORK=") {
			t.Errorf("built by %q (%v, %s)", how, err, says)
		}
	})
	t.Run("off", func(t *testing.T) {
		b := *b
		b.env = append(b.env, offEnv+"=off")
		if how, _, err := b.build(smallProgram("dep.Word(), 2", depPath)); err != nil || how != "" {
			t.Errorf("built by %q (%v)", how, err)
		}
	})
}

// TestStaleRecords: damage in the records, or archives that the build cache has dropped, cost the time that was to be saved and
// nothing else.
func TestStaleRecords(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good := smallProgram("dep.Word()", depPath)
	b.expect(good, "go: no record", "old")
	names, err := filepath.Glob(filepath.Join(b.dir, folder, "record-*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("records %q, %v", names, err)
	}
	record, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string]string{
		"cut off":           string(record[:len(record)/2]),
		"an archive gone":   strings.ReplaceAll(string(record), "-d\"", "-gone\""),
		"a tool gone":       strings.ReplaceAll(string(record), "/compile\"", "/gone\""),
		"of another format": "{}",
		"empty":             "",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(names[0], []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			b := *b
			b.TB = t
			how, says, err := b.build(smallProgram(fmt.Sprintf("dep.Word(), %q", name), depPath))
			if err != nil || says != "" || !strings.HasPrefix(how, "go: ") {
				t.Fatalf("built by %q: %v: %s", how, err, says)
			}
			b.expect(good, repeated, "old")
		})
	}
}

// FuzzReplaced: any text of a program's modules is read or refused.
func FuzzReplaced(f *testing.F) {
	f.Add("modinfo \"path\\tnb\\nmod\\tnb\\t(devel)\\t\\ndep\\ta.org/b\\tv1.0.0\\n=>\\t../b\\t(devel)\\t\\n\"\n")
	f.Add("")
	f.Add("modinfo \"dep\\n=>\"")
	f.Fuzz(func(t *testing.T, line string) {
		modules, err := replaced(line)
		for module, dir := range modules {
			if err != nil || dir != "" && !filepath.IsAbs(dir) {
				t.Errorf("%q => %q, %v", module, dir, err)
			}
		}
	})
}
