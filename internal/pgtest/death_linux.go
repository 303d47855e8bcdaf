package pgtest

import "syscall"

// dies makes a server end with the process of the tests, however that ends.
func dies(as *syscall.SysProcAttr) *syscall.SysProcAttr {
	if as == nil {
		as = &syscall.SysProcAttr{}
	}
	as.Pdeathsig = syscall.SIGQUIT
	return as
}
