package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// buildsCell reports whether the go command is to build a cell, or a cell of tests, of a kernel.
func buildsCell(args []string) bool {
	var output string
	switch {
	case len(args) >= 3 && args[0] == "build" && args[1] == "-o":
		output = args[2]
	case len(args) >= 4 && args[0] == "test" && args[1] == "-c" && args[2] == "-o":
		output = args[3]
	}
	dir, err := os.Getwd()
	return err == nil && output != "" && strings.HasPrefix(filepath.Base(dir), "gonb_") && filepath.Base(output) == filepath.Base(dir)
}

// small are the arguments of a build without a symbol table, which takes a third less time to link. Traces name lines without it. Flags
// for the linker that the cell or the user has given stay as they are.
func small(args []string) []string {
	given := append(strings.Fields(os.Getenv("GOFLAGS")), args...)
	for _, a := range given {
		if name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "="); name == "-ldflags" || name == "ldflags" {
			return args
		}
	}
	return slices.Insert(slices.Clone(args), slices.Index(args, "-o")+2, "-ldflags=-s -w")
}

// undefined is the compiler's message on a name that is of no package.
var undefined = regexp.MustCompile(`(?m)^(\./main(?:_test)?\.go:\d+:\d+: undefined: )([\pL_][\pL\pN_]*)$`)

// follows is a message that follows from another one: a call whose value has no type, as in cell.Must(undefined()).
var follows = regexp.MustCompile(`(?m)^\./main(?:_test)?\.go:\d+:\d+: not enough arguments in call to .*\n\thave \(unknown type\)\n\twant .*\n`)

// hinted is what the go command says, for people who took cells for pieces of one program.
func hinted(says []byte) []byte {
	if undefined.Match(says) {
		says = follows.ReplaceAll(says, nil)
	}
	return undefined.ReplaceAll(says, []byte("$1$2 (every cell is a program of its own: what a cell makes below %% is gone when it ends. "+
		"Declare $2 above %%, or run the cell that declares it first)"))
}

// hinting runs the go command and returns its exit status.
func hinting(goCommand string, args, env []string) int {
	cmd := exec.Command(goCommand, args...)
	var says bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, &says, env
	signals := make(chan os.Signal, 4) // the go command ends its compilers and removes its temporary files
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	err := cmd.Start()
	if err == nil {
		go func() {
			for s := range signals {
				_ = cmd.Process.Signal(s)
			}
		}()
		err = cmd.Wait()
	}
	_, _ = os.Stderr.Write(hinted(says.Bytes()))
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "cellgo:", err)
	return 1
}
