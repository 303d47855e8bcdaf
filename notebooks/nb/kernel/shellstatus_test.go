package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestShellLines(t *testing.T) {
	for _, tc := range []struct {
		name, source string
		want         []int
	}{
		{"none", "%%\nfmt.Println(1)", nil},
		{"first column only", " !a\n!b\n!*c\nx := !y", []int{2, 3}},
		{"empty", "!\n! \n!a", []int{3}},
		{"joined", "!a \\\n!b\n!c", []int{1, 3}},
		{"joined command", "%args \\\n!b\n!c", []int{3}},
		{"prefixed", "//gonb:!a\n//gonb:%%\n//!b", []int{1}},
		{"bash", "%%bash\n!a", []int{1}},
		{"sh", "//gonb:%%sh\n!a", []int{1}},
		{"script", "%%script python3 -u\n!a", []int{1}},
		{"writefile", "%%writefile x\n!a", nil},
		{"at the end of a backslash", "!a\\", []int{1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := shellLines(tc.source); fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestShellFailure(t *testing.T) {
	const source, message = "!a\n!b\n%%", "exit status 1\n"
	for _, tc := range []struct {
		name, source, exit string
		status             []int
		reason             string
		line               int
	}{
		{"all well", source, "", []int{0, 0}, "", 0},
		{"second failed", source, message, []int{0, 1}, "exit status 1", 2},
		{"status without a message", source, "", []int{7, 0}, "exit status 7", 1},
		{"message was text", source, message, []int{0, 0}, "", 0},
		{"one shell was replaced", source, message, []int{0, -1}, "exit status 1", 2},
		{"both were replaced", source, message, []int{-1, -1}, "exit status 1", 0},
		{"no reports", source, "signal: killed\n", nil, "signal: killed", 0},
		{"no reports, one shell", "%%sh\nx", "^C\nexit status 3\n", nil, "exit status 3", 1},
		{"one report is missing", source, message, []int{0}, "exit status 1", 0},
		{"no shell in the cell", "%%", message, nil, "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reason, line := shellFailure(tc.source, tc.exit, tc.status)
			if reason != tc.reason || line != tc.line {
				t.Errorf("got %q at %d, want %q at %d", reason, line, tc.reason, tc.line)
			}
		})
	}
}

// The folder holds what a shell could stumble over, but no $: bash itself expands $BASH_ENV.
func TestShellStatusScript(t *testing.T) {
	dir := t.TempDir() + `/it's "a" folder`
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	user := dir + "/user.sh"
	if err := os.WriteFile(user, []byte("FROM_USER=yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := newShellStatus(dir, user)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.setKernel(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"true", "exit 3", "bash -c 'exit 4'; (exit 5); exit 6", "exec true", `test "$FROM_USER" = yes`} {
		cmd := exec.Command("/bin/bash", "-c", script)
		cmd.Env = append(os.Environ(), "BASH_ENV="+s.script())
		out, err := cmd.CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed || len(out) > 0 {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
	}
	if got, want := fmt.Sprint(s.take()), "[0 3 6 -1 0]"; got != want {
		t.Errorf("statuses %s, want %s", got, want)
	}
	if got := s.take(); got != nil {
		t.Errorf("statuses %v are reported twice", got)
	}
}
