package main

import (
	"context"
	"maps"
	"slices"

	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

// packageNames are names of packages that notebooks import, by the notebooks' folder and the import path: the go command, which takes its time,
// is asked once for each.
type packageNames struct{ known map[string]map[string]string }

// of is [export.PackageNames] with what is known so far.
func (n *packageNames) of(ctx context.Context, dir string) func([]string) map[string]string {
	ask := export.PackageNames(ctx, dir)
	if n == nil {
		return ask
	}
	return func(paths []string) map[string]string {
		known := n.known[dir]
		more := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { _, ok := known[path]; return ok })
		if known == nil {
			known = map[string]string{}
		}
		if n.known == nil {
			n.known = map[string]map[string]string{}
		}
		n.known[dir] = known
		if len(more) > 0 {
			maps.Copy(known, ask(more))
		}
		names := map[string]string{}
		for _, path := range paths {
			if name, ok := known[path]; ok {
				names[path] = name
			}
		}
		return names
	}
}
