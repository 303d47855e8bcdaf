//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is who runs the server: PostgreSQL refuses root.
func account() (as *syscall.SysProcAttr, uid, gid int, err error) {
	if uid = os.Geteuid(); uid != 0 {
		return nil, uid, os.Getegid(), nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.Atoi(u.Uid)
		gid, errG := strconv.Atoi(u.Gid)
		if errU == nil && errG == nil {
			return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, uid, gid, nil
		}
	}
	return nil, 0, 0, errors.New("neither postgres nor nobody is an account here")
}
