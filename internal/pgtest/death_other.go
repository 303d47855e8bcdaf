//go:build !linux

package pgtest

import "syscall"

func dies(as *syscall.SysProcAttr) *syscall.SysProcAttr { return as }
