// Command bench compares dpnb with the Python stack, case by case, in one run on one machine:
//
//	go run ./bench [-rows 1000000] [-procs 1,2,0] [-only csv,gram] [-rounds 3] [-python /usr/bin/python3]
//
// A file of 2 GB through a priced chain, in constant memory: -only stream -rows 25000000 -rounds 1 (20 GB: -rows 250000000).
//
// Each case runs in a process of its own, at each number of processors (0: all), in turns with its counterpart in Python, which computes
// the same from the same files but without privacy: pandas, scikit-learn and pyarrow as far as the Python that it finds has them
// (Debian: python3-pandas, python3-sklearn). It prints the best of the rounds, what further processors gain over one, the ratio of ours to Python's,
// and the largest memory of our process, and beside each what it is to be where that is promised. The benchmarks of the nested modules run behind
// them, and print rows a second.
//
// The memory of Gram of 1.6 GB, and of a chain behind which each step makes rows of another width: -only "memory,memory chain" -rows 10000000 -rounds 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	rows := flags.Int("rows", 1_000_000, "rows of the tables; a case may take fewer")
	procs := flags.String("procs", "1,2,0", "numbers of processors, 0 for all")
	only := flags.String("only", "", "names of cases, by commas; none: all of them")
	rounds := flags.Int("rounds", 3, "times that each is run, of which the best counts")
	with := flags.String("python", "", "the Python to compare with; none: that which has most of what is compared; \"no\": without")
	nested := flags.Bool("nested", true, "run the benchmarks of the nested modules, too")
	profiles := flags.String("profiles", "", "write a CPU profile of each case at each number of processors into this folder: CASE.PROCS.prof")
	child := flags.String("child", "", "run this case in this process, in the folder given as argument")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rows < 1 || *rounds < 1 {
		return fmt.Errorf("got %d rows and %d rounds, want at least 1 of each", *rows, *rounds)
	}
	if *child != "" {
		return runChild(ctx, *child, flags.Arg(0), *profiles, *rows, *rounds, out)
	}
	at, err := processors(*procs)
	if err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dpnb-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	py := findPython(ctx, *with)
	fmt.Fprintf(out, "%s, %d processors; %s\n", runtime.Version(), runtime.NumCPU(), py)
	line := func(cells ...any) { fmt.Fprintf(out, "%-17v%9v%4v%11v%6v%11v%8v%9v  %v\n", cells...) }
	line("case", "rows", "on", "dpnb", "gain", "Python", "ratio", "memory", "beside")
	for _, c := range chosen {
		n := max(1, int(float64(*rows)*c.share))
		if err := c.prepare(dir, n); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		var alone float64 // seconds on one processor
		for _, procs := range at {
			us, err := runOwn(ctx, c, dir, *profiles, n, procs, *rounds)
			if err != nil {
				return fmt.Errorf("%s on %d processors: %w", c.name, procs, err)
			}
			gain := ""
			if procs == 1 {
				alone = us.Seconds
			} else if alone > 0 {
				gain = fmt.Sprintf("%.1f", alone/us.Seconds)
			}
			if p, ok := promises[c.name]; ok || len(c.beside) == 0 {
				said := ""
				if ok {
					said = p.said(us, n)
				}
				line(c.name, n, procs, fmt.Sprintf("%.4f s", us.Seconds), gain, "", "", fmt.Sprintf("%.0f MB", float64(us.Memory)/1e6), said)
			}
			for _, beside := range c.beside {
				seconds, err := py.run(ctx, beside, dir, n, procs, *rounds)
				them, ratio := fmt.Sprintf("%.4f s", seconds), fmt.Sprintf("%.2f", us.Seconds/seconds)
				if errors.Is(err, errNoPython) {
					them, ratio = "not there", ""
				} else if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, beside.name, err)
				}
				line(c.name, n, procs, fmt.Sprintf("%.4f s", us.Seconds), gain, them, ratio, fmt.Sprintf("%.0f MB", float64(us.Memory)/1e6), beside.name+atMost(ratios[beside.name]))
			}
		}
	}
	if *nested && *only == "" {
		return runNested(ctx, out, *rows)
	}
	return nil
}

// processors reads a list of numbers of processors.
func processors(list string) ([]int, error) {
	var at []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("processors: got %q, want numbers by commas, 0 for all", text)
		}
		if n == 0 {
			n = runtime.NumCPU()
		}
		if n <= runtime.NumCPU() && !slices.Contains(at, n) {
			at = append(at, n)
		}
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("processors: got %q, of which this machine has none: it has %d", list, runtime.NumCPU())
	}
	return at, nil
}

// choose returns the cases of these names.
func choose(only string) ([]benchCase, error) {
	all := cases()
	if only == "" {
		return all, nil
	}
	var chosen []benchCase
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(c benchCase) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("got the case %q, want one of %s", name, strings.Join(names(all), ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func names(of []benchCase) []string {
	var out []string
	for _, c := range of {
		out = append(out, c.name)
	}
	return out
}
