package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The environment of a kernel that runs cells whose programs are built together (package kernel).
const (
	gatherEnv  = "DPNB_CELLGO_GATHER"  // a folder: what would be built is kept there, and the program does nothing
	bundledEnv = "DPNB_CELLGO_BUNDLED" // a folder: programs of several cells are there
)

// bundled is where the program of a cell is: package kernel writes it for a file named by bundledName.
type bundled struct {
	Program string // a file
	Mark    string // stands in it, with a number of as many digits as Number behind it
	At      int64  // where the mark begins
	Number  string // of the cell
}

// idle ends a process that is a program of a gathering kernel.
func idle() {
	if name := filepath.Base(os.Args[0]); os.Getenv(gatherEnv) != "" && strings.HasPrefix(name, "gonb_") {
		os.Exit(0)
	}
}

// gather keeps what a cell's build would read, and puts a program in its place that does nothing. A build with flags, and one of tests, is
// not kept.
func gather(dir string, args []string) error {
	if len(args) == 3 {
		kept, err := os.MkdirTemp(dir, fmt.Sprintf("%020d-", time.Now().UnixNano())) // in order
		if err != nil {
			return err
		}
		for _, name := range []string{"go.mod", "go.sum", "main.go"} { // the last one says that all are there
			data, err := os.ReadFile(name)
			if os.IsNotExist(err) && name == "go.sum" {
				continue
			}
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(kept, name), data, 0o600); err != nil {
				return err
			}
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
		return copyTo(next, self, nil)
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

// copyTo copies a program, within the system where that can be, and lets edit change the copy, nil for nothing.
func copyTo(to, from string, edit func(program *os.File) error) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil || edit == nil {
		return err
	}
	return edit(out)
}

// take puts a program that was built before in place of a cell's, where there is one of the same main.go and module. It is told which
// cell it is.
func take(dir string, args []string) bool {
	if len(args) != 3 {
		return false
	}
	var texts [3][]byte
	for i, name := range []string{"go.mod", "go.sum", "main.go"} {
		data, err := os.ReadFile(name)
		if err != nil && (!os.IsNotExist(err) || name != "go.sum") {
			return false
		}
		texts[i] = data
	}
	data, err := os.ReadFile(filepath.Join(dir, bundledName(texts)))
	if err != nil {
		return false
	}
	var b bundled
	if json.Unmarshal(data, &b) != nil {
		return false
	}
	return inPlace(args[2], func(next string) error { return copyTo(next, b.Program, b.number) }) == nil
}

// number tells a copy of the program which cell it is.
func (b bundled) number(program *os.File) error {
	want := []byte(b.Mark + strings.Repeat("0", len(b.Number)))
	got := make([]byte, len(want))
	if _, err := program.ReadAt(got, b.At); err != nil {
		return err
	}
	if b.Mark == "" || !bytes.Equal(got, want) {
		return errors.New("the program of several cells has its mark elsewhere")
	}
	_, err := program.WriteAt([]byte(b.Number), b.At+int64(len(b.Mark)))
	return err
}

// bundledName is the name of the file about a cell. Package kernel knows it too.
func bundledName(texts [3][]byte) string {
	h := sha256.New()
	for _, t := range texts {
		if line, rest, _ := bytes.Cut(t, []byte("\n")); bytes.HasPrefix(line, []byte("module gonb_")) {
			t = rest // each kernel's module has a name of its own
		}
		fmt.Fprintf(h, "%d\n", len(t))
		h.Write(t)
	}
	return "cell-" + hex.EncodeToString(h.Sum(nil)) + ".json"
}
