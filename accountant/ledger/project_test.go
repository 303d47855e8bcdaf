package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// project makes a project's ledger, and the configuration of one below it in the same folder.
func project(t testing.TB) (dir string, p *Ledger, child Config) {
	t.Helper()
	dir = tempDir(t)
	c := testConfig()
	c.Dataset = "the project"
	p = mustCreate(t, filepath.Join(dir, "project.ledger"), c)
	child = testConfig()
	child.Project = "project.ledger"
	return dir, p, child
}

func TestProjectIsChargedToo(t *testing.T) {
	dir, p, c := project(t)
	a := mustCreate(t, filepath.Join(dir, "a.ledger"), c)
	b := mustCreate(t, filepath.Join(dir, "b.ledger"), c)
	for i, l := range []*Ledger{a, b, a} {
		rc := mustRelease(t, l, request(fmt.Sprint("r", i), 0.1), `1`)
		if got := rc.Status.Project; got == nil || got.Releases != i+1 || len(got.Interrupted) > 0 {
			t.Fatalf("status %+v", rc.Status)
		}
	}
	mustRelease(t, a, request("r0", 0.1), `0`) // replays
	s := mustStatus(t, p)
	if s.Releases != 3 || len(s.Interrupted) > 0 || strings.Contains(s.String(), "no value") {
		t.Errorf("project %+v", s)
	}
	for i, e := range mustEntries(t, p) {
		want := []*Ledger{a, b, a}[i].hist.header.ID
		if e.State != Elsewhere || e.Child != want || e.Name != fmt.Sprint("r", i) {
			t.Errorf("entry %+v", e)
		}
	}
	if text := mustStatus(t, a).String(); !strings.Contains(text, `project  "the project": spent ε ≤ `) {
		t.Errorf("status\n%s", text)
	}
	// An ID of a dataset's ledger is no release of the project: it is charged, not replayed.
	if rc := mustRelease(t, p, request("r0", 0.1), `"own"`); rc.Replayed {
		t.Error("the project replays a dataset's release")
	}
	mustRelease(t, mustOpen(t, p.path), request("r0", 0.1), `0`)
}

