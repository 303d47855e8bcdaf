//go:build unix

package kernel

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// The last resort against orphans: a shell that waits for its input to end, which happens when this
// program ends in any way, kill -9 included. It then kills the kernel's group, so also what a cell
// started, and removes the temporary folder. A parent-death signal would reach the kernel alone.
const watchdogScript = `read group; cat >/dev/null; kill -s KILL -- "-$group" 2>/dev/null; rm -rf -- "$1"`

// process is the kernel in a process group of its own, with its watchdog.
type process struct {
	cmd      *exec.Cmd
	watchdog *exec.Cmd
	lifeline io.Closer     // closing it lets the watchdog act
	exited   chan struct{} // closed when the kernel has ended
	killed   sync.Once
}

// startProcess starts cmd. folder is what the watchdog removes.
func startProcess(cmd *exec.Cmd, folder string) (*process, error) {
	watchdog := exec.Command("/bin/sh", "-c", watchdogScript, "sh", folder)
	watchdog.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // out of reach of the terminal's Ctrl-C
	watchdog.Dir = os.TempDir()
	lifeline, err := watchdog.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := watchdog.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, watchdog: watchdog, lifeline: lifeline, exited: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		p.dismiss()
		return nil, err
	}
	fmt.Fprintln(lifeline, cmd.Process.Pid)
	go func() {
		_ = cmd.Wait() // how it ended is in the log; that it ended is all that counts here
		close(p.exited)
	}()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// interrupt sends SIGINT to the whole group, as Jupyter does: GoNB stays and ends the cell.
func (p *process) interrupt() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT)
}

// kill ends the kernel and everything in its group, waits for the kernel, and sends the watchdog home.
func (p *process) kill() {
	p.killed.Do(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.exited
		p.dismiss()
	})
}

func (p *process) dismiss() {
	_ = p.watchdog.Process.Kill()
	_ = p.watchdog.Wait()
	_ = p.lifeline.Close()
}
