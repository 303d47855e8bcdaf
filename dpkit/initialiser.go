package dpkit

import (
	"runtime"
	"strings"
	"sync"
)

// calledFromInitialiser reports whether the stack holds a package initialiser of the program: a
// var initialiser or an init function of package main, as a notebook's cells become.
func calledFromInitialiser() bool {
	pcs := make([]uintptr, 64)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) { // the initialiser is at the far end
		pcs = make([]uintptr, 2*n)
		n = runtime.Callers(2, pcs)
	}
	return initialisers.among(pcs[:n])
}

// initialisers remembers which places in the program lie in package initialisers: the stack of every release is asked about, and finding
// the name of a function takes as long as a small release.
var initialisers places

type places struct {
	mu    sync.RWMutex
	known map[uintptr]bool // by the program counter of a call
}

// among reports whether one of the calls is made in an initialiser.
func (p *places) among(pcs []uintptr) bool {
	p.mu.RLock()
	found, all := false, true
	for _, pc := range pcs {
		is, ok := p.known[pc]
		found, all = found || is, all && ok
	}
	p.mu.RUnlock()
	if found || all {
		return found
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[uintptr]bool{}
	}
	for i, pc := range pcs {
		if _, ok := p.known[pc]; !ok {
			p.known[pc] = inInitialiser(pcs[i : i+1])
		}
		found = found || p.known[pc]
	}
	return found
}

// inInitialiser reports whether a call is made in an initialiser.
func inInitialiser(call []uintptr) bool {
	calls := runtime.CallersFrames(call)
	for {
		f, more := calls.Next()
		if f.Function == "main.init" || strings.HasPrefix(f.Function, "main.init.") || f.Function == "runtime.doInit1" {
			return true
		}
		if !more {
			return false
		}
	}
}
