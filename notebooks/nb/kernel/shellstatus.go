package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// GoNB answers "ok" for a cell whose shell line failed. What it does say is a message of its own on
// stderr, after all output of the command: "exit status 1\n" or "signal: killed\n" (jpyexec.Exec).
// A command can print the same text and succeed (`go run` does, in `go run . || true`), so the shells
// also report their exit status themselves: bash reads $BASH_ENV before the command, and the script
// there sets a trap. A command that replaces the shell or the trap leaves no status; then GoNB's
// message decides.

var (
	exitMessage    = regexp.MustCompile(`^(\^C\n)?(exit status \d+|signal: [^\n]+)\n$`)
	unknownMessage = regexp.MustCompile(`^"(%\S*)" unknown or not implemented yet\.$`)
)

// shellStatus is where the shells of a kernel report.
type shellStatus struct{ dir string }

// newShellStatus writes the script for $BASH_ENV into dir. userEnv is the user's own $BASH_ENV.
func newShellStatus(dir, userEnv string) (*shellStatus, error) {
	s := &shellStatus{dir: dir}
	// Only shells that the kernel itself starts report; those below them see the user's setting.
	log := quote(s.file("shell.log"))
	script := fmt.Sprintf("if [ \"$PPID\" = \"$(<%s)\" ]; then\n  echo start >>%s\n  trap %s EXIT\nfi\n",
		quote(s.file("kernel.pid")), log, quote(`echo "end $?" >>`+log))
	if userEnv == "" {
		script += "unset BASH_ENV\n"
	} else {
		script += fmt.Sprintf("export BASH_ENV=%s\n. %s\n", quote(userEnv), quote(userEnv))
	}
	return s, os.WriteFile(s.script(), []byte(script), 0o600)
}

func (s *shellStatus) script() string { return s.file("bash_env.sh") }

func (s *shellStatus) file(name string) string { return filepath.Join(s.dir, name) }

func (s *shellStatus) setKernel(pid int) error {
	return os.WriteFile(s.file("kernel.pid"), []byte(strconv.Itoa(pid)), 0o600)
}

// take returns the statuses since the last call: one entry for each shell that started, -1 where it
// did not say how it ended.
func (s *shellStatus) take() []int {
	data, err := os.ReadFile(s.file("shell.log"))
	if err != nil {
		return nil
	}
	_ = os.Remove(s.file("shell.log"))
	var status []int
	for line := range strings.Lines(string(data)) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "end "); ok && len(status) > 0 {
			if n, err := strconv.Atoi(code); err == nil {
				status[len(status)-1] = n
			}
		} else {
			status = append(status, -1)
		}
	}
	return status
}

// shellFailure decides whether a shell of the cell failed, given GoNB's last exit message in the cell
// ("" where there was none) and the statuses that the shells reported. line is 1-based, 0 if unknown.
func shellFailure(source, exit string, status []int) (reason string, line int) {
	shells := shellLines(source)
	for i, code := range status {
		if code > 0 && i < len(shells) {
			return fmt.Sprintf("exit status %d", code), shells[i]
		}
	}
	if exit == "" || len(shells) == 0 {
		return "", 0
	}
	allZero := len(status) == len(shells)
	unknown, place := 0, 0
	for i, code := range status {
		if code != 0 {
			allZero = false
			unknown++
			if i < len(shells) {
				place = shells[i]
			}
		}
	}
	if allZero {
		return "", 0 // every shell says 0: the message was text of a command
	}
	if len(shells) == 1 {
		place = shells[0]
	} else if unknown != 1 {
		place = 0
	}
	return strings.TrimSpace(strings.TrimPrefix(exit, "^C\n")), place
}

// shellLines returns the 1-based lines of the cell that start a shell.
func shellLines(source string) (found []int) {
	c, ok := nb.ParseGoCell(source)
	if !ok {
		if first, _, _ := strings.Cut(source, "\n"); !strings.Contains(first, "%%writefile") && !strings.Contains(first, "%%gx") {
			return []int{1}
		}
		return nil
	}
	for _, cmd := range c.Commands {
		if cmd.Text[0] == '!' && strings.TrimLeft(cmd.Text[1:], " \t") != "" {
			found = append(found, 1+strings.Count(source[:cmd.From], "\n"))
		}
	}
	return found
}

// quote makes one word of s for a shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
