package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// measured is what a process says of a case.
type measured struct {
	Seconds float64 `json:"seconds"` // the best round's
	Memory  int64   `json:"memory"`  // bytes: the most that the process held; 0 where the system does not tell
}

// runOwn runs a case in a process of its own, on so many processors.
func runOwn(ctx context.Context, c benchCase, dir, profiles string, rows, procs, rounds int) (measured, error) {
	var m measured
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	args := []string{"-child", c.name, "-rows", strconv.Itoa(rows), "-rounds", strconv.Itoa(rounds)}
	if profiles != "" {
		args = append(args, "-profiles", filepath.Join(profiles, fmt.Sprintf("%s.%d.prof", strings.ReplaceAll(c.name, " ", "-"), procs)))
	}
	cmd := exec.CommandContext(ctx, self, append(args, dir)...)
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", procs))
	out, err := output(cmd)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(out, &m)
}

// runChild runs a case in this process. Where profile names a file, it gets the CPU profile of the rounds.
func runChild(ctx context.Context, name, dir, profile string, rows, rounds int, out io.Writer) error {
	chosen, err := choose(name)
	if err != nil {
		return err
	}
	do, err := chosen[0].load(ctx, dir, rows)
	if err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var m measured
	for i, first := 0, time.Now(); again(i, rounds, time.Since(first)); i++ {
		if i < rounds {
			runtime.GC() // what the round before left is not this one's
		}
		began := time.Now()
		if err := do(ctx); err != nil {
			return err
		}
		if s := time.Since(began).Seconds(); i == 0 || s < m.Seconds {
			m.Seconds = s
		}
	}
	m.Memory = mostHeld()
	return json.NewEncoder(out).Encode(m)
}

// Short rounds are repeated for enough seconds, up to most times, as Python's are: the first of a process, and those behind a collection of all garbage, find
// nothing in the processor's caches, and what the collector's threads do yet would be counted in.
const enough, most = 0.2, 200

// again says whether round i is run.
func again(i, rounds int, spent time.Duration) bool {
	return i < rounds || i < most && spent.Seconds() < enough && rounds > 1
}

// mostHeld reads the peak of this process's memory where Linux tells it.
func mostHeld() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		var kb int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	return 0
}

// output is what a command prints; its error has what the command said.
func output(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// runNested runs the benchmarks of the modules below the working directory.
func runNested(ctx context.Context, out io.Writer, rows int) error {
	mods, err := filepath.Glob("*/go.mod")
	if err != nil {
		return err
	}
	if len(mods) == 0 {
		return errors.New("found no nested module: run it in the root of the repository, or with -nested=false")
	}
	for _, mod := range mods {
		fmt.Fprintf(out, "\n%s  %s\n", filepath.Dir(mod), nestedPromises[filepath.Dir(mod)])
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchtime", "3x", "./...")
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = filepath.Dir(mod), out, os.Stderr, append(os.Environ(), fmt.Sprint("DPNB_BENCH_ROWS=", rows))
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", mod, err)
		}
	}
	return nil
}
