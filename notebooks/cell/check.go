package cell

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// Check does nothing where err is nil. Else it prints the error to standard error, then the lines of the cells that led there, and
// ends the program with status 1; deferred calls do not run. In a Go test it panics with the error, so that the test fails and
// others go on.
func Check(err error) {
	if err != nil {
		end(err)
	}
}

// Must is [Check] for a call that returns a value: it returns the value.
func Must[T any](v T, err error) T {
	if err != nil {
		end(err)
	}
	return v
}

// end is called by Check and Must alone, which the trace leaves out.
func end(err error) {
	if flag.Lookup("test.v") != nil {
		panic(err)
	}
	calls := make([]uintptr, 64)
	calls = calls[:runtime.Callers(3, calls)]
	say(os.Stderr, err, runtime.CallersFrames(calls))
	os.Exit(1)
}

// say prints an error and the lines of the program itself, the innermost first. GoNB writes cell and line in front of a path of its
// program and a number.
func say(w io.Writer, err error, frames *runtime.Frames) {
	var b strings.Builder
	fmt.Fprintln(&b, err)
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			fmt.Fprintf(&b, "at %s:%d\n", f.File, f.Line)
		}
		if !more {
			break
		}
	}
	_, _ = io.WriteString(w, b.String()) // at once: GoNB looks for paths in each piece that it reads
}
