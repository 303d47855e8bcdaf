package refusals

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LiftedEnv names the part that a program of lifted sources leaves out.
const LiftedEnv = "DP_LIFTED"

// Lifted are the files under a folder that declare, with all conditions under switches, and for each of their packages a file with
// the switches: texts by path. A program that is built of them, by go build -overlay, is as before, without the part that LiftedEnv
// names.
func Lifted(folder string, all []Declaration) (map[string][]byte, error) {
	out := map[string][]byte{}
	byFile := map[string][]edit{}
	for _, d := range all {
		byFile[d.File] = append(byFile[d.File], d.edits...)
	}
	for file, edits := range byFile {
		path := filepath.Join(folder, filepath.FromSlash(file))
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
		text := string(source)
		for _, e := range edits {
			text = text[:e.from] + fmt.Sprintf(e.form, e.part, text[e.from:e.to]) + text[e.to:]
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s with its conditions under switches: %w", file, err)
		}
		out[path] = []byte(text)
		out[filepath.Join(filepath.Dir(path), "dp_lifted.go")] = switches(tree.Name)
	}
	return out, nil
}

// switches are the file that lifts in one package.
func switches(name *ast.Ident) []byte {
	return []byte(strings.ReplaceAll(`package NAME

import "os"

var dpLiftedName = os.Getenv("`+LiftedEnv+`")

func dpLifted(part string) bool { return part == dpLiftedName }

func dpLift[T any](part string, lifted, real T) T {
	if dpLifted(part) {
		return lifted
	}
	return real
}
`, "NAME", name.Name))
}
