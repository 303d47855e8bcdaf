package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

// Output is where a study stores what it found: a file, or a folder of several.
type Output string

// In is that file of the folder.
func (o Output) In(name string) Output { return Output(filepath.Join(string(o), name)) }

// Store writes v as JSON, a level indented by that text, or on one line where it is empty.
func (o Output) Store(v any, indent string) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text := bytes.NewBuffer(raw)
	if indent != "" {
		text = new(bytes.Buffer)
		if err := json.Indent(text, raw, "", indent); err != nil {
			return err
		}
	}
	text.WriteByte('\n')
	return os.WriteFile(string(o), text.Bytes(), 0o644)
}

// Progress says on standard error what is done.
func Progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Main is the main function of a command that runs a study, whose own flags are defined before. The flag -o says where the
// results go, out where it is not given; the nightly run computes every study whose command calls Main. An interrupt ends the
// context; an error, or arguments that are no flags, end the program with status 1.
func Main(out string, run func(ctx context.Context, to Output) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if !start(ctx, flag.CommandLine, os.Args[1:], os.Stderr, out, run) {
		os.Exit(1)
	}
}

// start is Main with its surroundings.
func start(ctx context.Context, flags *flag.FlagSet, args []string, log io.Writer, out string, run func(context.Context, Output) error) bool {
	flags.StringVar(&out, "o", out, "`file` or folder to write to")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("got the argument %q, want flags only: write -flag=value", flags.Arg(0))
	}
	if err == nil {
		err = run(ctx, Output(out))
	}
	if err != nil {
		fmt.Fprintln(log, err)
	}
	return err == nil
}
