package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// beside is a bench for another kernel, with a folder of its own and the cellgo of the first, that builds against its local module.
func (b *bench) beside(keep, name string) *bench {
	b.Helper()
	root := b.TempDir()
	own := filepath.Join(root, "own")
	c := *b
	c.dir, c.log = filepath.Join(root, name), filepath.Join(root, "log")
	if err := os.MkdirAll(filepath.Join(own, "bin"), 0o755); err != nil {
		b.Fatal(err)
	}
	path := "PATH=" + strings.Join([]string{b.bin, filepath.Join(own, "bin"), os.Getenv("PATH")}, string(filepath.ListSeparator))
	c.env = append(slices.Clone(b.env), path, logEnv+"="+c.log, prebuilt.KeepEnv+"="+keep, prebuilt.OwnEnv+"="+own)
	c.write(c.dir, "go.mod", "module nb\n\ngo 1.26\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => "+b.dep+"\n")
	return &c
}

// TestOtherKernels: what one kernel has built another repeats, in a folder of another name, while what was built from stays as it is.
func TestOtherKernels(t *testing.T) {
	t.Parallel()
	first, keep := newBench(t), filepath.Join(t.TempDir(), "keep")
	kernel := func() *bench { return first.beside(keep, "gonb_"+filepath.Base(t.TempDir())+"_x") }
	cell := func(s string) string { return smallProgram("dep.Word(), "+s, depPath) }
	kernel().expect(cell("1"), "go: no record", "old 1") // the archive of dep is this kernel's
	kernel().expect(cell("2"), "go: no record", "old 2")
	third := kernel()
	third.expect(cell("3"), repeated, "old 3")
	first.write(first.dep, "dep.go", "package dep\n\nfunc Word() string { return \"new\" }\n")
	kernel().expect(cell("4"), "go: "+first.dep+" changed", "new 4")

	records, err := filepath.Glob(filepath.Join(keep, "*", "record-*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records %q, %v", records, err)
	}
	data, err := os.ReadFile(records[0])
	if err != nil || strings.Contains(string(data), "gonb_") {
		t.Errorf("%v: it tells of a kernel: %s", err, data)
	}
	if err := os.WriteFile(records[0], data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	kernel().expect(cell("5"), "go: no record", "new 5") // damage costs the time alone

	// Another version of this program, which lies elsewhere, may write otherwise.
	kernel().expect(cell("6"), repeated, "new 6")
	another := kernel()
	another.bin = filepath.Join(t.TempDir(), "bin")
	if err := errors.Join(os.Mkdir(another.bin, 0o755), os.Link(self, filepath.Join(another.bin, "go"))); err != nil {
		t.Fatal(err)
	}
	another.expect(cell("7"), "go: no record", "new 7")

	// Where no project is around the notebook, kernels' modules have their folders' names.
	for _, c := range []struct{ name, how string }{{"gonb_a", "go: no record"}, {"gonb_b", repeated}} {
		b := first.beside(keep, c.name)
		b.write(b.dir, "go.mod", "module "+c.name+"\n\ngo 1.26\n")
		b.expect("package main\n\nfunc main() { println(1) }\n", c.how, "1")
	}
}

// TestOthersPrint: all that decides a build counts, and neither the kernel's folders nor its module's name.
func TestOthersPrint(t *testing.T) {
	root := t.TempDir()
	command, goEnv, gcc := filepath.Join(root, "go", "bin", "go"), filepath.Join(root, "go", "go.env"), filepath.Join(root, "c", "gcc")
	for _, file := range []string{command, gcc} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("\x7fELF"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	const mod = "module %s\n\ngo 1.26\n"
	type kernel struct{ name, mod, sum, keep, path, flags, args, gcc, goEnv string }
	print := func(t *testing.T, k kernel) string {
		dir := filepath.Join(t.TempDir(), k.name)
		own := filepath.Dir(dir)
		path := strings.Join([]string{filepath.Join(own, "bin"), filepath.Dir(gcc), k.path}, string(filepath.ListSeparator))
		for name, value := range map[string]string{"PATH": path, "GOFLAGS": k.flags, prebuilt.KeepEnv: k.keep, prebuilt.OwnEnv: own} {
			t.Setenv(name, value)
		}
		for file, text := range map[string]string{filepath.Join(dir, "go.mod"): strings.ReplaceAll(k.mod, "%s", k.name), filepath.Join(dir, "go.sum"): k.sum, source(dir): "package main\n"} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		if k.gcc != "" {
			if err := os.WriteFile(gcc, []byte(k.gcc), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		_ = os.Remove(goEnv)
		if k.goEnv != "" {
			if err := os.WriteFile(goEnv, []byte(k.goEnv), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return (&build{dir: dir, args: []string{"build", "-o", "x", k.args}}).othersPrint(command)
	}
	first := kernel{"gonb_a", mod, "", root, "/usr/bin", "", "-tags=x", "", ""}
	change := func(f func(*kernel)) kernel { k := first; f(&k); return k }
	want := print(t, first)
	if want == "" {
		t.Fatal("no fingerprint")
	}
	for _, c := range []struct {
		name   string
		kernel kernel
		same   bool
	}{
		{"another kernel", change(func(k *kernel) { k.name = "gonb_b" }), true},
		{"another go.mod", change(func(k *kernel) { k.mod += "\ngodebug default=go1.25\n" }), false},
		{"another go.sum", change(func(k *kernel) { k.sum = "x\n" }), false},
		{"another folder on PATH", change(func(k *kernel) { k.path = "/bin" }), false},
		{"other settings", change(func(k *kernel) { k.flags = "-tags=y" }), false},
		{"other flags", change(func(k *kernel) { k.args = "-tags=y" }), false},
		{"other settings of Go itself", change(func(k *kernel) { k.goEnv = "GOAMD64=v3\n" }), false},
		{"another compiler of C", change(func(k *kernel) { k.gcc = "another" }), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := print(t, c.kernel); got == "" || (got == want) != c.same {
				t.Errorf("the fingerprint is %q, was %q, want the same: %v", got, want, c.same)
			}
		})
	}
	for name, k := range map[string]kernel{
		"a folder named from the kernel's": change(func(k *kernel) { k.mod += "\nreplace example.org/dep => ../dep\n" }),
		"no folder for them":               change(func(k *kernel) { k.keep = "" }),
		"a folder that may be any":         change(func(k *kernel) { k.keep = "kept" }),
	} {
		t.Run(name, func(t *testing.T) {
			if got := print(t, k); got != "" {
				t.Errorf("the fingerprint is %q, want none", got)
			}
		})
	}
}

// TestTrim: the newest are kept, and nothing old; what others have put there stays.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, age time.Duration) string {
		t.Helper()
		name = filepath.Join(dir, name)
		at := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for i := range mostOthers + 3 {
		put(fmt.Sprintf("record-%016x.json", i), time.Duration(i)*time.Minute)
	}
	old := put("record-00000000000000ff.json", othersAge)
	stranger := put("letter.json", 2*othersAge)
	trim(dir, recordName, os.Remove)
	left, err := os.ReadDir(dir)
	if _, gone := os.Stat(old); err != nil || len(left) != mostOthers+1 || !os.IsNotExist(gone) {
		t.Errorf("%d are left (%v), the old one too: %v", len(left), err, gone == nil)
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Error("what is no record was removed:", err)
	}
}

// TestKeepsNoSecrets: what is kept of a build holds no setting of the user's, from wherever it comes, and nothing is kept where the flags
// of the build are values for variables.
func TestKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	first, keep := newBench(t), filepath.Join(t.TempDir(), "keep")
	kept := func() (all []string) {
		t.Helper()
		records, err := filepath.Glob(filepath.Join(keep, "*", "record-*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range records {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if at := strings.Index(string(data), "hidden"); at >= 0 {
				t.Errorf("it tells %s", data[max(0, at-40):min(len(data), at+20)])
			}
			all = append(all, filepath.Base(file))
		}
		return all
	}
	kernel := func(name string) *bench {
		b := first.beside(keep, name)
		b.env = append(b.env, "GOPROXY=https://user:hidden1@example.org", "GOOGLE_API_KEY=hidden2", "CGO_TOKEN=hidden3")
		b.write(b.dir, "go.mod", "module "+name+"\n\ngo 1.25\n") // whose linker is told how programs of Go 1.25 run
		return b
	}
	first.write(filepath.Dir(first.dep), "settings", "GOFLAGS=-buildvcs=false\nGOPRIVATE=hidden4.example.org\n")
	kernel("gonb_a").expect("package main\n\nfunc main() { println(1) }\n", "go: no record", "1")
	if records := kept(); len(records) != 1 {
		t.Fatalf("records %q, want one", records)
	}
	kernel("gonb_b").expect("package main\n\nfunc main() { println(2) }\n", repeated, "2")
	for _, flag := range []string{"-X=main.v=hidden5", "-X main.v=hidden5", "--X=main.v=hidden5"} {
		b := kernel("gonb_c")
		b.flags = []string{"-ldflags=" + flag}
		b.expect("package main\n\nvar v string\n\nfunc main() { println(len(v)) }\n", "go: no record\nnot kept for other kernels: a flag sets a variable", "7")
	}
	if records := kept(); len(records) != 1 {
		t.Errorf("records %q, want one", records)
	}
}

// TestTrimFolders: of a folder with such a name, nothing goes but records, and the folder where nothing else is in it.
func TestTrimFolders(t *testing.T) {
	dir := t.TempDir()
	put := func(folder string, files ...string) string {
		t.Helper()
		folder = filepath.Join(dir, folder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file := filepath.Join(folder, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		at := time.Now().Add(-2 * othersAge)
		if err := os.Chtimes(folder, at, at); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	const record = "record-0000000000000001.json"
	ours := put("0123456789abcdef", record, record+".17.new")
	theirs := put("fedcba9876543210", "letter.txt", "letters/record-0000000000000002.json", record)
	link := filepath.Join(dir, "0000000000000000")
	if err := os.Symlink(put("elsewhere", record), link); err != nil {
		t.Fatal(err)
	}
	trim(dir, printName, removeRecords)
	for file, there := range map[string]bool{
		ours: false, filepath.Join(theirs, record): false,
		filepath.Join(theirs, "letter.txt"): true, filepath.Join(theirs, "letters", "record-0000000000000002.json"): true, filepath.Join(dir, "elsewhere", record): true,
	} {
		if _, err := os.Stat(file); (err == nil) != there {
			t.Errorf("%s: %v, want it there: %v", file, err, there)
		}
	}
}

// TestOthersOwned: what others could have written is not run, and nothing is kept for them to change.
func TestOthersOwned(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("has no modes")
	}
	first, keep := newBench(t), filepath.Join(t.TempDir(), "keep")
	cell := func(how, refused string) {
		t.Helper()
		b := first.beside(keep, "gonb_a")
		b.write(b.dir, "go.mod", "module gonb_a\n\ngo 1.26\n")
		if refused != "" {
			how += "\nnot kept for other kernels: others may write to " + refused
		}
		b.expect("package main\n\nfunc main() { println(1) }\n", how, "1")
	}
	cell("go: no record", "")
	folders, err := filepath.Glob(filepath.Join(keep, "*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %q, %v", folders, err)
	}
	folder := folders[0]
	change := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	change(os.Chmod(folder, 0o770))
	cell("go: no record", folder)
	change(os.Chmod(folder, 0o755), os.Chmod(keep, 0o702))
	cell("go: no record", folder)
	change(os.Chmod(keep, 0o700))
	cell(repeated, "")
	moved := filepath.Join(filepath.Dir(keep), "moved")
	change(os.Rename(folder, moved), os.Symlink(moved, folder))
	if trusted(folder) {
		t.Error("a link to a folder is trusted")
	}
	change(os.Remove(folder), os.Rename(moved, folder))
	if !trusted(folder) {
		t.Error("the user's own folder is not trusted")
	}
	if os.Geteuid() == 0 {
		if change(os.Chown(folder, 12345, -1)); trusted(folder) {
			t.Error("another user's folder is trusted")
		}
		if change(os.Chown(folder, 0, -1), os.Chown(keep, 12345, -1)); trusted(folder) {
			t.Error("a folder in another user's is trusted")
		}
	}
}
