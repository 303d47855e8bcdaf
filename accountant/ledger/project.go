package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// projectPath is where the ledger at path finds its project's.
func projectPath(path, project string) string {
	if filepath.IsAbs(project) {
		return project
	}
	return filepath.Join(filepath.Dir(path), project)
}

// projectID checks the project's ledger for one that is about to be created, and returns its ID; ""
// without a project.
func projectID(path string, c Config) (string, error) {
	if c.Project == "" {
		return "", nil
	}
	if file, err := canonical(path); err == nil {
		path = file // as Open does: ".." of a linked folder is not that of the link
	}
	p, err := OpenReader(projectPath(path, c.Project))
	if err != nil {
		return "", fmt.Errorf("ledger: create %s: config: project: %w; no ledger was made: create the project's ledger first", path, err)
	}
	defer p.Close()
	//dp:refuses project/another-relation a replaced row is two that come and go
	if rel := p.Config().Neighbours; rel != c.Neighbours {
		return "", fmt.Errorf("ledger: create %s: config: project: it is kept for %v, asked %v: want one relation; no ledger was made", path, rel, c.Neighbours)
	}
	//dp:refuses project/another-unit a person may have any number of rows
	if u := p.Config().Unit; u != c.Unit {
		return "", fmt.Errorf("ledger: create %s: config: project: it is kept per %v, asked per %v: want one unit of privacy; no ledger was made", path, u, c.Unit)
	}
	return p.hist.header.id(), nil
}

// openProject opens the project's ledger. Without it nothing can be charged, so that there is no handle.
func (l *Ledger) openProject() error {
	want := l.hist.header.Config
	if want.Project == "" {
		return nil
	}
	p, err := open(projectPath(l.path, want.Project), l.opt)
	if err != nil {
		return fmt.Errorf("ledger: open %s: the project's ledger: %w", l.path, err)
	}
	if p.hist.header.id() != want.ProjectID {
		_ = p.Close()
		return fmt.Errorf("ledger: open %s: the project's ledger: %s is another one than at creation: %w: put that one back", l.path, p.path, ErrReplaced)
	}
	l.project = p
	return nil
}

// chargeProject charges l, and first its own project, for a release of the ledger child. The charge has
// no value here, so that the lock is held for the charge alone. A crash before the child's own charge
// leaves the project charged for nothing: it counts too much, never too little.
func (l *Ledger) chargeProject(ctx context.Context, child *Ledger, r Request) error {
	c, err := costOf(r.Event, l.Config()) // in the parts that this ledger keeps
	if err != nil {
		return fmt.Errorf("ledger: %w (release %s)", err, r.label())
	}
	if err := l.begin(); err != nil {
		return err
	}
	defer l.end()
	if ctx.Value(inDraw{l.gate.id}) != nil {
		return errors.New("ledger: the project's ledger: asked inside the draw of one of its own releases, which holds it: release one after the other")
	}
	if err := l.gate.lock(ctx, l.file, l.opt.lock); err != nil {
		return err
	}
	defer l.gate.unlock(l.file)
	if r.Split != "" { // its own: people of another dataset are split in another way
		//dp:charges project/splits-of-two-datasets somebody may be in another part in each dataset
		//dp:lift child.hist.header.id() => ""
		//dp:charges project/splits-of-two-versions somebody may be in another part in each version
		//dp:lift r.splitKey() => r.Split
		r.Split = lineHash([]byte(child.hist.header.id() + "\n" + r.splitKey()))
	}
	r.Version, r.Data, r.Columns, r.Rows = "", "", nil, 0 // bound in the ledger of the dataset
	if err := l.refuseDraw(r); err != nil {
		return err
	}
	if err := l.admit(r, c); err != nil {
		return err
	}
	if l.project != nil {
		if err := l.project.chargeProject(ctx, l, r); err != nil {
			return err
		}
	}
	if _, err := l.commit(ctx, r, c, child.hist.header.id()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.checkpoint()
	return nil
}
