package prebuilt

import (
	"os"
	"path/filepath"
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
			if data, _ := os.ReadFile(file); string(data) != text {
				t.Errorf("the program itself is %q now", data)
			}
		})
	}
}
