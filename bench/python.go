package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// counterpart is a Python program that computes what a case does. Setup loads, once; code runs in every round. Both see folder and rows.
type counterpart struct {
	name, needs string
	setup, code string
}

var errNoPython = errors.New("no Python has what it needs")

// python is an interpreter and what it has of the modules that counterparts need.
type python struct {
	program string
	has     map[string]string // versions
}

// findPython looks for the interpreter that has most of the modules, unless one is named; "no" is none.
func findPython(ctx context.Context, named string) python {
	const ask = "import json,importlib.util as u\nh={}\nfor m in ['numpy','pandas','sklearn','pyarrow']:\n if u.find_spec(m): h[m]=__import__(m).__version__\nprint(json.dumps(h))"
	programs := []string{"python3", "/usr/bin/python3", "python"}
	switch named {
	case "no":
		programs = nil
	case "":
	default:
		programs = []string{named}
	}
	var best python
	for _, program := range programs {
		p := python{program: program}
		if out, err := exec.CommandContext(ctx, program, "-c", ask).Output(); err == nil && json.Unmarshal(out, &p.has) == nil && len(p.has) > len(best.has) {
			best = p
		}
	}
	return best
}

func (p python) String() string {
	if len(p.has) == 0 {
		return "no Python with numpy (Debian: python3-pandas, python3-sklearn)"
	}
	var has []string
	for _, m := range []string{"numpy", "pandas", "sklearn", "pyarrow"} {
		if v, ok := p.has[m]; ok {
			has = append(has, m+" "+v)
		} else {
			has = append(has, "no "+m)
		}
	}
	return p.program + ": " + strings.Join(has, ", ")
}

// run returns the best round's seconds.
func (p python) run(ctx context.Context, c counterpart, dir string, rows, procs, rounds int) (float64, error) {
	for need := range strings.FieldsSeq(c.needs) {
		if _, ok := p.has[need]; !ok {
			return 0, errNoPython
		}
	}
	repeats := most
	if rounds == 1 {
		repeats = 1
	}
	program := fmt.Sprintf("import time\nfolder, rows, processors = %q, %d, %d\n%s\ndef once():\n    %s\nbest, i, first = 1e99, 0, time.perf_counter()\nwhile i < %d or i < %d and time.perf_counter() - first < %g:\n    began = time.perf_counter()\n    once()\n    best, i = min(best, time.perf_counter() - began), i + 1\nprint(best)\n",
		dir, rows, procs, c.setup, strings.ReplaceAll(c.code, "\n", "\n    "), rounds, repeats, enough)
	cmd := exec.CommandContext(ctx, p.program, "-c", program)
	cmd.Env = os.Environ()
	for _, threads := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		cmd.Env = append(cmd.Env, fmt.Sprint(threads, "=", procs))
	}
	out, err := output(cmd)
	if err != nil {
		return 0, err
	}
	var seconds float64
	_, err = fmt.Sscan(string(out), &seconds)
	return seconds, err
}
