// Command nb runs Go notebooks and renders them as web pages. It needs Go and nothing else: it builds
// the GoNB kernel that the module pins, and talks to it itself.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

const usage = `nb runs Go notebooks, without Jupyter.

%s
Examples:
  nb run notebooks/quickstart.ipynb
  nb run -p epsilon=0.5 -o /tmp/half.ipynb analysis.ipynb
  nb html -o page.html notebooks/quickstart.ipynb
  nb test notebooks/quickstart.ipynb

From a clone, "go run ./notebooks/cmd/nb" stands for nb.

Exit status: 0 done, 1 a cell or a test failed, an output is stale, doctor found that something needed is missing, or a ledger is damaged,
2 wrong use or a file that is not a Go notebook, 3 the kernel could not be built or started, or a file could not be written.
Of several notebooks the worst counts.
`

const (
	exitOK = iota
	exitCell
	exitUsage
	exitEnvironment
)

// commands are what nb can do, in the order in which its help lists them.
var commands = []struct {
	name, operands, brief string
	run                   func(ctx context.Context, args []string, stdout, stderr io.Writer) int
}{
	{"run", "[flags] file.ipynb...", "run the cells, store their outputs in the file, write a web page", runCommand},
	{"html", "[flags] file.ipynb...", "write a web page from the stored outputs", htmlCommand},
	{"test", "[flags] file.ipynb...", "run the cells as Go tests, compare with the stored outputs", testCommand},
	{"exercises", "[flags] file.ipynb...", "try that exercises fail as given and pass as solved", exercisesCommand},
	{"export", "[flags] file.ipynb...", "write those tests as a Go package", exportCommand},
	{"check", "[flags] file.ipynb...", "run a copy and compare with the stored outputs", checkCommand},
	{"clean", "[flags] file.ipynb...", "drop execution counts and other noise", cleanCommand},
	{"new", "file.ipynb...", "start a notebook", newCommand},
	{"doctor", "[flags] [folder]", "say what is missing, and the command that mends it", doctorCommand},
	{"lab", "[flags] [folder or file.ipynb]", "install the kernel and open Jupyter or VS Code", labCommand},
	{"ledger", "show|verify|export|list|forget", "look into privacy ledgers", ledgerCommand},
	{"cache", "list|rm [folder...]", "list or remove tables that programs keep", cacheCommand},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second Ctrl-C ends the program at once
	}()
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command runs one nb command and returns the exit status.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, help())
		return exitUsage
	}
	name, args := args[0], args[1:]
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, name) {
		if len(args) == 1 && find(args[0]) >= 0 {
			return commands[find(args[0])].run(ctx, []string{"-h"}, stdout, stdout)
		}
		fmt.Fprint(stdout, help())
		return exitOK
	}
	if i := find(name); i >= 0 {
		return commands[i].run(ctx, args, stdout, stderr)
	}
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	fmt.Fprintf(stderr, "nb: unknown command %q, want %s or help\n", name, strings.Join(names, ", "))
	return exitUsage
}

// find returns the place of a command in the table, -1 where there is none of that name.
func find(name string) int {
	for i, c := range commands {
		if c.name == name {
			return i
		}
	}
	return -1
}

func help() string {
	var list strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&list, "  nb %-37s %s\n", c.name+" "+c.operands, c.brief)
	}
	fmt.Fprintf(&list, "  nb %-37s %s\n", "help [command]", "say more")
	return fmt.Sprintf(usage, list.String())
}
