package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
)

// Several are exports of notebooks of one module, in folders of their own below one folder, which holds the go.mod: one run of go test
// tests all, and looks up what they import once.
type Several struct {
	dir  string
	list []*Package
}

// InOne begins a collection of exports in a folder that is empty.
func InOne(dir string) *Several { return &Several{dir: dir} }

// Add writes the package of a notebook.
func (s *Several) Add(p *Package) error {
	name := exportName(len(s.list))
	dir := filepath.Join(s.dir, name)
	if err := p.WriteDir(dir); err != nil {
		return err
	}
	for file, data := range p.Files {
		if path.Base(file) != goFile {
			continue
		}
		clause := clauseOfPackage.Find(data)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path.Dir(file)), apartFile), fmt.Appendf(nil, apart, clause, name, celltest.EnvWork), 0o644); err != nil {
			return fmt.Errorf("nb: cannot write the export: %w", err)
		}
	}
	s.list = append(s.list, p)
	return nil
}

// apartFile stands beside each Go file of an export, and before it by its name: what it sets is set first. Package celltest may be of another
// version, which knows of one notebook.
const apartFile = "apart_test.go"

// apart has the cells of a notebook work in a folder of their own.
const apart = `%s

import (
	nbOS "os"
	nbFilepath "path/filepath"
)

var _ = func() error {
	const name, work = %q, %q
	if dir := nbOS.Getenv(work); nbFilepath.Base(dir) != name {
		return nbOS.Setenv(work, nbFilepath.Join(dir, name))
	}
	return nil
}()
`

var clauseOfPackage = regexp.MustCompile(`(?m)^package \S+$`)

// exportName is the folder of the i-th export.
func exportName(i int) string { return fmt.Sprintf("n%02d", i+1) }

// inExport finds the folder of an export in the import path of a package.
var inExport = regexp.MustCompile(`^[^/ ]+/(n[0-9]{2,})(?:/|_test|\.test|[ ]|$)`)

// Test runs the tests of all as [Test] does those of one: each notebook in a copy of its folder, with ledgers of its own. It calls
// ended with the number of each notebook that was added, from 0, and with what Test returns of it, as soon as its last test has ended and those
// before have; where ctx ends, the first whose tests had not ended is the last. Done of o is not called. The error says why none
// could be tested.
func (s *Several) Test(ctx context.Context, o TestOptions, ended func(i int, report *TestReport, err error)) error {
	work, remove, err := celltest.Scratch(os.TempDir(), celltest.ScratchPrefix)
	if err != nil {
		return err
	}
	defer remove()
	readers, byName := make([]*reader, len(s.list)), map[string]int{}
	for i, p := range s.list {
		readers[i] = newReader(p, filepath.Join(work, exportName(i)), nil)
		if err := os.Mkdir(readers[i].work, 0o700); err != nil {
			return err
		}
		byName[exportName(i)] = i
	}
	next := 0
	// tell tells of the notebooks that have ended, in order.
	tell := func() {
		for ; next < len(readers) && readers[next].ended >= readers[next].pkg.count(); next++ {
			report, err := readers[next].outcome(ctx, nil, "", o)
			ended(next, report, err)
		}
	}
	var loose strings.Builder          // nobody's
	builds := map[string][]testEvent{} // what the compiler says of packages that notebooks import, mostly once for all
	told := map[string]bool{}          // whom of which of them
	says, err := goTest(ctx, s.dir, o, []string{celltest.EnvWork + "=" + work}, func(line []byte) {
		var e testEvent
		if json.Unmarshal(line, &e) != nil {
			loose.Write(append(line, '\n'))
			return
		}
		m := inExport.FindStringSubmatch(e.Package + e.ImportPath)
		if m == nil {
			if e.Action == "build-output" && !slices.Contains(builds[e.ImportPath], e) { // of what cannot be loaded it comes for each
				builds[e.ImportPath] = append(builds[e.ImportPath], e)
			}
			return
		}
		i, ok := byName[m[1]]
		if !ok {
			return
		}
		if who := m[1] + " " + e.FailedBuild; !told[who] { // once for all epochs
			told[who] = true
			for _, said := range builds[e.FailedBuild] {
				readers[i].event(said)
			}
		}
		readers[i].event(e)
		tell()
	})
	if errors.Is(err, ErrModule) {
		return err
	}
	if !slices.ContainsFunc(readers, func(r *reader) bool { return celltest.Drew(celltest.StateFolder(r.work)) }) {
		says += loose.String()
	}
	for ; next < len(readers); next++ {
		r := readers[next]
		report, err := r.outcome(ctx, err, says+r.shown(r.loose.String()), o)
		if ended(next, report, err); ctx.Err() != nil {
			break // those behind it have not begun
		}
	}
	return nil
}

// count is how many packages the export of a notebook has.
func (p *Package) count() (n int) {
	for name := range p.Files {
		if path.Base(name) == goFile {
			n++
		}
	}
	return n
}
