package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// record is a build that succeeded.
type record struct {
	Build    string // fingerprint
	Main     string // import path of the program
	Compile  command
	Link     command
	Packages []archive // all that were linked, but main
	ModInfo  string    // the line of the modules, with its newline, or ""
	Local    []local   // folders whose files may change
}

type archive struct{ Path, Archive string }

// command is a run of a tool. Its arguments have marks in place of what is of one build.
type command struct {
	Tool string
	Args []string
	Env  []string // of the go command's own making
}

const (
	workMark    = "\x00work\x00"
	programMark = "\x00program\x00"
)

// arguments are those for another build. Its ID is one of its own: by the recorded one the go command would take the program for what
// was built then, and leave it in place.
func (c command) arguments(work, program string) []string {
	out := make([]string, len(c.Args))
	for i, a := range c.Args {
		if strings.HasPrefix(a, "-buildid=") {
			a = "-buildid=cellgo-" + filepath.Base(work)
		}
		out[i] = strings.ReplaceAll(strings.ReplaceAll(a, programMark, program), workMark, work)
	}
	return out
}

// tool is this program as -toolexec: it runs the tool and keeps the commands that make main.
func tool(dir string, args []string) int {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	compiles, links := name == "compile" && valueOf(args, "-p") == "main", name == "link" && valueOf(args, "-o") != ""
	if !compiles && !links { // the go command asks for versions too
		if err := replace(args[0], args, os.Environ()); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
		}
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	keep := keepCompile
	if links {
		keep = keepLink
	}
	if err := keep(dir, args); err != nil {
		note("not recorded: %v", err)
	}
	return 0
}

// valueOf is the value of a flag in a tool's arguments, "" where it is not among them.
func valueOf(args []string, flag string) string {
	for i, a := range args {
		if a == flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// environment is what the go command has added for a tool: of what it was told itself, a build that repeats this one is told the same, as the
// fingerprint says. Records outlast kernels: they hold no credentials of the user's, which settings may be or name.
func environment() []string {
	was := strings.Fields(os.Getenv(wasEnv))
	return slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return !forGo(name) || name == "GOFLAGS" || slices.Contains(harmlessSettings, name) || slices.Contains(was, digest(s))
	})
}

