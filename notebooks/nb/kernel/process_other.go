//go:build !unix

package kernel

import (
	"fmt"
	"os/exec"
	"runtime"
)

// process stands in where GoNB does not exist: it needs named pipes.
type process struct{ exited chan struct{} }

func startProcess(*exec.Cmd, string) (*process, error) {
	return nil, fmt.Errorf("GoNB does not run on %s: use Linux, macOS or WSL", runtime.GOOS)
}

func (p *process) pid() int   { return 0 }
func (p *process) interrupt() {}
func (p *process) kill()      {}
