package fresh

import "syscall"

const adviseHugepage = 14 // MADV_HUGEPAGE

// advise asks for the large pages that lie in the memory as a whole, or with those around it, as they are written for the first time. What the system does
// not heed stays as it is.
func advise(from, bytes uintptr, around bool) {
	first, end := (from+largePage-1)&^(largePage-1), (from+bytes)&^(largePage-1)
	if around {
		first, end = from&^(largePage-1), (from+bytes+largePage-1)&^(largePage-1)
	}
	if first < end {
		syscall.Syscall(syscall.SYS_MADVISE, first, end-first, adviseHugepage)
	}
}
