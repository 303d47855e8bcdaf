package fresh

import "syscall"

const (
	largePage      = 2 << 20
	adviseHugepage = 14 // MADV_HUGEPAGE
)

// advise asks for the memory in large pages: as it is written for the first time, and of those that lie in it as a whole. What the system does not heed
// stays as it is.
func advise(from, bytes uintptr) {
	first, end := (from+largePage-1)&^(largePage-1), (from+bytes)&^(largePage-1)
	if first < end {
		syscall.Syscall(syscall.SYS_MADVISE, first, end-first, adviseHugepage)
	}
}