// The project's budget holds although each dataset's would cover more.
func TestProjectBudget(t *testing.T) {
	dir, p, c := project(t)
	star, err := calibrate(testConfig())
	must(t, err)
	const n = 4
	var children [n]*Ledger
	for i := range n {
		children[i] = mustCreate(t, filepath.Join(dir, fmt.Sprint(i)), c)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	granted, refused := 0, 0
	for i, l := range children {
		wg.Go(func() {
			for k := range 10 { // 40 asks of μ*/4, room for 16
				_, err := l.Release(t.Context(), request(fmt.Sprint(i, k), star/4), draws(`1`, nil))
				mu.Lock()
				switch {
				case err == nil:
					granted++
				case errors.Is(err, ErrBudget):
					refused++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if granted != 16 || refused != 24 {
		t.Errorf("%d granted, %d refused, want 16 and 24", granted, refused)
	}
	sum := 0
	for _, l := range children {
		sum += mustStatus(t, l).Releases
	}
	if got := mustStatus(t, p).Releases; got != 16 || sum != 16 {
		t.Errorf("%d charges of the project, %d of the datasets, want 16", got, sum)
	}
}

// A crash between the two charges: the project counts one too many, never one too few.
func TestProjectCrashBetweenTheCharges(t *testing.T) {
	dir, p, c := project(t)
	path := filepath.Join(dir, "a.ledger")
	must(t, mustCreate(t, path, c).Close())
	if out, err := childCommand(t, "die", path, "project charged").CombinedOutput(); !killed(err) || strings.Contains(string(out), "draw") {
		t.Fatalf("the child ended by %v: %s", err, out)
	}
	l := mustOpen(t, path)
	if own, all := mustStatus(t, l).Releases, mustStatus(t, p).Releases; own != 1 || all != 2 {
		t.Errorf("%d charges, the project has %d, want 1 and 2", own, all)
	}
	if rc := mustRelease(t, l, request("death", 0.05), `1`); rc.Replayed || rc.Status.Releases != 2 || rc.Status.Project.Releases != 3 {
		t.Errorf("%+v", rc)
	}
}

func TestProjectRefuses(t *testing.T) {
	t.Run("no ledger there", func(t *testing.T) {
		c := testConfig()
		c.Project = "none.ledger"
		path := tempPath(t)
		_, err := Create(path, c)
		says(t, err, ErrMissing, "create the project's ledger first")
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Error("a file was made")
		}
	})
	t.Run("another relation", func(t *testing.T) {
		dir, _, c := project(t)
		c.Neighbours = accountant.AddRemove
		if _, err := Create(filepath.Join(dir, "a"), c); err == nil || !strings.Contains(err.Error(), "want one relation") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("gone", func(t *testing.T) {
		dir, p, c := project(t)
		must(t, mustCreate(t, filepath.Join(dir, "a"), c).Close())
		must(t, os.Remove(p.path))
		for range 2 {
			_, err := OpenOrCreate(filepath.Join(dir, "a"), c)
			says(t, err, ErrMissing, "the project's ledger")
		}
	})
	t.Run("another one", func(t *testing.T) {
		dir, p, c := project(t)
		must(t, mustCreate(t, filepath.Join(dir, "a"), c).Close())
		must(t, os.Rename(createdAt(t), p.path))
		_, err := Open(filepath.Join(dir, "a"))
		says(t, err, ErrReplaced, "another one than at creation")
	})
	t.Run("removed while open", func(t *testing.T) {
		dir, p, c := project(t)
		l := mustCreate(t, filepath.Join(dir, "a"), c)
		must(t, os.Remove(p.path))
		_, err := l.Release(t.Context(), request("a", 0.05), draws(`1`, nil))
		says(t, err, ErrMissing, "the project's ledger")
		if n := len(mustEntries(t, l)); n != 0 {
			t.Errorf("%d charges without the project's", n)
		}
	})
	t.Run("inside its own draw", func(t *testing.T) {
		dir, p, c := project(t)
		l := mustCreate(t, filepath.Join(dir, "a"), c)
		_, err := p.Release(t.Context(), request("outer", 0.05), func(ctx context.Context) (json.RawMessage, error) {
			_, err := l.Release(ctx, request("inner", 0.05), draws(`1`, nil))
			return nil, err
		})
		if err == nil || !strings.Contains(err.Error(), "one after the other") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("other configuration", func(t *testing.T) {
		dir, _, c := project(t)
		must(t, mustCreate(t, filepath.Join(dir, "a"), c).Close())
		_, err := OpenOrCreate(filepath.Join(dir, "a"), testConfig())
		says(t, err, ErrConfig, `project: the file has "project.ledger", asked ""`)
	})
}

// Projects of projects are charged up to the top.
func TestProjectOfProject(t *testing.T) {
	dir, top, c := project(t)
	mid := mustCreate(t, filepath.Join(dir, "mid"), c)
	c.Project = "mid"
	low := mustCreate(t, filepath.Join(dir, "low"), c)
	mustRelease(t, low, request("a", 0.05), `1`)
	for _, l := range []*Ledger{top, mid, low} {
		if n := mustStatus(t, l).Releases; n != 1 {
			t.Errorf("%v: %d charges, want 1", l, n)
		}
	}
}

// "From the ledger's folder" means the folder itself, also where the path goes through a link.
func TestProjectThroughALink(t *testing.T) {
	dir, p, c := project(t)
	must(t, os.MkdirAll(filepath.Join(dir, "below"), 0o700))
	link := filepath.Join(tempDir(t), "link")
	must(t, os.Symlink(filepath.Join(dir, "below"), link))
	c.Project = filepath.Join("..", "project.ledger")
	l := mustCreate(t, filepath.Join(link, "a"), c)
	mustRelease(t, l, request("a", 0.05), `1`)
	if n := mustStatus(t, p).Releases; n != 1 {
		t.Errorf("%d charges of the project, want 1", n)
	}
}

// The project's file holds no values: a value behind a charge of a dataset is damage.
func TestProjectHoldsNoValues(t *testing.T) {
	b := version1(t)
	p := charge{ID: request("x", 0).ID, Event: "e", Mu: 0.01, Guarantee: fileOf(request("x", 0).Guarantee), Child: "c"}
	for i, next := range []any{p, store{Charge: 8, Value: []byte(`1`)}} {
		line, err := newRecord(8+i, testTime(), []kind{kindCharge, kindStore}[i], next, mustReplay(t, b).prev)
		must(t, err)
		b = append(append(b, line...), '\n')
		if _, err := replayBytes(b); errors.Is(err, ErrDamaged) != (i == 1) {
			t.Errorf("line %d: %v", 9+i, err)
		}
	}
}
