package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

func TestExercisesCommand(t *testing.T) {
	t.Parallel()
	const (
		tests = "import \"testing\"\n\nfunc TestExerciseA(t *testing.T) {\n\tif a() != 1 {\n\t\tt.Error(\"a is wrong\")\n\t}\n}\n\nfunc TestOther(t *testing.T) { t.Error(\"not run\") }"
		given = "//| exercise: a\n\nfunc a() int { return 0 }"
		right = "//| exercise: a\n\nfunc a() int { return 1 }"
		wrong = "//| exercise: a\n\nfunc a() int { return 2 }"
	)
	write := func(file string, cells ...string) string {
		n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
		for _, c := range cells {
			n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: c})
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := n.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, tc := range []struct {
		name             string
		notebook, solved []string
		flags            []string
		code             int
		stdout, stderr   string
	}{
		{"fails and passes", []string{given, tests}, []string{right}, nil, exitOK, "ok      TestExerciseA fails as given and passes as solved", ""},
		{"wrong solution", []string{given, tests}, []string{wrong}, nil, exitCell, "", "TestExerciseA: the solution does not pass: cell 2 line 5: a is wrong"},
		{"solved already", []string{right, tests}, []string{right}, nil, exitCell, "", "TestExerciseA: passes as it is given"},
		{"solution of another name", []string{given, tests}, []string{"//| exercise: b"}, nil, exitUsage, "", `"a" has no solution`},
		{"no test", []string{given}, []string{right}, nil, exitCell, "", "no test ran"},
		{"no solutions", []string{given, tests}, nil, nil, exitUsage, "", "no such file"},
		{"solution does not build", []string{given, tests}, []string{"//| exercise: a\n\nfunc a() string { return \"\" }"}, nil, exitCell, "", "do not build"},
		{"as given", []string{given, tests}, nil, []string{"-given"}, exitCell, "not yet TestExerciseA", ""},
		{"as given and solved", []string{right, tests}, nil, []string{"-given"}, exitOK, "ok      TestExerciseA", ""},
		{"both flags", []string{given, tests}, nil, []string{"-given", "-solutions", "x.ipynb"}, exitUsage, "", "leave -solutions out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			file := write(filepath.Join(dir, "n.ipynb"), tc.notebook...)
			if tc.solved != nil {
				write(filepath.Join(dir, "solutions", "n.ipynb"), tc.solved...)
			}
			var stdout, stderr bytes.Buffer
			code := command(t.Context(), append(append([]string{"exercises"}, tc.flags...), file), &stdout, &stderr)
			if code != tc.code || !strings.Contains(stdout.String(), tc.stdout) || !strings.Contains(stderr.String(), tc.stderr) || (tc.stderr == "") != (stderr.Len() == 0) {
				t.Errorf("exit %d, want %d, %q and %q in\n%s\n%s", code, tc.code, tc.stdout, tc.stderr, &stdout, &stderr)
			}
		})
	}
}
