package gomod

import "regexp"

// majorVersion ends the paths of modules at version 2 and above; those of gopkg.in end so at any. A test compares it with
// golang.org/x/mod, which this package cannot import.
var majorVersion = regexp.MustCompile(`^gopkg\.in/.+\.v(0|[1-9][0-9]*)(?:-unstable)?$|/v([2-9]|[1-9][0-9]+)$`)

// zero is a version that a module of this path may have. A folder replaces the module, so that it does not matter which.
func zero(path string) string {
	if m := majorVersion.FindStringSubmatch(path); m != nil {
		return "v" + m[1] + m[2] + ".0.0"
	}
	return "v0.0.0"
}
