package lab

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestMainStoresResults(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		file string
		ok   bool
	}{
		{"by default", nil, "default.json", true},
		{"elsewhere", []string{"-o", filepath.Join(folder, "other.json")}, "other.json", true},
		{"a flag of the study", []string{"-runs=3", "-o=" + filepath.Join(folder, "three.json")}, "three.json", true},
		{"an unknown flag", []string{"-walks=3"}, "", false},
		{"a forgotten dash", []string{"runs=3"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			flags := flag.NewFlagSet("study", flag.ContinueOnError)
			flags.SetOutput(io.Discard)
			runs := flags.Int("runs", 1, "")
			var log bytes.Buffer
			ok := start(t.Context(), flags, c.args, &log, filepath.Join(folder, "default.json"), func(_ context.Context, to Output) error {
				return to.Store(map[string]int{"runs": *runs}, " ")
			})
			if ok != c.ok || (log.Len() > 0) == ok {
				t.Fatalf("got %v, %q", ok, &log)
			}
			if !ok {
				return
			}
			want := "{\n \"runs\": 1\n}\n"
			if len(c.args) > 1 && strings.HasPrefix(c.args[0], "-runs") {
				want = "{\n \"runs\": 3\n}\n"
			}
			if got, err := os.ReadFile(filepath.Join(folder, c.file)); err != nil || string(got) != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestMainSaysWhatFailed(t *testing.T) {
	var log bytes.Buffer
	flags := flag.NewFlagSet("study", flag.ContinueOnError)
	if start(t.Context(), flags, nil, &log, "x", func(context.Context, Output) error { return errors.New("no rows") }) || log.String() != "no rows\n" {
		t.Errorf("got %q", &log)
	}
	if err := Output(t.TempDir()).In("none").In("x.json").Store(1, ""); err == nil {
		t.Error("stored in a folder that is not there")
	}
	if err := Output(filepath.Join(t.TempDir(), "x")).Store(func() {}, ""); err == nil {
		t.Error("stored a function")
	}
}

// TestEveryStudyIsNightly: the pattern by which .ci/run finds the studies matches the command of every stored result, and no
// command that stores none.
func TestEveryStudyIsNightly(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	grep := regexp.MustCompile(`git grep -lE '([^']+)' -- 'notebooks/studies/\*/cmd/\*/main\.go'`).FindSubmatch(script)
	if grep == nil {
		t.Fatal(".ci/run looks for no studies")
	}
	pattern := regexp.MustCompile(string(grep[1]))
	commands, err := filepath.Glob(filepath.Join(root, "notebooks/studies/*/cmd/*/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := regexp.MustCompile(`lab\.Main\("([^"]+)"`)
	var stored []string
	for _, path := range commands {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		to := out.FindSubmatch(code)
		if (to != nil) != pattern.Match(code) {
			t.Errorf("%s: stores results: %v, found by the nightly run: %v", path, to != nil, pattern.Match(code))
		}
		if to != nil {
			stored = append(stored, string(to[1]))
		}
	}
	results, err := filepath.Glob(filepath.Join(root, "notebooks/studies/*/*.json"))
	if err != nil || len(results) == 0 || len(stored) == 0 {
		t.Fatalf("%d results of %d commands, %v", len(results), len(stored), err)
	}
	for _, path := range results {
		file, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		if file = filepath.ToSlash(file); !slices.Contains(stored, file) && !slices.Contains(stored, filepath.ToSlash(filepath.Dir(file))) {
			t.Errorf("no command stores %s: call lab.Main with its path, or its folder", file)
		}
	}
	for _, path := range stored {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Errorf("a command stores %s, which is not there", path)
		}
	}
}
