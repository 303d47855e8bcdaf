//go:build unix

package main

import "syscall"

// replace makes this process the program; it returns where that fails.
func replace(program string, args, env []string) error { return syscall.Exec(program, args, env) }
