package fresh

import "syscall"

const adviseHugepage = 14 // MADV_HUGEPAGE

// advise asks for the large pages that lie in the memory as a whole, or with those around it, as they are written for the first time. What the system does
// not heed stays as it is.
//
// The advice outlives the table: what the collector frees and hands out again is in large pages too, and the system may make a large page anew of
// one that the runtime gave back in part. Nothing takes an advice back but its opposite, which would forbid large pages where the system gives them to
// all. So a process may hold up to a large page for each piece of one that lives, within what its tables held once and no more.
func advise(from, bytes uintptr, around bool) {
	first, end := (from+largePage-1)&^(largePage-1), (from+bytes)&^(largePage-1)
	if around {
		first, end = from&^(largePage-1), (from+bytes+largePage-1)&^(largePage-1)
	}
	if first < end {
		syscall.Syscall(syscall.SYS_MADVISE, first, end-first, adviseHugepage)
	}
}
