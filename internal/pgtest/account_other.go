//go:build !unix

package pgtest

import "syscall"

func account() (as *syscall.SysProcAttr, uid, gid int, err error) { return nil, 0, 0, errNone }
