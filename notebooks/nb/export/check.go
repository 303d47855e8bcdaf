package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
)

// ErrStale is wrapped by the error about a cell whose stored output is not what it gives now.
var ErrStale = errors.New("the stored output is stale")

// ErrNoOutputs is wrapped where a notebook stores nothing to compare with.
var ErrNoOutputs = errors.New("the notebook holds no outputs")

// CheckReport says what a check did.
type CheckReport struct{ Compared, Ignored int }

// Check runs a notebook on the kernel, in a copy of its folder, and compares each cell with the stored
// output as the cell's directives ask. Ledgers replay the releases that were made and refuse any other, so that
// nothing is spent or drawn; where there is none, one is made and thrown away. The copy
// stands beside the folder, within its module, and is removed. The error joins what differs (ErrStale)
// and cells that fail.
func Check(ctx context.Context, file string, o nb.RunOptions) (CheckReport, error) {
	var report CheckReport
	stored, err := nb.ReadFile(file)
	if err != nil {
		return report, err
	}
	if newGoldens(stored) == (goldens{}) {
		return report, fmt.Errorf("nb: %w: run it first", ErrNoOutputs)
	}
	fresh, err := nb.ReadFile(file)
	if err != nil {
		return report, err
	}
	list := codeCells(stored)
	for i, c := range codeCells(fresh) {
		prepare(readCell(i+1, c.Source, &problems{}), c)
	}
	since := time.Now().UTC().Format(time.RFC3339Nano)
	dir, err := copyBeside(ctx, filepath.Dir(file))
	if err != nil {
		return report, err
	}
	defer os.RemoveAll(dir)
	state, err := os.MkdirTemp("", "nb-check-")
	if err != nil {
		return report, err
	}
	defer os.RemoveAll(state)
	o.Dir = dir
	o.Env = append(o.Env, "XDG_STATE_HOME="+state, celltest.EnvTrial+"="+since)
	_, runErr := nb.Run(ctx, fresh, o)
	if errors.Is(runErr, nb.ErrKernel) || ctx.Err() != nil {
		return report, runErr
	}
	failures := []error{runErr}
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
			failures = append(failures, fmt.Errorf("nb: cell %d: %w: %w", i+1, ErrStale, err))
		}
	}
	return report, errors.Join(failures...)
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

// copyBeside copies a notebook's folder to a place within the same module, at the same depth if it can
// be, so that ../ leads where it did.
func copyBeside(ctx context.Context, dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	root, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	parent := filepath.Dir(dir)
	if strings.TrimSpace(root) == filepath.Join(dir, "go.mod") {
		parent = dir
	}
	sweepCopies(parent)
	to, err := os.MkdirTemp(parent, ".nb-check-")
	if err != nil {
		return "", fmt.Errorf("nb: cannot copy the notebook's folder: %w", err)
	}
	if err := celltest.CopyFolder(to, dir, to); err != nil {
		os.RemoveAll(to)
		return "", fmt.Errorf("nb: cannot copy the notebook's folder: %w", err)
	}
	return to, nil
}

// sweepCopies removes what checks that were killed left behind a day ago or more: copies of the user's data.
func sweepCopies(parent string) {
	old, err := filepath.Glob(filepath.Join(parent, ".nb-check-*"))
	if err != nil {
		return
	}
	for _, dir := range old {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir)
		}
	}
}
