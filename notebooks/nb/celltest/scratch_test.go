package celltest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childEnv names the folder in which a re-executed test binary makes a scratch folder, and waits.
const childEnv = "NB_TEST_SCRATCH"

func TestMain(m *testing.M) {
	if parent := os.Getenv(childEnv); parent != "" {
		dir, _, err := Scratch(parent, "nb-x-")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "rows.csv"), nil, 0o600)
		}
		fmt.Println(dir, err)
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// TestScratch: a folder goes when its process removes it, or else when another one begins after that process has ended, however
// old it is; those of running processes and other folders stay.
func TestScratch(t *testing.T) {
	parent := t.TempDir()
	if held, err := holdOne(t); err != nil || !held {
		t.Skip("no file locks here", err)
	}
	for _, name := range []string{"other", "nb-x-without-a-lock"} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+parent)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill() }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	dir, ok := strings.CutSuffix(line, " <nil>\n")
	if err != nil || !ok {
		t.Fatalf("the child said %q (%v)", line, err)
	}
	ago := time.Now().Add(-100 * time.Hour)
	if err := os.Chtimes(dir, ago, ago); err != nil {
		t.Fatal(err)
	}
	own, remove, err := Scratch(parent, "nb-x-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "rows.csv")); err != nil {
		t.Errorf("the folder of a running process is gone: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	another, removeAnother, err := Scratch(parent, "nb-x-")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"nb-x-without-a-lock", "other", filepath.Base(own), filepath.Base(another)}
	for _, name := range want {
		if _, err := os.Stat(filepath.Join(parent, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
	remove()
	removeAnother()
	if got := names(t, parent); got != "nb-x-without-a-lock other" {
		t.Errorf("left are %s", got)
	}
}

func holdOne(t *testing.T) (bool, error) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return tryLock(f)
}
