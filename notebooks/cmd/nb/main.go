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
	"syscall"
)

const usage = `nb runs Go notebooks, without Jupyter.

  nb run  [flags] file.ipynb...   run the cells, store their outputs in the file, write a web page
  nb html [flags] file.ipynb...   write a web page from the stored outputs
  nb test [flags] file.ipynb...   run the cells as Go tests, compare with the stored outputs
  nb export [flags] file.ipynb... write those tests as a Go package
  nb check [flags] file.ipynb...  run a copy and compare with the stored outputs
  nb clean [flags] file.ipynb...  drop execution counts and other noise
  nb new file.ipynb...            start a notebook
  nb help [command]               say more

Examples:
  nb run notebooks/quickstart.ipynb
  nb run -o /tmp/out.ipynb -no-html notebooks/quickstart.ipynb
  nb html -o page.html notebooks/quickstart.ipynb
  nb test notebooks/quickstart.ipynb

From a clone, "go run ./notebooks/cmd/nb" stands for nb.

Exit status: 0 done, 1 a cell or a test failed, or an output is stale, 2 wrong use or a file that is not a Go notebook,
3 the kernel could not be built or started, or a file could not be written.
`

const (
	exitOK = iota
	exitCell
	exitUsage
	exitEnvironment
)

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
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	switch name, args := args[0], args[1:]; name {
	case "run":
		return runCommand(ctx, args, stdout, stderr)
	case "html":
		return htmlCommand(args, stdout, stderr)
	case "test":
		return testCommand(ctx, args, stdout, stderr)
	case "export":
		return exportCommand(ctx, args, stdout, stderr)
	case "check":
		return checkCommand(ctx, args, stdout, stderr)
	case "clean":
		return cleanCommand(args, stdout, stderr)
	case "new":
		return newCommand(ctx, args, stdout, stderr)
	case "help", "-h", "-help", "--help":
		if len(args) == 1 && slices.Contains([]string{"run", "html", "test", "export", "check", "clean", "new"}, args[0]) {
			return command(ctx, []string{args[0], "-h"}, stdout, stdout)
		}
		fmt.Fprint(stdout, usage)
		return exitOK
	default:
		fmt.Fprintf(stderr, "nb: unknown command %q, want run, html, test, export, check, clean, new or help\n", name)
		return exitUsage
	}
}
