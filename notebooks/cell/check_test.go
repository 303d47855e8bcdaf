package cell_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/cell"
)

// TestPanicsInTests: one that fails does not end the others.
func TestPanicsInTests(t *testing.T) {
	want := errors.New("no rows")
	for name, f := range map[string]func(){
		"Check": func() { cell.Check(want) },
		"Must":  func() { cell.Must(1, want) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}()
			f()
		})
	}
	cell.Check(nil)
	if got := cell.Must("value", nil); got != "value" {
		t.Errorf("got %q", got)
	}
}

// TestEnds: a program ends with the sentence and the program's own lines, and without a goroutine's trace.
func TestEnds(t *testing.T) {
	const program = `package main

import (
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/cell"
)

func load() int {
	return cell.Must(fmt.Print("before\n"))
}

func spend[T any](what T) {
	cell.Check(nil)
	cell.Check(errors.New("the budget is spent: got ε = 1, left 0.5"))
}

func main() {
	load()
	func() { spend("all") }()
	fmt.Println("after")
}
`
	dir, err := os.MkdirTemp(".", "program") // inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{"optimised": nil, "without inlining": {"-gcflags=-l"}} {
		t.Run(name, func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "program")
			args := append(append([]string{"build", "-o", binary}, flags...), "./"+dir)
			if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var stderr strings.Builder
			cmd := exec.Command(binary)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || string(out) != "before\n" {
				t.Errorf("it printed %q and ended with %v", out, err)
			}
			want := `^the budget is spent: got ε = 1, left 0\.5\n(at /.*/main\.go:(16|21|22)\n){3}$`
			if !regexp.MustCompile(want).MatchString(stderr.String()) {
				t.Errorf("it said\n%s\nwant\n%s", &stderr, want)
			}
		})
	}
}
