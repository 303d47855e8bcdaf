package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

// trial is a notebook whose export is tested, with a change that is made to it first.
type trial struct {
	file   string
	change func(*nb.Notebook) error // may be nil

	p        *export.Package // nil where it was not exported
	report   *export.TestReport
	err      error
	folder   string // of the module around it, "" where there is none
	notebook *nb.Notebook
}

// testTrials exports and tests notebooks, those of one module that follow each other in one run of go test. It calls ended for each, in
// order, once its tests have ended. It stops where the context ends.
func testTrials(ctx context.Context, list []*trial, o export.TestOptions, ended func(*trial)) {
	names, modules := packageNames{}, map[string]string{}
	for _, t := range list {
		if t.notebook, t.p, t.err = exported(ctx, t.file, "", placement{own: true, change: t.change, names: names}); t.err != nil {
			continue
		}
		dir, known := filepath.Dir(t.file), false
		if t.folder, known = modules[dir]; known {
			continue
		}
		if t.folder, t.err = export.ModuleAround(ctx, dir); t.err != nil {
			t.p = nil
			continue
		}
		modules[dir] = t.folder
	}
	for len(list) > 0 && ctx.Err() == nil {
		var group []*trial
		n := 0
		for ; n < len(list); n++ {
			t := list[n]
			if t.p == nil {
				continue
			}
			if len(group) > 0 && !t.shares(group[0]) {
				break
			}
			group = append(group, t)
		}
		testGroup(ctx, group, o, list[:n], ended)
		list = list[n:]
	}
}

// shares reports whether two notebooks' exports build in one module: what notebooks outside of modules import is fetched for each.
func (t *trial) shares(o *trial) bool {
	return t.folder == o.folder && (t.folder != "" || t.file == o.file)
}

// testGroup tests a group, which is part of list, and tells of all in that.
func testGroup(ctx context.Context, group []*trial, o export.TestOptions, list []*trial, ended func(*trial)) {
	// told tells of those in list up to t, and of all where that is nil.
	told := func(t *trial) {
		for len(list) > 0 {
			first := list[0]
			list = list[1:]
			ended(first)
			if first == t {
				return
			}
		}
	}
	defer func() { told(nil) }()
	if len(group) == 0 {
		return
	}
	fail := func(err error) {
		for _, t := range group {
			t.p, t.err = nil, err
		}
	}
	dir, err := os.MkdirTemp("", "nb-test-")
	if err != nil {
		fail(fmt.Errorf("nb: %w: %w", export.ErrModule, err))
		return
	}
	defer os.RemoveAll(dir)
	together := export.InOne(dir)
	for _, t := range group {
		if err := together.Add(t.p); err != nil {
			fail(err)
			return
		}
	}
	if err := export.WriteModule(ctx, group[0].notebook, dir, filepath.Dir(group[0].file)); err != nil {
		if len(group) == 1 || ctx.Err() != nil {
			fail(err)
			return
		}
		for _, t := range group { // what one imports may be nowhere, which is no failure of the others
			n := slices.Index(list, t) + 1
			if testGroup(ctx, []*trial{t}, o, list[:n], ended); ctx.Err() != nil {
				n = len(list) // they were not tested
			}
			list = list[n:]
		}
		return
	}
	err = together.Test(ctx, o, func(i int, report *export.TestReport, err error) {
		group[i].report, group[i].err = report, err
		told(group[i])
	})
	switch {
	case err != nil:
		fail(err)
	case ctx.Err() != nil:
		list = nil // they were not tested
	}
}
