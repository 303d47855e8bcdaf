//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// replace makes this process the program; it returns where that fails.
func replace(args, env []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, args, env)
}

// apart keeps a program out of the kernel's group, which front ends kill as a whole: it has to tidy up.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
