package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"sync"
)

// runParallel runs the notebooks, f.jobs at a time. What each says comes line by line, with its name.
func runParallel(ctx context.Context, files []string, f runFlags, stdout, stderr io.Writer) int {
	seen := map[string]bool{}
	for _, file := range files {
		if seen[filepath.Clean(file)] {
			return misuse(stderr, "-j: %s is given twice, and two runs of it would write one file", file)
		}
		seen[filepath.Clean(file)] = true
	}
	var lock sync.Mutex // one for both outputs, which may be the same terminal
	errs := &lineWriter{w: stderr, lock: &lock}
	queue := make(chan string)
	codes := make(chan int)
	for range f.jobs {
		go func() {
			worst := exitOK
			for file := range queue {
				out := &lineWriter{w: stdout, lock: &lock, prefix: file + ": "}
				worst = max(worst, runFile(ctx, file, f, out, errs))
			}
			codes <- worst
		}()
	}
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		queue <- file
	}
	close(queue)
	worst := exitOK
	for range f.jobs {
		worst = max(worst, <-codes)
	}
	return worst
}

// lineWriter writes whole lines, each behind a prefix, and shares its writer with others.
type lineWriter struct {
	w      io.Writer
	lock   *sync.Mutex
	prefix string
	rest   []byte // of a line that has not ended
}

func (l *lineWriter) Write(data []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.rest = append(l.rest, data...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	var out []byte
	for line := range bytes.Lines(l.rest[:end]) {
		out = append(append(out, l.prefix...), line...)
	}
	l.rest = append([]byte(nil), l.rest[end:]...)
	if _, err := l.w.Write(out); err != nil {
		return 0, err
	}
	return len(data), nil
}
