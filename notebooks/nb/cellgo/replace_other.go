//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

// replace runs the program and ends with its status; it returns where the program does not start.
func replace(program string, args, env []string) error {
	cmd := exec.Command(program, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, env
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}
