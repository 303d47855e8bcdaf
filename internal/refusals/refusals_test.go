package refusals_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/refusals"
)

const declaring = `package p

import "errors"

var ErrOrder = errors.New("order")

func f(a, b bool, n int) error {
	//dp:refuses of/both neither may be
	if a || b {
		return errors.New("refused")
	}
	switch {
	//dp:refuses of/case n may not be 3
	case n == 3:
		return errors.New("refused")
	}
	//dp:charges of/value n counts
	//dp:lift 2 * n => n
	n = 2 * n
	if n > 9 { //dp:charges of/line it is large
		n++
	}
	//dp:refuses of/end nothing is left
	return errors.New("refused")
}

func g(a, b bool) bool {
	//dp:charges of/all both hold
	return a && b
}
`

func folder(t testing.TB, source string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRead: each form of a declaration has its parts, and is lifted as its statement is.
func TestRead(t *testing.T) {
	dir := folder(t, declaring)
	all, err := refusals.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range all {
		got = append(got, fmt.Sprint(d.Kind, " ", d.Line, " ", d.Parts))
	}
	want := []string{
		"charges 29 [of/all/1 of/all/2]", "refuses 9 [of/both/1 of/both/2]", "refuses 14 [of/case]", "refuses 24 [of/end]", "charges 20 [of/line]", "charges 19 [of/value]",
	}
	slices.Sort(got)
	slices.Sort(want)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	files, err := refusals.Lifted(dir, all)
	if err != nil || len(files) != 2 {
		t.Fatalf("got %d files: %v", len(files), err)
	}
	text := string(files[filepath.Join(dir, "p.go")])
	for _, part := range []string{
		`if (!dpLifted("of/both/1") && (a)) || (!dpLifted("of/both/2") && (b)) {`, `case (!dpLifted("of/case") && (n == 3)):`,
		`n = dpLift("of/value", n, 2 * n)`, `if (!dpLifted("of/line") && (n > 9)) {`, `return dpLift[error]("of/end", nil, errors.New("refused"))`,
		`return (dpLifted("of/all/1") || (a)) && (dpLifted("of/all/2") || (b))`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("want %s in\n%s", part, text)
		}
	}
}

// TestWrongDeclarations: what says nothing, or stands at nothing, is an error.
func TestWrongDeclarations(t *testing.T) {
	for name, text := range map[string]string{
		"no name":         "//dp:refuses\nif a {\n}",
		"no reason":       "//dp:refuses of/this\nif a {\n}",
		"another verb":    "//dp:forbids of/this it\nif a {\n}",
		"no statement":    "//dp:refuses of/this it\nvar b int\n_ = b",
		"no old text":     "//dp:charges of/this it\n//dp:lift b => a\n_ = a",
		"a lift alone":    "//dp:lift a => b\n_ = a",
		"a name twice":    "//dp:refuses of/this it\nif a {\n}\n//dp:refuses of/this it\nif a {\n}",
		"an empty advise": "//dp:advises\nif a {\n}",
	} {
		if all, err := refusals.Read(folder(t, "package p\n\nfunc f(a bool) {\n"+text+"\n}\n")); err == nil {
			t.Errorf("%s: got %+v, want an error", name, all)
		}
	}
}

// TestUndeclared: an error that no statement around it declares is found, and no other.
func TestUndeclared(t *testing.T) {
	dir := folder(t, `package p

import (
	"errors"
	"fmt"
)

var ErrOrder = errors.New("order")

func f(a, b, c bool) error {
	//dp:refuses of/a it
	if a {
		return fmt.Errorf("a: %w", ErrOrder)
	}
	//dp:advises it
	if b {
		return fmt.Errorf("b: %w", ErrOrder)
	}
	if c {
		return fmt.Errorf("c: %w", ErrOrder)
	}
	return fmt.Errorf("d: %w", errors.New("another"))
}
`)
	places, made, err := refusals.Undeclared(dir, "ErrOrder")
	if err != nil || made != 3 || len(places) != 1 || !strings.HasPrefix(places[0], "p.go:20:") {
		t.Errorf("got %q of %d: %v", places, made, err)
	}
}

func ExampleRead() {
	dir, err := os.MkdirTemp("", "refusals")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	source := "package p\n\nfunc f(a, b bool) int {\n\t//dp:charges both/of-them each counts\n\tif a || b {\n\t\treturn 2\n\t}\n\treturn 1\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	all, err := refusals.Read(dir)
	for _, d := range all {
		fmt.Println(d.Kind, d.Name, d.Why, d.Parts, err)
	}
	// Output: charges both/of-them each counts [both/of-them/1 both/of-them/2] <nil>
}
