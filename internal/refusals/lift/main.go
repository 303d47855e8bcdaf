// Command lift turns off the conditions that sources declare, one at a time, and expects a test to fail each time.
//
//	go run ./internal/refusals/lift            # all of them
//	go run ./internal/refusals/lift -sample 8  # every eighth
//	go run ./internal/refusals/lift table/     # those whose names begin so
//	go run ./internal/refusals/lift -list      # lists them, and lifts none
//
// It builds each package of tests once, with all conditions under switches: one of them takes a run of its own cases.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/internal/refusals"
)

// test holds the declarations of a package and of those below it, each in a test below it that has its name.
const test = "TestDeclaredConditions"

// folders have such a test.
var folders = []string{"dpkit", "accountant/ledger"}

func main() {
	sample := flag.Int("sample", 1, "lift every so many of them")
	listed := flag.Bool("list", false, "list the declarations, and lift none")
	flag.Parse()
	if *listed {
		if err := list(); err != nil {
			fmt.Fprintln(os.Stderr, "lift:", err)
			os.Exit(1)
		}
		return
	}
	if err := lift(max(*sample, 1), flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "lift:", err)
		os.Exit(1)
	}
}

// list prints what is declared, and where.
func list() error {
	for _, folder := range folders {
		all, err := refusals.Read(folder)
		if err != nil {
			return err
		}
		for _, d := range all {
			fmt.Printf("%-8s %-34s %s (%s/%s:%d)\n", d.Kind, d.Name, d.Why, folder, d.File, d.Line)
		}
	}
	return nil
}

// lift prints each part of a condition with what a test says of it.
func lift(sample int, prefix string) error {
	work, err := os.MkdirTemp("", "lift")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	seen, held, survive := 0, 0, 0
	for _, folder := range folders {
		all, err := refusals.Read(folder)
		if err != nil {
			return err
		}
		s, err := build(work, folder, all)
		if err != nil {
			return err
		}
		for _, d := range all {
			if !strings.HasPrefix(d.Name, prefix) {
				continue
			}
			for _, part := range d.Parts {
				if seen++; seen%sample != 0 {
					continue
				}
				green, said, err := s.without(d.Name, part)
				switch {
				case err != nil:
					return err
				case green:
					survive++
					fmt.Printf("SURVIVES %s (%s/%s:%d): no test fails without it\n%s", part, folder, d.File, d.Line, said)
				default:
					held++
					fmt.Println("held    ", part)
				}
			}
		}
	}
	switch {
	case held+survive == 0:
		return fmt.Errorf("no condition is lifted: want one of %d, whose name begins with %q", seen, prefix)
	case survive > 0:
		return fmt.Errorf("no test holds %d of %d conditions: add a case that fails without the condition", survive, held+survive)
	}
	fmt.Printf("each of %d conditions is held by a test\n", held)
	return nil
}

// A suite is the program of a package's tests, with all conditions under switches.
type suite struct{ folder, program string }

// build makes the program, which passes where nothing is lifted.
func build(work, folder string, all []refusals.Declaration) (suite, error) {
	s := suite{folder, filepath.Join(work, filepath.Base(folder)+".test")}
	if len(all) == 0 {
		return s, fmt.Errorf("%s declares nothing: run this in the root of the repository", folder)
	}
	root, err := filepath.Abs(folder)
	if err != nil {
		return s, err
	}
	files, err := refusals.Lifted(root, all)
	if err != nil {
		return s, err
	}
	replace := map[string]string{}
	for path, text := range files {
		to, err := os.CreateTemp(work, "*.go")
		if err == nil {
			_, err = to.Write(text)
			err = errors.Join(err, to.Close())
		}
		if err != nil {
			return s, err
		}
		replace[path] = to.Name()
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return s, err
	}
	list := filepath.Join(work, filepath.Base(folder)+".json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return s, err
	}
	c := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", s.program, "./"+folder)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return s, fmt.Errorf("%s with its conditions under switches: %w", folder, err)
	}
	green, said, err := s.without("", "")
	if err == nil && !green {
		err = fmt.Errorf("%s fails with all conditions:\n%s", folder, said)
	}
	return s, err
}

// without runs the tests of a name without a part, all of them of no name. green says that none fails.
func (s suite) without(name, part string) (green bool, said string, err error) {
	pattern := "^" + test + "$"
	if name != "" {
		pattern += "/^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	}
	c := exec.Command(s.program, "-test.run", pattern, "-test.v")
	c.Dir, c.Env = s.folder, append(os.Environ(), refusals.LiftedEnv+"="+part)
	out, err := c.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return false, string(out), nil
	case err == nil && !strings.Contains(string(out), "--- PASS: "+test):
		return false, "", fmt.Errorf("%s: no test is called %s", s.folder, pattern)
	}
	return err == nil, string(out), err
}
