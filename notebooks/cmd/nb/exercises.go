package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

const exercisesUsage = `nb exercises [flags] file.ipynb...

Tries the exercises of each notebook, the tests whose names begin with TestExercise: each has to fail as it
is given, and to pass when the cells with the comment //| exercise: name are replaced by those of the same
name in the notebook with the solutions. Without -solutions that one lies in the folder solutions beside
the notebook and has its name. With -given the exercises are tested as they stand in the notebook, for
those who solve them.

`

// exerciseTests matches the tests that are exercises.
const exerciseTests = "^TestExercise"

// strict makes an exercise that is not solved fail; see package tutorials/exercise.
const strict = "NB_EXERCISES=1"

func exercisesCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("exercises", exercisesUsage, stderr)
	var solutions string
	fs.one(&solutions, "solutions", "the notebook with the solutions, a `file`")
	given := fs.Bool("given", false, "test the exercises as they stand, without solutions")
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	if *given && solutions != "" {
		return misuse(stderr, "-given uses no solutions: leave -solutions out")
	}
	worst := exitOK
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintln(stdout, file)
		if *given {
			report, code := testExercises(ctx, file, nil, stderr)
			worst = max(worst, code, printExercises(stdout, report))
			continue
		}
		from := cmp.Or(solutions, filepath.Join(filepath.Dir(file), "solutions", filepath.Base(file)))
		worst = max(worst, bothWays(ctx, file, from, stdout, stderr))
	}
	return worst
}

// bothWays tests the exercises of a notebook as given and as solved.
func bothWays(ctx context.Context, file, solutions string, stdout, stderr io.Writer) int {
	solved, err := nb.ReadFile(solutions)
	if err != nil {
		complain(stderr, file, err)
		return exitUsage
	}
	solve := func(n *nb.Notebook) error {
		_, err := export.Solve(n, solved)
		return err
	}
	after, code := testExercises(ctx, file, solve, stderr)
	if code != exitOK {
		return code
	}
	before, code := testExercises(ctx, file, nil, stderr)
	if code != exitOK {
		return code
	}
	passes := map[string]bool{}
	for _, t := range after.Tests {
		if passes[t.Name] = t.Status == "pass"; !passes[t.Name] {
			fmt.Fprintf(stderr, "nb: %s: %s: the solution does not pass: %s\n", file, t.Name, indent(t.Output))
			code = exitCell
		}
	}
	for _, t := range before.Tests {
		switch {
		case t.Status != "fail":
			fmt.Fprintf(stderr, "nb: %s: %s: passes as it is given, want an exercise\n", file, t.Name)
			code = exitCell
		case passes[t.Name]:
			fmt.Fprintf(stdout, "  ok      %s fails as given and passes as solved\n", t.Name)
		}
	}
	return code
}

// testExercises exports a notebook, changed, and runs the tests of its exercises.
func testExercises(ctx context.Context, file string, change func(*nb.Notebook) error, stderr io.Writer) (*export.TestReport, int) {
	dir, err := os.MkdirTemp("", "nb-exercises-")
	if err != nil {
		fmt.Fprintln(stderr, "nb:", err)
		return nil, exitEnvironment
	}
	defer os.RemoveAll(dir)
	p, err := exportFile(ctx, file, dir, placement{own: true, change: change})
	if errors.Is(err, export.ErrExercise) {
		complain(stderr, file, err)
		return nil, exitUsage
	}
	if err != nil {
		return nil, exportFailure(stderr, file, err)
	}
	report, err := export.Test(ctx, p, dir, export.TestOptions{Run: exerciseTests, Env: []string{strict}})
	switch {
	case errors.Is(err, export.ErrModule):
		complain(stderr, file, err)
		return nil, exitEnvironment
	case err != nil:
		complain(stderr, file, err)
		return nil, exitCell
	case report.Build != "":
		fmt.Fprintf(stderr, "nb: %s: %s\n    %s\n", file, headlineOf(report.Where, "the tests do not build"), indent(report.Build))
		return nil, exitCell
	}
	return report, exitOK
}

// printExercises prints how the exercises stand.
func printExercises(w io.Writer, report *export.TestReport) int {
	if report == nil {
		return exitOK // said already
	}
	for _, t := range report.Tests {
		if t.Status == "pass" {
			fmt.Fprintf(w, "  ok      %s\n", t.Name)
			continue
		}
		fmt.Fprintf(w, "  not yet %s\n    %s\n", t.Name, indent(strings.TrimSpace(t.Output)))
	}
	if report.Failed > 0 {
		return exitCell
	}
	return exitOK
}