// digests are those of the go command's variables in an environment, with spaces between them.
func digests(env []string) string {
	var out []string
	for _, s := range env {
		if name, _, _ := strings.Cut(s, "="); forGo(name) {
			out = append(out, digest(s))
		}
	}
	return strings.Join(out, " ")
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// compiled is the file for the command that compiles main in the folder of a build.
func compiled(dir, work string) string {
	sum := sha256.Sum256([]byte(work))
	return filepath.Join(dir, "compile-"+hex.EncodeToString(sum[:8])+".json")
}

// keepCompile keeps the command that compiled main, for the linker's to find.
func keepCompile(dir string, args []string) error {
	work := filepath.Dir(valueOf(args, "-o"))
	if work == "." || valueOf(args, "-importcfg") != filepath.Join(work, "importcfg") || filepath.Base(args[len(args)-1]) != "main.go" {
		return errors.New("an unknown form of the compiler's command")
	}
	for _, flag := range []string{"-embedcfg", "-symabis", "-asmhdr", "-pgoprofile", "-linkobj"} {
		if valueOf(args, flag) != "" {
			return errors.New("the compiler's flag " + flag)
		}
	}
	c := command{Tool: args[0], Env: environment()}
	for _, a := range args[1:] {
		c.Args = append(c.Args, strings.ReplaceAll(a, work, workMark))
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(compiled(dir, work), data, 0o600)
}

// keepLink completes a record: the build has succeeded but for the copy of its program.
func keepLink(dir string, args []string) error {
	object, config := args[len(args)-1], valueOf(args, "-importcfg")
	work := filepath.Dir(object)
	data, err := os.ReadFile(compiled(dir, work))
	if err != nil {
		return errors.New("main was not compiled")
	}
	if err := os.Remove(compiled(dir, work)); err != nil {
		return err
	}
	if mod, err := modOf(filepath.Dir(dir)); err != nil || !strings.HasSuffix(os.Getenv(buildEnv), mod) {
		return errors.New("go.mod changed during the build")
	}
	r := record{Build: os.Getenv(buildEnv)}
	if err := json.Unmarshal(data, &r.Compile); err != nil {
		return err
	}
	if filepath.Base(object) != "_pkg_.a" || config != filepath.Join(work, "importcfg.link") || valueOf(args, "-o") == "" {
		return errors.New("an unknown form of the linker's command")
	}
	r.Link = command{Tool: args[0], Env: environment()}
	for _, a := range args[1:] {
		a = strings.ReplaceAll(a, valueOf(args, "-o"), programMark)
		r.Link.Args = append(r.Link.Args, strings.ReplaceAll(a, work, workMark))
	}
	if slices.Contains(args, "-w") { // the program has no DWARF
		r.Compile.Args = append([]string{"-dwarf=false"}, r.Compile.Args...)
	}
	kept, err := os.MkdirTemp(dir, "made-")
	if err != nil {
		return err
	}
	err = r.complete(kept, config, object)
	if err == nil {
		err = r.write(dir)
	}
	if err == nil {
		r.leave(filepath.Dir(dir), os.Getenv(othersEnv))
	}
	if used, _ := os.ReadDir(kept); err != nil || len(used) == 0 {
		_ = os.RemoveAll(kept)
	}
	forget(dir)
	return err
}

// complete reads what was linked, and notes what may change.
func (r *record) complete(kept, config, object string) error {
	if err := r.packages(kept, config, object); err != nil {
		return err
	}
	began, err := strconv.ParseInt(os.Getenv(beganEnv), 10, 64)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(os.Getenv(beforeEnv))
	if err != nil {
		return err
	}
	_ = os.Remove(os.Getenv(beforeEnv))
	var before snapshot
	if err := json.Unmarshal(data, &before); err != nil {
		return err
	}
	return r.watch(before, time.Unix(0, began))
}

// forget removes the archives of records that others took the place of.
func forget(dir string) {
	entries, _ := os.ReadDir(dir)
	var records []byte
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "record-") {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return
			}
			records = append(records, data...)
		}
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "made-") && !bytes.Contains(records, []byte(e.Name())) {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// packages reads the linker's configuration. An archive that was made in this build lies in its folder, which goes with it: it is
// kept in another.
func (r *record) packages(kept, config, object string) error {
	data, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	builds := filepath.Dir(filepath.Dir(object)) + string(filepath.Separator)
	for line := range strings.Lines(string(data)) {
		verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		path, file, _ := strings.Cut(rest, "=")
		switch {
		case verb == "modinfo":
			r.ModInfo = line
		case verb == "packagefile" && file == object:
			r.Main = path
		case verb == "packagefile" && filepath.IsAbs(file):
			if strings.HasPrefix(file, builds) {
				from := file
				file = filepath.Join(kept, strconv.Itoa(len(r.Packages))+".a")
				if err := keep(from, file); err != nil {
					return err
				}
			}
			r.Packages = append(r.Packages, archive{path, file})
		case strings.TrimSpace(line) != "":
			return errors.New("an unknown line in the linker's configuration")
		}
	}
	if r.Main == "" {
		return errors.New("the linker's configuration does not name main")
	}
	return nil
}

// keep links a file, or copies it.
func keep(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// write keeps the record under a name that others of its build and import set have too.
func (r *record) write(dir string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	h := sha256.New()
	h.Write([]byte(r.Build))
	for _, p := range r.Packages {
		h.Write([]byte("\n" + p.Path))
	}
	name := filepath.Join(dir, "record-"+hex.EncodeToString(h.Sum(nil)[:8])+".json")
	next := fmt.Sprintf("%s.%d.new", name, os.Getpid()) // kernels may write at a time
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, name)
}

// find returns the smallest record of such a build whose packages cover the imports: of this kernel, else of others.
func (b *build) find() (*record, string) {
	own, why := best(filepath.Join(b.dir, folder), b.print, b.imports)
	if own == nil && b.others != "" && trusted(othersFolder(b.others)) {
		if r, _ := best(othersFolder(b.others), b.others, b.imports); r != nil {
			r.moved(moduleMark, filepath.Base(b.dir), sourceMark, source(b.dir))
			return r, ""
		}
	}
	return own, why
}

// best returns the smallest record in a folder of a build of that fingerprint whose packages cover the imports.
func best(dir, print string, imports []string) (*record, string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, "no record"
	}
	var best *record
	some, same := false, false
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "record-") || strings.HasSuffix(e.Name(), ".new") {
			continue
		}
		some = true
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !bytes.Contains(data, []byte(print)) {
			continue
		}
		same = true
		r := &record{}
		if json.Unmarshal(data, r) == nil && r.Build == print && r.covers(imports) && (best == nil || len(r.Packages) < len(best.Packages)) {
			best = r
		}
	}
	switch {
	case best != nil:
		return best, ""
	case same:
		return nil, "another import"
	case !some:
		return nil, "no record"
	}
	return nil, "other flags, environment or go.mod"
}

func (r *record) covers(imports []string) bool {
	for _, path := range imports {
		if path != "unsafe" && !slices.ContainsFunc(r.Packages, func(a archive) bool { return a.Path == path }) {
			return false
		}
	}
	return true
}
