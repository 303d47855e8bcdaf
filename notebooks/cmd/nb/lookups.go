package main

import (
	"context"

	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

// packageNames are names of packages that notebooks import: the go command, which takes its time, is asked once for each.
type packageNames map[importIn]string

// importIn is an import path as a folder's notebooks have it.
type importIn struct{ dir, path string }

// of is [export.PackageNames], which is not asked for what is known.
func (n packageNames) of(ctx context.Context, dir string) func([]string) map[string]string {
	ask := export.PackageNames(ctx, dir)
	if n == nil {
		return ask
	}
	return func(paths []string) map[string]string {
		names := map[string]string{}
		var more []string
		for _, path := range paths {
			if name, ok := n[importIn{dir, path}]; ok {
				names[path] = name
			} else {
				more = append(more, path)
			}
		}
		if len(more) > 0 {
			for path, name := range ask(more) {
				n[importIn{dir, path}], names[path] = name, name
			}
		}
		return names
	}
}
