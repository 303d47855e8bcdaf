package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// idle ends a process that is a program of a gathering kernel.
func idle() {
	if name := filepath.Base(os.Args[0]); os.Getenv(prebuilt.GatherEnv) != "" && strings.HasPrefix(name, "gonb_") {
		os.Exit(0)
	}
}

// gather keeps what a cell's build would read, and puts a program in its place that does nothing. A build with flags, and one of tests, is
// not kept.
func gather(dir string, args []string) error {
	if len(args) == 3 {
		b, err := prebuilt.Read(".")
		if err != nil {
			return err
		}
		kept, err := os.MkdirTemp(dir, fmt.Sprintf("%020d-", time.Now().UnixNano())) // in order
		if err != nil {
			return err
		}
		if err := b.Write(kept); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return inPlace(outputOf(args), func(next string) error {
		if os.Link(self, next) == nil { // nobody writes to a program: the next one takes its name
			return nil
		}
		return prebuilt.Copy(next, self, nil)
	})
}

// outputOf is the file that buildsCell found.
func outputOf(args []string) string {
	if args[0] == "test" {
		return args[3]
	}
	return args[2]
}

// inPlace has a program made under another name first: the old one may still run.
func inPlace(output string, program func(next string) error) error {
	next := output + ".new"
	if err := os.Remove(next); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := program(next); err != nil {
		return err
	}
	return os.Rename(next, output)
}

// take puts a program that was built before in place of a cell's, where there is one of the same main.go and module. It is told which
// cell it is.
func take(dir string, args []string) bool {
	if len(args) != 3 {
		return false
	}
	b, err := prebuilt.Read(".")
	if err != nil {
		return false
	}
	data, err := os.ReadFile(filepath.Join(dir, b.Name()))
	if err != nil {
		return false
	}
	var p prebuilt.Program
	return json.Unmarshal(data, &p) == nil && inPlace(args[2], p.Copy) == nil
}
