package gomod

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
)

// File is what "go mod edit -json" prints of a go.mod, as far as modules beside it need to know.
type File struct {
	Module  Version   // Version is empty
	Require []Version // with their versions
	Replace []Replacement
}

// Version is a module's path and version, which may be empty.
type Version struct{ Path, Version string }

// Replacement is a replace line. New has no version where it is a folder.
type Replacement struct{ Old, New Version }

// Parse reads the output of "go mod edit -json". A file that names no module is an error.
func Parse(text []byte) (f File, err error) {
	if err := json.Unmarshal(text, &f); err != nil {
		return f, err
	}
	if f.Module.Path == "" {
		return f, errors.New("go.mod names no module: give it a line `module example.org/name`")
	}
	return f, nil
}

// Names says whether the module is the one of a path, or requires it.
func (f File) Names(path string) bool {
	return f.Module.Path == path || slices.ContainsFunc(f.Require, func(v Version) bool { return v.Path == path })
}

// Edits lists the arguments of "go mod edit" that make of a copy of the file, which stands in the folder root (an absolute path), the
// module nb beside it: it requires the module itself, from its folder, and folders that the file names from where it stands are named
// from anywhere.
func (f File) Edits(root string) []string {
	path := f.Module.Path
	edits := []string{"-module=nb", "-require=" + path + "@" + zero(path), "-replace=" + path + "=" + root}
	for _, r := range f.Replace {
		// What a module replaces itself with is of no use to itself, and would be of harm to others.
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) || r.Old.Path == path {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		edits = append(edits, "-replace="+old+"="+filepath.Join(root, filepath.FromSlash(r.New.Path)))
	}
	return edits
}
