package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// common are the values of the flags that several commands have.
type common struct {
	out            string
	timeout        time.Duration
	quiet, verbose bool
}

// commonFlags declares them: a flag has one name, one meaning and one text in all commands.
var commonFlags = map[string]struct {
	declare func(fs *flag.FlagSet, c *common, text string)
	text    string                // %s is what the command says of it
	refuse  func(c *common) error // a value that makes no sense; may be nil
	single  bool                  // for one notebook only
}{
	"o": {
		declare: func(fs *flag.FlagSet, c *common, text string) { fs.StringVar(&c.out, "o", "", text) },
		text:    "write the %s (one notebook only)",
		single:  true,
	},
	"timeout": {
		declare: func(fs *flag.FlagSet, c *common, text string) {
			fs.DurationVar(&c.timeout, "timeout", 10*time.Minute, text)
		},
		text: "longest time for one cell, its compilation included, 0 for no limit; a cell's comment //| timeout: 30s wins%s",
		refuse: func(c *common) error {
			if c.timeout < 0 {
				return fmt.Errorf("-timeout: got %v, want 0 or more", c.timeout)
			}
			return nil
		},
	},
	"q": {
		declare: func(fs *flag.FlagSet, c *common, text string) { fs.BoolVar(&c.quiet, "q", false, text) },
		text:    "print no output of the %s",
	},
	"v": {
		declare: func(fs *flag.FlagSet, c *common, text string) { fs.BoolVar(&c.verbose, "v", false, text) },
		text:    "print all output of the %s",
	},
}

// flagSet is the command line of one command.
type flagSet struct {
	*flag.FlagSet
	common
	stderr io.Writer
	shared []string // the common flags that the command has
	single []string // its flags that take one notebook only
}

func newFlagSet(name, usage string, stderr io.Writer) *flagSet {
	fs := &flagSet{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), stderr: stderr}
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	return fs
}

// share declares a common flag; what completes its text.
func (fs *flagSet) share(name, what string) {
	f := commonFlags[name]
	f.declare(fs.FlagSet, &fs.common, fmt.Sprintf(f.text, what))
	fs.shared = append(fs.shared, name)
	if f.single {
		fs.single = append(fs.single, name)
	}
}

// one declares a flag of the command's own that takes one notebook only.
func (fs *flagSet) one(value *string, name, text string) {
	fs.StringVar(value, name, "", text+" (one notebook only)")
	fs.single = append(fs.single, name)
}

// parse returns the words of the command line that are no flags. ok is false where code is the exit
// status already.
func (fs *flagSet) parse(args []string) (words []string, code int, ok bool) {
	for { // flags may also follow files
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, exitOK, false
		} else if err != nil {
			return nil, exitUsage, false
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		words, args = append(words, args[0]), args[1:]
	}
	for _, name := range fs.shared {
		if refuse := commonFlags[name].refuse; refuse != nil {
			if err := refuse(&fs.common); err != nil {
				return nil, misuse(fs.stderr, "%v", err), false
			}
		}
	}
	return words, exitOK, true
}

// files parses the command line of a command that takes notebooks.
func (fs *flagSet) files(args []string) (files []string, code int, ok bool) {
	files, code, ok = fs.parse(args)
	if !ok {
		return nil, code, false
	}
	if len(files) == 0 {
		return nil, misuse(fs.stderr, "%s: no notebook given, want nb %s file.ipynb", fs.Name(), fs.Name()), false
	}
	for _, name := range fs.single {
		if len(files) > 1 && fs.Lookup(name).Value.String() != "" {
			return nil, misuse(fs.stderr, "-%s takes one notebook, got %d", name, len(files)), false
		}
	}
	return files, exitOK, true
}

// limit is the -timeout as package kernel takes it.
func (c *common) limit() time.Duration {
	if c.timeout == 0 {
		return -1
	}
	return c.timeout
}

func misuse(stderr io.Writer, format string, args ...any) int {
	fmt.Fprintf(stderr, "nb: "+format+"\n", args...)
	return exitUsage
}

// complain prints an error about a file once, without the package's own prefix.
func complain(stderr io.Writer, file string, err error) {
	fmt.Fprintf(stderr, "nb: %s: %s\n", file, indent(unprefixed(err)))
}

// unprefixed is the text of err without the prefix "nb: ", which each of several joined errors has.
func unprefixed(err error) string {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		var all, short []string
		for _, e := range j.Unwrap() {
			all, short = append(all, e.Error()), append(short, unprefixed(e))
		}
		if strings.Join(all, "\n") == err.Error() { // of errors.Join
			return strings.Join(short, "\n")
		}
	}
	return strings.TrimPrefix(err.Error(), "nb: ")
}

// indent sets the lines after the first off from it.
func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }
