// Command elsewhere checks that the packages of the module in the working directory are sound Go on other systems and processors:
//
//	go run ./internal/arch/elsewhere [-tests=false] linux/386 darwin/arm64 ...
//
// It checks the types of each package, of its tests and of all that they import from the sources, with the sizes of the processor, and that
// functions without a body have one in assembly: what go vet and go build find there, in a tenth of their time, as nothing is compiled. The bodies
// of Go's own functions are taken to be sound, and so is assembly that this system assembles; other assembly is refused.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	tests := flag.Bool("tests", true, "check the tests too")
	flag.Parse()
	for _, target := range flag.Args() {
		if err := check(os.Stdout, ".", target, *tests); err != nil {
			fmt.Fprintln(os.Stderr, "elsewhere:", err)
			os.Exit(1)
		}
	}
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "elsewhere: no target: name systems and processors as in linux/386")
		os.Exit(2)
	}
}

// check writes what is wrong with the packages below dir on a target, "system/processor", or how many there are.
func check(out io.Writer, dir, target string, tests bool) error {
	system, processor, ok := strings.Cut(target, "/")
	if !ok || system == "" || processor == "" {
		return fmt.Errorf("target %q: want system/processor, as linux/386", target)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	own := filepath.Join(strings.TrimSpace(string(root)), "src") + string(filepath.Separator)
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule,
		Dir: dir, Tests: tests, Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor), ParseFile: withoutBodies(own),
	}, "./...")
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: no packages", target)
	}
	var wrong []error
	said := map[string]bool{} // a package is checked by itself and with its tests
	say := func(e error) {
		if !said[e.Error()] {
			wrong = append(wrong, fmt.Errorf("%s: %w", target, e))
		}
		said[e.Error()] = true
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind != packages.TypeError || !strings.HasPrefix(e.Pos, own) { // imports that no body uses
				say(e)
			}
		}
		for _, e := range bodiless(p) {
			say(e)
		}
	})
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	_, err = fmt.Fprintf(out, "%s: %d packages\n", target, len(all))
	return err
}

// bodiless lists the functions of a package of the module that have neither a body nor assembly on the target, and assembly that nobody
// tries.
func bodiless(p *packages.Package) (list []error) {
	if p.Module == nil || !p.Module.Main {
		return nil
	}
	var assembly []byte
	for _, file := range p.OtherFiles {
		if filepath.Ext(file) != ".s" {
			continue
		}
		text, err := os.ReadFile(file)
		assembly = append(assembly, text...)
		// What this system assembles is right elsewhere too.
		if here, err2 := build.Default.MatchFile(filepath.Split(file)); err != nil || err2 != nil || !here {
			list = append(list, fmt.Errorf("%s: is not assembled on %s/%s: go build the package for a system and processor where it is", file, runtime.GOOS, runtime.GOARCH))
		}
	}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Body == nil && !regexp.MustCompile(`(?m)^TEXT\s+·`+f.Name.Name+`[(<]`).Match(assembly) {
				list = append(list, fmt.Errorf("%s: %s has no body, and no assembly is for it", p.Fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	return list
}

// withoutBodies parses files, and those in a folder without what their functions do.
func withoutBodies(folder string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
		file, err := parser.ParseFile(set, name, text, parser.AllErrors|parser.SkipObjectResolution)
		if file == nil || !strings.HasPrefix(name, folder) {
			return file, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				f.Body.List = []ast.Stmt{&ast.ForStmt{For: f.Body.Lbrace, Body: &ast.BlockStmt{Lbrace: f.Body.Lbrace, Rbrace: f.Body.Lbrace}}} // returns nothing
			}
		}
		return file, err
	}
}
