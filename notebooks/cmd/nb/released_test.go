package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// releaseProxy makes a module proxy that holds a released version of this project, with the one package
// that exports import, and hands out what the module cache holds of other modules.
func releaseProxy(t *testing.T, version string) (goproxy string) {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, project, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	mod := "module " + project + "\n\ngo 1.26\n\nrequire github.com/janpfeifer/gonb v0.11.4\n"
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	put := func(name, content string) {
		f, err := w.Create(project + "@" + version + "/" + name)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", mod)
	sources, err := filepath.Glob("../../nb/celltest/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	for _, file := range sources {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		put("notebooks/nb/celltest/"+filepath.Base(file), string(data))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"list": version + "\n", version + ".mod": mod, version + ".zip": archive.String(),
		version + ".info": `{"Version":"` + version + `","Time":"2025-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + dir + ",file://" + filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
}

// TestExportReleased: with -module an export inside the project's own tree builds against a released
// version all the same, passes vet and its tests, and names no folder.
func TestExportReleased(t *testing.T) {
	const version = "v0.0.1"
	dir, err := os.MkdirTemp("testdata", "released-") // inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("GOPROXY", releaseProxy(t, version))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOWORK", "off")
	var out strings.Builder
	args := []string{"export", "-module", project + "@" + version, "-o", filepath.Join(dir, "tests"), fixtures + "tests.ipynb"}
	if code := command(t.Context(), args, &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, &out)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "tests", "go.mod"))
	if err != nil || !strings.Contains(string(mod), project+" "+version) || strings.Contains(string(mod), "replace") {
		t.Errorf("go.mod is (%v)\n%s", err, mod)
	}
	for _, verb := range []string{"vet", "test"} {
		cmd := exec.Command("go", verb, "./...")
		cmd.Dir = filepath.Join(dir, "tests")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", verb, err, out)
		}
	}
	for _, bad := range []string{"example.com/x", "@v1.0.0", "x@"} {
		out.Reset()
		if code := command(t.Context(), []string{"export", "-module", bad, fixtures + "tests.ipynb"}, &out, &out); code != exitUsage || !strings.Contains(out.String(), "want path@version") {
			t.Errorf("%s: exit %d: %s", bad, code, &out)
		}
	}
	out.Reset()
	args[2] = project + "@v9.9.9"
	if code := command(t.Context(), args, &out, &out); code != exitEnvironment || !strings.Contains(out.String(), "v9.9.9") {
		t.Errorf("a version that is not there: exit %d: %s", code, &out)
	}
}
