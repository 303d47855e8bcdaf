package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/dpkit-go/dpnb/viz/ledgerfile"
)

const ledgerUsage = `nb ledger show   [-o page.html] file.ledger...   budget, spent, left and all releases
nb ledger verify file.ledger...                  look for damage; exit status 1 if something is wrong
nb ledger export [-o file.json] file.ledger      privacy statement: mechanisms, parameters, ε, δ, theorems
nb ledger list                                   the ledgers that your state folder knows of
nb ledger forget -yes file.ledger...             let a fresh ledger take this one's place

All but forget only read. A ledger that was deleted, replaced or put back from an old copy charges nothing until
the latest file is back. forget ends that: nothing counts any more what was spent there, so use it
only where that does not matter, for instance for a ledger of trials on public data.

`

// ledgerActions are what nb ledger can do.
var ledgerActions = map[string]func(args []string, stdout, stderr io.Writer) int{
	"show": ledgerShow, "verify": ledgerVerify, "export": ledgerExport, "list": ledgerList, "forget": ledgerForget,
}

func ledgerCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if action, ok := ledgerActions[args[0]]; ok {
			return action(args[1:], stdout, stderr)
		}
		if _, code, ok := newFlagSet("ledger", ledgerUsage, stderr).parse(args); !ok {
			return code
		}
		return misuse(stderr, "ledger: got %q, want show, verify, export, list or forget", args[0])
	}
	return misuse(stderr, "ledger: nothing to do given, want show, verify, export, list or forget")
}

// ledgerFiles parses the command line of an action on files.
func ledgerFiles(fs *flagSet, args []string) (files []string, code int, ok bool) {
	files, code, ok = fs.parse(args)
	if ok && len(files) == 0 {
		return nil, misuse(fs.stderr, "%s: no ledger given, want nb %s file.ledger", fs.Name(), fs.Name()), false
	}
	return files, code, ok
}

func ledgerShow(args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("ledger show", ledgerUsage, stderr)
	out := fs.String("o", "", "write the view to this `file`, .html or .txt (one ledger only)")
	files, code, ok := ledgerFiles(fs, args)
	if !ok {
		return code
	}
	if len(files) > 1 && *out != "" {
		return misuse(stderr, "-o takes one ledger, got %d", len(files))
	}
	for i, file := range files {
		v, err := ledgerfile.Show(file)
		if err != nil {
			fmt.Fprintln(stderr, "nb:", err)
			code = exitCell
			continue
		}
		if *out != "" {
			if err := v.WriteFile(*out); err != nil {
				fmt.Fprintln(stderr, "nb:", err)
				return exitEnvironment
			}
			fmt.Fprintln(stdout, "wrote", *out)
			continue
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		fmt.Fprint(stdout, v.Text())
	}
	return code
}

func ledgerVerify(args []string, stdout, stderr io.Writer) int {
	files, code, ok := ledgerFiles(newFlagSet("ledger verify", ledgerUsage, stderr), args)
	if !ok {
		return code
	}
	for _, file := range files {
		v := ledgerfile.Verify(file)
		word := "ok"
		if !v.OK() {
			word, code = "NOT OK", exitCell
		}
		fmt.Fprintf(stdout, "%s: %s\n", file, word)
		for _, l := range v.Facts {
			fmt.Fprintf(stdout, "  %s\n", l)
		}
		for _, l := range v.Notes {
			fmt.Fprintf(stdout, "  note: %s\n", l)
		}
		for _, l := range v.Problems {
			fmt.Fprintf(stdout, "  problem: %s\n", l)
		}
	}
	return code
}

func ledgerExport(args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("ledger export", ledgerUsage, stderr)
	out := fs.String("o", "", "write the statement to this `file` instead of standard output")
	files, code, ok := ledgerFiles(fs, args)
	if !ok {
		return code
	}
	if len(files) > 1 {
		return misuse(stderr, "ledger export takes one ledger, got %d", len(files))
	}
	doc, err := ledgerfile.Export(files[0])
	if err != nil {
		fmt.Fprintln(stderr, "nb:", err)
		return exitCell
	}
	if *out == "" {
		_, err = stdout.Write(doc)
	} else if err = os.WriteFile(*out, doc, 0o644); err == nil {
		fmt.Fprintln(stdout, "wrote", *out)
	}
	if err != nil {
		fmt.Fprintln(stderr, "nb:", err)
		return exitEnvironment
	}
	return exitOK
}

func ledgerList(args []string, stdout, stderr io.Writer) int {
	words, code, ok := newFlagSet("ledger list", ledgerUsage, stderr).parse(args)
	if !ok {
		return code
	}
	if len(words) > 0 {
		return misuse(stderr, "ledger list: got %q, want nothing more", words[0])
	}
	v, err := ledgerfile.List()
	if err != nil {
		fmt.Fprintln(stderr, "nb:", err)
		return exitEnvironment
	}
	fmt.Fprint(stdout, v.Text())
	return exitOK
}

func ledgerForget(args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("ledger forget", ledgerUsage, stderr)
	yes := fs.Bool("yes", false, "what was spent there does not matter any more")
	files, code, ok := ledgerFiles(fs, args)
	if !ok {
		return code
	}
	if !*yes {
		return misuse(stderr, "ledger forget: nothing was done: say -yes if what was spent there does not matter any more")
	}
	for _, file := range files {
		if err := ledgerfile.Forget(file); err != nil {
			fmt.Fprintln(stderr, "nb:", err)
			code = exitCell
			continue
		}
		fmt.Fprintf(stdout, "forgot what was spent from %s\n", file)
	}
	return code
}
