package ledger

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func TestCreate(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	if l.Config() != testConfig() {
		t.Errorf("config %+v", l.Config())
	}
	key := mustKey(t, l)
	if len(key) != 32 || bytes.Equal(key, make([]byte, 32)) {
		t.Errorf("key of %d bytes", len(key))
	}
	key[0]++
	if bytes.Equal(key, mustKey(t, l)) {
		t.Error("Key hands out its own bytes")
	}
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := testConfig()
	other.Budget.Epsilon = 2
	for _, c := range []Config{testConfig(), other} {
		if _, err := Create(path, c); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "OpenOrCreate") {
			t.Errorf("Create again: %v", err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("Create touched the file: %v", err)
	}
	if names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(names) > 0 {
		t.Errorf("left behind %v, %v", names, err)
	}
	if again := mustOpen(t, path); !bytes.Equal(mustKey(t, again), mustKey(t, l)) || again.Config() != testConfig() {
		t.Error("Open reads another key or config")
	}
}

func TestConfigValidate(t *testing.T) {
	for name, edit := range map[string]func(*Config){
		"ε zero":        func(c *Config) { c.Budget.Epsilon = 0 },
		"ε NaN":         func(c *Config) { c.Budget.Epsilon = math.NaN() },
		"ε Inf":         func(c *Config) { c.Budget.Epsilon = math.Inf(1) },
		"δ zero":        func(c *Config) { c.Budget.Delta = 0 },
		"δ NaN":         func(c *Config) { c.Budget.Delta = math.NaN() },
		"δ one":         func(c *Config) { c.Budget.Delta = 1 },
		"no relation":   func(c *Config) { c.Neighbours = 0 },
		"no dataset":    func(c *Config) { c.Dataset = "" },
		"line break":    func(c *Config) { c.Dataset = "a\nb" },
		"not UTF-8":     func(c *Config) { c.Dataset = "a\xff" },
		"endless names": func(c *Config) { c.Dataset = strings.Repeat("a", 201) },
	} {
		t.Run(name, func(t *testing.T) {
			c := testConfig()
			edit(&c)
			path := tempPath(t)
			if _, err := Create(path, c); err == nil {
				t.Error("Create took it")
			}
			if _, err := OpenOrCreate(path, c); err == nil {
				t.Error("OpenOrCreate took it")
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Error("a file was made")
			}
		})
	}
}

func TestOpenOrCreate(t *testing.T) {
	path := tempPath(t)
	l, err := OpenOrCreate(path, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mustRelease(t, l, request("mean", 0.05), `1`)
	again, err := OpenOrCreate(path, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if rc := mustRelease(t, again, request("mean", 0.05), `2`); !rc.Replayed || string(rc.Value) != `1` {
		t.Errorf("got %s, replayed %v", rc.Value, rc.Replayed)
	}
	for name, c := range map[string]struct {
		edit func(*Config)
		want string
	}{
		"ε":          {func(c *Config) { c.Budget.Epsilon = 2 }, "budget epsilon: the file has 1, asked 2"},
		"δ":          {func(c *Config) { c.Budget.Delta = 1e-5 }, "budget delta"},
		"neighbours": {func(c *Config) { c.Neighbours = accountant.AddRemove }, "neighbours: the file has replace-one, asked add/remove"},
		"dataset":    {func(c *Config) { c.Dataset = "census" }, `dataset: the file has "adult", asked "census"`},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig()
			c.edit(&cfg)
			if _, err := OpenOrCreate(path, cfg); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrConfig with %q", err, c.want)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := tempDir(t)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	future := strings.Replace(readText(t, createdAt(t)), `"version":2`, `"version":3`, 1)
	for name, c := range map[string]struct {
		path string
		want error // nil: an error without a sentinel
		text string
	}{
		"nothing there":        {filepath.Join(dir, "none"), ErrMissing, "Create"},
		"no such folder":       {filepath.Join(dir, "no", "none"), ErrMissing, ""},
		"a directory":          {dir, nil, "a directory"},
		"a fifo":               {fifo, nil, "special file"},
		"an empty file":        {file("empty", ""), ErrDamaged, "line 1"},
		"another format":       {file("csv", "weight,sex\n"), ErrNoLedger, "line 1: no ledger file"},
		"another JSON":         {file("json", "{}\n"), ErrNoLedger, "line 1: no ledger file"},
		"a notebook":           {file("ipynb", `{"cells":[]}`), ErrNoLedger, "line 1: no ledger file"},
		"half a header":        {file("half", `{"format":"dpnb-ledger","ver`), ErrDamaged, "line 1"},
		"a later version":      {file("later", future), ErrDamaged, "version 3, this program reads 1 to 2"},
		"a header without \\n": {file("bare", strings.TrimSuffix(readText(t, createdAt(t)), "\n")), ErrDamaged, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			for fn, open := range map[string]func() (*Ledger, error){
				"Open":         func() (*Ledger, error) { return Open(c.path) },
				"OpenOrCreate": func() (*Ledger, error) { return OpenOrCreate(c.path, testConfig()) },
			} {
				if fn == "OpenOrCreate" && errors.Is(c.want, ErrMissing) {
					continue
				}
				_, err := open()
				if err == nil || (c.want != nil && !errors.Is(err, c.want)) || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%s: got %v, want %v with %q", fn, err, c.want, c.text)
				}
				if errors.Is(err, ErrDamaged) && (!strings.Contains(err.Error(), "put back a copy") || strings.Contains(err.Error(), "weight")) {
					t.Errorf("%s: %v", fn, err)
				}
			}
		})
	}
	if _, err := OpenOrCreate(filepath.Join(dir, "no", "none"), testConfig()); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "make the folder first") || strings.Contains(err.Error(), ".new-") {
		t.Errorf("no folder to create in: %v", err)
	}
}

func TestFileReplacedWhileOpen(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"another": func(t *testing.T, path string) {
			other := tempPath(t)
			mustCreate(t, other, testConfig())
			must(t, os.Rename(other, path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := tempPath(t)
			l := mustCreate(t, path, testConfig())
			mustRelease(t, l, request("a", 0.01), `1`)
			replace(t, path)
			calls := 0
			if _, err := l.Release(t.Context(), request("b", 0.01), draws(`2`, &calls)); !errors.Is(err, ErrMissing) || calls > 0 {
				t.Errorf("got %v after %d draws, want ErrMissing and none", err, calls)
			}
			if _, err := l.Status(); !errors.Is(err, ErrMissing) {
				t.Errorf("Status: %v", err)
			}
		})
	}
}

func TestFileShrinksWhileOpen(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	size := len(readText(t, path))
	mustRelease(t, l, request("a", 0.01), `1`)
	must(t, os.Truncate(path, int64(size)))
	if _, err := l.Release(t.Context(), request("b", 0.01), draws(`2`, nil)); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestClose(t *testing.T) {
	path := tempPath(t)
	l, other := mustCreate(t, path, testConfig()), mustOpen(t, path)
	must(t, l.Close())
	must(t, l.Close())
	if _, err := l.Release(t.Context(), request("a", 0.01), draws(`1`, nil)); !errors.Is(err, ErrClosed) {
		t.Errorf("Release: %v", err)
	}
	if _, err := l.Status(); !errors.Is(err, ErrClosed) {
		t.Errorf("Status: %v", err)
	}
	mustRelease(t, other, request("a", 0.01), `1`)
	must(t, other.Close())
	gates.Lock()
	defer gates.Unlock()
	for id := range gates.m {
		if id == l.gate.id {
			t.Error("the last Close leaves the gate")
		}
	}
}

func createdAt(t *testing.T) string {
	t.Helper()
	path := tempPath(t)
	mustCreate(t, path, testConfig())
	return path
}

func readText(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
