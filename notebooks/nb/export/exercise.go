package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// ErrExercise is wrapped by every error about exercises and their solutions.
var ErrExercise = errors.New("the exercises do not fit their solutions")

// exercise returns the name that the directive //| exercise: name gives to a cell, "" for none.
func exercise(c *nb.Cell) string {
	for line := range strings.SplitSeq(c.Source, "\n") {
		if m := directiveLine.FindStringSubmatch(line); m != nil {
			if key, value, ok := strings.Cut(m[1], ":"); ok && strings.TrimSpace(key) == "exercise" {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// exercises lists the cells that are exercises, by name.
func exercises(n *nb.Notebook, what string) (map[string]*nb.Cell, error) {
	cells := map[string]*nb.Cell{}
	for _, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		name := exercise(c)
		if name == "" {
			continue
		}
		if cells[name] != nil {
			return nil, fmt.Errorf("nb: %w: two cells of the %s have the name %q: give one another name", ErrExercise, what, name)
		}
		cells[name] = c
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("nb: %w: no cell of the %s has the comment //| exercise: name", ErrExercise, what)
	}
	return cells, nil
}

// Solve puts the solutions in the place of the exercises: the cells of both that have the same comment
// //| exercise: name. Every exercise needs a solution, and every solution an exercise; the names come back in order.
// All errors wrap ErrExercise; the notebook is as it was then.
func Solve(n, solutions *nb.Notebook) ([]string, error) {
	given, err := exercises(n, "notebook")
	if err != nil {
		return nil, err
	}
	solved, err := exercises(solutions, "solutions")
	if err != nil {
		return nil, err
	}
	var names, odd []string
	for name := range given {
		names = append(names, name)
		if solved[name] == nil {
			odd = append(odd, fmt.Sprintf("%q has no solution", name))
		}
	}
	for name := range solved {
		if given[name] == nil {
			odd = append(odd, fmt.Sprintf("the solution %q has no exercise", name))
		}
	}
	if len(odd) > 0 {
		slices.Sort(odd)
		return nil, fmt.Errorf("nb: %w: %s", ErrExercise, strings.Join(odd, "; "))
	}
	slices.Sort(names)
	for name, c := range given {
		c.Source = solved[name].Source
	}
	return names, nil
}
