package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	return tryExercises(ctx, files, solutions, *given, stdout, stderr)
}

// tryExercises tests the exercises of notebooks, as given or both ways.
func tryExercises(ctx context.Context, files []string, solutions string, given bool, stdout, stderr io.Writer) (worst int) {
	var list []*trial
	for _, file := range files {
		before := &trial{file: file}
		if !given {
			after := &trial{file: file, change: solve(cmp.Or(solutions, filepath.Join(filepath.Dir(file), "solutions", filepath.Base(file))))}
			before.change = func(*nb.Notebook) error { return after.err } // nothing to compare with
			list = append(list, after)
		}
		list = append(list, before)
	}
	var after *trial
	testTrials(ctx, list, export.TestOptions{Run: exerciseTests, Env: []string{strict}}, func(t *trial) {
		if !given && after == nil {
			after = t
			return
		}
		fmt.Fprintln(stdout, t.file)
		if !given {
			worst = max(worst, bothWays(after, t, stdout, stderr))
			after = nil
			return
		}
		code := exercisesOutcome(t, stderr)
		if code == exitOK {
			code = printExercises(stdout, t.report)
		}
		worst = max(worst, code)
	})
	if ctx.Err() != nil {
		if after != nil && after.err != nil {
			complain(stderr, after.file, after.err)
		}
		worst = max(worst, exitCell)
	}
	return worst
}

// solve puts the solutions of another notebook in.
func solve(from string) func(*nb.Notebook) error {
	return func(n *nb.Notebook) error {
		solved, err := nb.ReadFile(from)
		if err == nil {
			_, err = export.Solve(n, solved)
		}
		return err
	}
}

// bothWays compares how the exercises of a notebook go as solved and as given.
func bothWays(after, before *trial, stdout, stderr io.Writer) (code int) {
	for _, t := range []*trial{after, before} {
		if code := exercisesOutcome(t, stderr); code != exitOK {
			return code
		}
	}
	passes := map[string]bool{}
	for _, t := range after.report.Tests {
		if passes[t.Name] = t.Status == "pass"; !passes[t.Name] {
			fmt.Fprintf(stderr, "nb: %s: %s: the solution does not pass: %s\n", after.file, t.Name, indent(t.Output))
			code = exitCell
		}
	}
	for _, t := range before.report.Tests {
		switch {
		case t.Status != "fail":
			fmt.Fprintf(stderr, "nb: %s: %s: passes as it is given, want an exercise\n", before.file, t.Name)
			code = exitCell
		case passes[t.Name]:
			fmt.Fprintf(stdout, "  ok      %s fails as given and passes as solved\n", t.Name)
		}
	}
	return code
}

// exercisesOutcome says why the exercises of a notebook could not be tested; that one fails is no reason.
func exercisesOutcome(t *trial, stderr io.Writer) int {
	switch {
	case errors.Is(t.err, export.ErrExercise):
		complain(stderr, t.file, t.err)
		return exitUsage
	case t.p == nil:
		return exportFailure(stderr, t.file, t.err)
	case t.err != nil:
		complain(stderr, t.file, t.err)
		if errors.Is(t.err, export.ErrModule) {
			return exitEnvironment
		}
		return exitCell
	case t.report.Build != "":
		fmt.Fprintf(stderr, "nb: %s: %s\n    %s\n", t.file, headlineOf(t.report.Where, "the tests do not build"), indent(t.report.Build))
		return exitCell
	}
	return exitOK
}

// printExercises prints how the exercises stand.
func printExercises(w io.Writer, report *export.TestReport) int {
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
