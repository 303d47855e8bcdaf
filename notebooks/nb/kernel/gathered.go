package kernel

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// gathered is what a kernel would build of a notebook's cells. It is kept: a notebook that is checked again needs no kernel to find it
// out. It says what is built beforehand and no more, as cells whose kernel builds another program do not take one of these.
type gathered struct {
	Mod, Sum []byte   // the module of the last cell; cells that see another one are built by themselves
	Mains    [][]byte // the programs, in order
	whole    bool     // of every cell
}

// gatheredIn reads what cellgo gathered in a folder.
func gatheredIn(dir string) (g gathered, err error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return g, err
	}
	var builds []prebuilt.Build
	for _, f := range folders {
		if b, err := prebuilt.Read(filepath.Join(dir, f.Name())); err == nil { // else it was not written to its end
			builds = append(builds, b)
		}
	}
	if len(builds) == 0 {
		return g, errors.New("nb: no cell is built")
	}
	last := builds[len(builds)-1]
	g.Mod, g.Sum = last.Mod, last.Sum
	for _, b := range builds {
		if bytes.Equal(b.Mod, last.Mod) && bytes.Equal(b.Sum, last.Sum) {
			g.Mains = append(g.Mains, b.Main)
		}
	}
	return g, nil
}

// Bounds of what is kept: files, the oldest go, and their age.
const (
	mostGathered = 256
	gatheredAge  = 5 * 24 * time.Hour
)

// gatheredName is the name of a file that keeps a notebook's programs; nothing else is removed, whatever folder the cache is.
var gatheredName = regexp.MustCompile(`^cells-[0-9a-f]{32}\.json$`)

// gatheredFile is the file for a notebook's programs: of its cells, the kernel's own programs, and the module around it. It is "" where there is no
// module, or no cache.
func (r *run) gatheredFile(n *nb.Notebook) string {
	if r.module == "" || !filepath.IsAbs(r.Cache) {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", []string{r.setup.Tools, r.setup.Front, r.module})
	for _, c := range n.Cells {
		if c.Type == "code" {
			fmt.Fprintf(h, "%q %v\n", c.Source, c.HasTag(tagSkip))
		}
	}
	return filepath.Join(r.Cache, "cells", "cells-"+hex.EncodeToString(h.Sum(nil)[:16])+".json")
}

// readGathered reads what was kept, from a folder that nobody else writes to.
func readGathered(file string) (g gathered, err error) {
	info, err := os.Lstat(filepath.Dir(file))
	if err != nil {
		return g, err
	}
	if file == "" || !info.IsDir() || !prebuilt.Owned(info) {
		return g, errors.New("nb: nothing is kept")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return g, err
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return g, err
	}
	if len(g.Mod) == 0 || len(g.Mains) == 0 {
		return g, errors.New("nb: what is kept names no program")
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // it is in use
	return g, nil
}

// keep writes it down for the next time, or does not. What was gathered up to a cell that failed may be more the next time.
func (g gathered) keep(file string) {
	if file == "" || !g.whole {
		return
	}
	data, err := json.Marshal(g)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	next := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(next, data, 0o600) != nil || os.Rename(next, file) != nil {
		_ = os.Remove(next)
	}
	trimGathered(filepath.Dir(file))
}

// trimGathered removes what is old, and the oldest of what is more than is kept.
func trimGathered(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var list []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && gatheredName.MatchString(e.Name()) {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, info := range list {
		if i >= mostGathered || time.Since(info.ModTime()) > gatheredAge {
			_ = os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}
