package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// readsInput names the thread of a process below the kernel that waits for its standard input, "" where none does: the pipe to which
// the kernel alone could write, and never will. The system tells each thread's call (proc(5), /proc/pid/syscall), where it tells at all.
func readsInput(kernel int) (thread string) {
	todo := children(kernel)
	if len(todo) == 0 {
		return ""
	}
	writes := pipesOf(kernel)
	if len(writes) == 0 {
		return ""
	}
	call := fmt.Sprintf("%d 0x0 ", syscall.SYS_READ)
	for len(todo) > 0 {
		process := todo[0]
		todo = append(todo[1:], children(process)...)
		input, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", process))
		if err != nil || !slices.Contains(writes, input) {
			continue
		}
		calls, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", process))
		for _, file := range calls {
			if data, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(data), call) {
				return file
			}
		}
	}
	return ""
}

// pipesOf lists the pipes that a process holds, such as pipe:[4711].
func pipesOf(process int) (list []string) {
	dir := fmt.Sprintf("/proc/%d/fd", process)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(to, "pipe:") {
			list = append(list, to)
		}
	}
	return list
}

// children lists the processes that a process started.
func children(process int) (list []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", process))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(data)) {
			list = append(list, atoi(word))
		}
	}
	return list
}
