package prebuilt

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBuild: what is written is read again, and has one name whatever the kernel's module is called.
func TestBuild(t *testing.T) {
	b := Build{Mod: []byte("module gonb_1\n\ngo 1.26\n"), Main: []byte("package main\n")}
	names := map[string]string{}
	for name, change := range map[string]func(*Build){
		"as it is":       func(*Build) {},
		"another kernel": func(b *Build) { b.Mod = []byte("module gonb_2\n\ngo 1.26\n") },
		"another module": func(b *Build) { b.Mod = []byte("module gonb_1\n\ngo 1.25\n") },
		"sums":           func(b *Build) { b.Sum = []byte("x\n") },
		"other text":     func(b *Build) { b.Main = []byte("package main \n") },
		"text elsewhere": func(b *Build) { b.Sum, b.Main = b.Main, nil },
	} {
		c, dir := b, t.TempDir()
		change(&c)
		if err := c.Write(dir); err != nil {
			t.Fatal(err)
		}
		if c.Main == nil {
			if _, err := Read(dir); !os.IsNotExist(err) {
				t.Errorf("%s: got %v, want an error about main.go", name, err)
			}
			continue
		}
		got, err := Read(dir)
		if err != nil || got.Name() != c.Name() {
			t.Errorf("%s: read as %s, written as %s (%v)", name, got.Name(), c.Name(), err)
		}
		names[c.Name()] = name
	}
	if len(names) != 4 {
		t.Errorf("names of %v, want one each but for another kernel", names)
	}
}

// TestRetell: another program is not taken for a copy, nor one that runs.
func TestRetell(t *testing.T) {
	dir := t.TempDir()
	file, copied := filepath.Join(dir, "program"), filepath.Join(dir, "copy")
	p := Program{file, "mark-", 1, "0002"}
	if err := os.WriteFile(file, []byte(".mark-0000."), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		".mark-0001.":  ".mark-0002.",
		".mars-0001.":  "",
		".mark-0001..": "",
		".mark-00x1.":  "",
		"mark-0001..":  "",
		"":             "",
	} {
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p.Retell(copied) != (want != "") {
			t.Errorf("%q is told: %v", text, want == "")
		}
		if want == "" {
			want = text
		}
		if got, _ := os.ReadFile(copied); string(got) != want {
			t.Errorf("%q is %q now, want %q", text, got, want)
		}
	}
	if p.Retell(filepath.Join(dir, "gone")) {
		t.Error("what is not there is told")
	}
	if runtime.GOOS != "linux" {
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	running := filepath.Join(dir, "running")
	if err := Copy(running, self, nil); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(running, "-test.run=^TestWaits$")
	cmd.Env = append(os.Environ(), "PREBUILT_WAITS=1")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(running, os.O_RDWR, 0); err == nil {
		t.Error("a program that runs may be written to")
		_ = f.Close()
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWaits is a program that runs.
func TestWaits(t *testing.T) {
	if os.Getenv("PREBUILT_WAITS") != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// TestProgram: a copy is told its number, where the mark is what it should be.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "program")
	const text = "…mark-0000…"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := int64(len("…"))
	for i, c := range []struct {
		name    string
		program Program
		want    string // "" where it is refused
	}{
		{"told", Program{file, "mark-", at, "0012"}, "…mark-0012…"},
		{"elsewhere", Program{file, "mark-", at + 1, "0012"}, ""},
		{"beyond the end", Program{file, "mark-", 100, "0012"}, ""},
		{"another mark", Program{file, "mars-", at, "0012"}, ""},
		{"no mark", Program{file, "", at + 5, "0012"}, ""},
		{"more digits", Program{file, "mark-", at, "00012"}, ""},
		{"gone", Program{file + "x", "mark-", at, "0012"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := filepath.Join(dir, "copy"+string(rune('a'+i)))
			err := c.program.Copy(to)
			if c.want == "" {
				if err == nil {
					t.Error("it was copied")
				}
				return
			}
			info, statErr := os.Stat(to)
			if got, _ := os.ReadFile(to); err != nil || string(got) != c.want || statErr != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("got %q (%v), want %q for its owner alone", got, err, c.want)
			}
			if c.program.Copy(to) == nil {
				t.Error("it is written over a file")
			}
			next := c.program
			if next.Number = "0013"; !next.Retell(to) {
				t.Error("the copy was not told another number")
			}
			if got, _ := os.ReadFile(to); string(got) != strings.Replace(c.want, "0012", "0013", 1) {
				t.Errorf("told another number it is %q", got)
			}
			if data, _ := os.ReadFile(file); string(data) != text {
				t.Errorf("the program itself is %q now", data)
			}
		})
	}
}
