package ledgerfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// TestMain keeps the tests' ledgers out of the user's own state folder.
func TestMain(m *testing.M) {
	state, err := os.MkdirTemp("", "ledgerfile-test-state-")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_STATE_HOME", state); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(state)
	os.Exit(code)
}

// release makes n releases from the ledger at path, which is made if there is none, the last without a value.
func release(t *testing.T, path string, n int) {
	t.Helper()
	l, err := ledger.OpenOrCreate(path, ledger.Config{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Dataset: "adult"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Cleanup(func() { _ = ledger.Forget(path) }) // nobody misses it when the test ends
	for i := range n {
		_, err := l.Release(t.Context(), ledger.Request{
			ID: fmt.Sprintf("%032x", i), Name: fmt.Sprint("mean ", i), Mechanism: "Scale().Mean()",
			Event: accountant.Gaussian{Sensitivity: 1, Sigma: 40, Neighbours: accountant.ReplaceOne},
			Guarantee: accountant.Guarantee{
				Budget: accountant.Budget{Epsilon: 0.1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne,
				Scope: accountant.Scope{Kind: accountant.Unconditional},
			},
		}, func(context.Context) (json.RawMessage, error) {
			if i == n-1 {
				return nil, errors.New("a draw that fails")
			}
			return json.RawMessage(`38.5`), nil
		})
		if (err != nil) != (i == n-1) {
			t.Fatal(err)
		}
	}
}

func TestShowAndExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "adult.ledger")
	release(t, path, 3)
	v, err := Show(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{v.Text(), v.HTML()} {
		for _, want := range []string{"adult", "mean 0", "mean 2", "Scale().Mean()", "stored", "failed", "3 releases"} {
			if !strings.Contains(form, want) {
				t.Errorf("no %q in\n%s", want, form)
			}
		}
	}
	doc, err := Export(path)
	if err != nil {
		t.Fatal(err)
	}
	var s ledger.Statement
	if err := json.Unmarshal(doc, &s); err != nil || len(s.Releases) != 3 || s.Releases[0].Mechanism != "Scale().Mean()" {
		t.Errorf("%v: %s", err, doc)
	}
	if strings.Contains(string(doc)+v.Text(), "38.5") {
		t.Error("a released value is shown")
	}
	for name, f := range map[string]func(string) error{
		"show":   func(p string) error { _, err := Show(p); return err },
		"export": func(p string) error { _, err := Export(p); return err },
	} {
		if err := f(path + ".none"); !errors.Is(err, ledger.ErrMissing) {
			t.Errorf("%s: got %v, want ErrMissing", name, err)
		}
	}
}

func TestVerify(t *testing.T) {
	read := func(t *testing.T, path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	write := func(t *testing.T, path string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		spoil   func(t *testing.T, path string)
		problem string // "": none
		note    string
	}{
		"as it was": {func(*testing.T, string) {}, "", "record 3 of 2"},
		"one byte": {func(t *testing.T, path string) {
			b := read(t, path)
			b[len(b)/2] ^= 1
			write(t, path, b)
		}, "keep the file", ""},
		"cut short": {func(t *testing.T, path string) { b := read(t, path); write(t, path, b[:len(b)-10]) }, "", "unfinished record of"},
		"an old copy": {func(t *testing.T, path string) {
			lines := strings.SplitAfter(string(read(t, path)), "\n")
			write(t, path, []byte(strings.Join(lines[:3], "")))
		}, "this copy holds 1 release", ""},
		"another key": {func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "other")
			release(t, other, 1)
			write(t, path+".key", read(t, other+".key"))
		}, "the key of another ledger", ""},
		"no key":  {func(t *testing.T, path string) { os.Remove(path + ".key") }, "", "it belongs beside"},
		"no file": {func(t *testing.T, path string) { os.Remove(path) }, "put the file back", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "adult.ledger")
			release(t, path, 2)
			c.spoil(t, path)
			v := Verify(path)
			if v.OK() != (c.problem == "") || !strings.Contains(strings.Join(v.Problems, "\n"), c.problem) {
				t.Errorf("problems %q, want %q", v.Problems, c.problem)
			}
			if !strings.Contains(strings.Join(v.Notes, "\n"), c.note) {
				t.Errorf("notes %q, want %q", v.Notes, c.note)
			}
			if v.OK() && (len(v.Facts) != 2 || !strings.Contains(v.Facts[0], "4 records")) && name != "cut short" {
				t.Errorf("facts %q", v.Facts)
			}
		})
	}
}

func TestListAndForget(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "adult.ledger")
	release(t, path, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	v, err := List()
	if err != nil || !strings.Contains(v.HTML(), "adult.ledger") || !strings.Contains(v.Text(), "MISSING") {
		t.Errorf("%v\n%s", err, v.Text())
	}
	if err := Lost(filepath.Dir(path)); !errors.Is(err, ledger.ErrMissing) || !strings.Contains(err.Error(), `that of "adult", with ε ≤ 0.09`) || !strings.Contains(err.Error(), "nb ledger forget -yes "+path) {
		t.Errorf("lost: %v", err)
	}
	if err := Lost(t.TempDir()); err != nil {
		t.Errorf("lost elsewhere: %v", err)
	}
	if err := Forget(path); err != nil {
		t.Fatal(err)
	}
	if err := Lost(filepath.Dir(path)); err != nil {
		t.Errorf("lost after Forget: %v", err)
	}
	if v, err := List(); err != nil || strings.Contains(v.Text(), "MISSING") {
		t.Errorf("%v\n%s", err, v.Text())
	}
}
