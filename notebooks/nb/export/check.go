package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// ErrStale is wrapped by the error about a cell whose stored output is not what it gives now.
var ErrStale = errors.New("the stored output is stale")

// ErrNoOutputs is wrapped where a notebook stores nothing to compare with.
var ErrNoOutputs = errors.New("the notebook holds no outputs")

// CheckReport says what a check did.
type CheckReport struct {
	Compared, Ignored int
	Left              []string // files of the notebook's folder that the disk could not hold a copy of
	Twice             bool     // the cells ran twice, and so did what they do beside printing
}

// Check runs a notebook on the kernel, in a copy of its folder, and compares each cell with the stored
// output as the cell's directives ask. Ledgers replay the releases that were made and refuse any other, so that
// nothing is spent or drawn; one that is gone is missed as by a run. Where there never was one, one is made and thrown away, and what
// the cells print then is compared and not told. The copy stands beside the folder, within its module, and is removed. The error
// joins what differs (ErrStale) and cells that fail.
//
// Cells are built together where that cannot show; what does not go as stored then runs again, each cell built by itself, and that
// is what is told. The report says so, as what cells do elsewhere, on a server or in a folder that they name, is done twice then.
func Check(ctx context.Context, file string, o kernel.Options) (CheckReport, error) {
	programs, remove, err := celltest.Scratch(os.TempDir(), "nb-programs-")
	if err != nil {
		return CheckReport{}, err
	}
	o.Bundle = programs
	report, bundled, err := check(ctx, file, o)
	if remove(); err != nil && bundled && ctx.Err() == nil {
		o.Bundle = ""
		report, _, err = check(ctx, file, o)
		report.Twice = true
	}
	return report, err
}

func check(ctx context.Context, file string, o kernel.Options) (report CheckReport, bundled bool, err error) {
	stored, err := nb.ReadFile(file)
	if err != nil {
		return report, bundled, err
	}
	if newGoldens(stored) == (goldens{}) {
		return report, bundled, fmt.Errorf("nb: %w: run it first", ErrNoOutputs)
	}
	fresh, err := nb.ReadFile(file)
	if err != nil {
		return report, bundled, err
	}
	list := codeCells(stored)
	for i, c := range codeCells(fresh) {
		prepare(readCell(i+1, c.Source, &problems{}), c)
	}
	since := time.Now().UTC().Format(time.RFC3339Nano)
	dir, remove, err := scratchBeside(ctx, filepath.Dir(file))
	if err != nil {
		return report, bundled, err
	}
	defer remove()
	from, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return report, bundled, err
	}
	if report.Left, err = celltest.CopyFolder(dir, from, dir); err != nil {
		return report, bundled, fmt.Errorf("nb: cannot copy the notebook's folder: %w", err)
	}
	state, removeState, err := celltest.Scratch(os.TempDir(), "nb-check-")
	if err != nil {
		return report, bundled, err
	}
	defer removeState()
	if from, err = filepath.Abs(from); err != nil {
		return report, bundled, err
	}
	o.Dir = dir
	o.Env = append(slices.Clone(o.Env),
		celltest.EnvState+"="+os.Getenv("XDG_STATE_HOME"), celltest.EnvFolder+"="+from+"\n"+dir+"\n"+dir,
		"XDG_STATE_HOME="+state, celltest.EnvTrial+"="+since)
	run, runErr := kernel.Run(ctx, fresh, o)
	bundled = run.Bundled
	if errors.Is(runErr, kernel.ErrUnavailable) || ctx.Err() != nil {
		return report, bundled, withheld(runErr, state)
	}
	failures := []error{withheld(runErr, state)}
	want, got := newGoldens(stored), newGoldens(fresh)
	for i, c := range codeCells(fresh) {
		cell := readCell(i+1, c.Source, &problems{})
		a, b := want.of(cell, list[i]), got.of(cell, c)
		if a == nil || b == nil || cell.output == "ignore" || cell.isTest || cell.skip {
			report.Ignored++
			continue
		}
		report.Compared++
		spec := celltest.Cell{Output: cell.output, Text: cell.wanted, Tolerance: cell.tolerance, Displays: a.displays}
		if err := celltest.Compare(spec, b.text, a.text, b.displays); err != nil {
			if celltest.Drew(state) {
				err = errors.New("what it prints " + celltest.Withheld)
			}
			failures = append(failures, fmt.Errorf("nb: cell %d: %w: %w", i+1, ErrStale, err))
		}
	}
	return report, bundled, errors.Join(failures...)
}

// codeCells lists the cells that have a number.
func codeCells(n *nb.Notebook) (list []*nb.Cell) {
	for _, c := range n.Cells {
		if c.Type == "code" && strings.TrimSpace(c.Source) != "" {
			list = append(list, c)
		}
	}
	return list
}

// prepare says by tags what a cell's directives say, as a run knows no directives.
func prepare(c *cell, stored *nb.Cell) {
	var tags []string
	_ = json.Unmarshal(stored.Metadata["tags"], &tags)
	if c.noEval {
		tags = append(tags, "skip-execution")
	}
	if c.exit != 0 {
		tags = append(tags, "raises-exception")
	}
	if raw, err := json.Marshal(tags); err == nil && len(tags) > 0 {
		if stored.Metadata == nil {
			stored.Metadata = map[string]json.RawMessage{}
		}
		stored.Metadata["tags"] = raw
	}
}

// withheld is the error of a run without what its cells said, where they drew.
func withheld(err error, state string) error {
	if err == nil || !celltest.Drew(state) {
		return err
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, e := range all.Unwrap() {
			list = append(list, withheld(e, state))
		}
		return errors.Join(list...)
	}
	var cell *kernel.CellError
	if !errors.As(err, &cell) || cell.Compiler {
		return err
	}
	said := *cell
	if said.Detail = ""; errors.Is(cell, kernel.ErrCell) {
		said.Reason = "it fails, and what it says " + celltest.Withheld
	}
	return &said
}

// scratchBeside makes a folder for a copy of a notebook's within the same module, at the same depth if it can be, so that ../ leads
// where it did.
func scratchBeside(ctx context.Context, dir string) (to string, remove func(), err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	root, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return "", nil, err
	}
	parent := filepath.Dir(dir)
	if strings.TrimSpace(root) == filepath.Join(dir, "go.mod") {
		parent = dir
	}
	to, remove, err = celltest.Scratch(parent, ".nb-check-")
	if err != nil {
		return "", nil, fmt.Errorf("nb: cannot copy the notebook's folder: %w", err)
	}
	if to, err = filepath.EvalSymlinks(to); err != nil {
		remove()
	}
	return to, remove, err
}
