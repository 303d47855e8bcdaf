package dpkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/tag"
)

// TestReleasesTagTheirCell: a cell in which a ledger was charged or asked says so to its kernel, once for each release, whichever view
// shows it; a demonstration charges nothing and says nothing, and a program that is no cell writes nothing.
func TestReleasesTagTheirCell(t *testing.T) {
	dir := t.TempDir()
	s := private(t, tinyFrame(t, 50, 3), filepath.Join(dir, "ledger"), Budget{Epsilon: 3, Delta: 1e-5})
	p := s.Data().Select("age").Mean(Target{Epsilon: 0.5, Delta: 1e-6}).Named("mean age")
	first := must(p.Release(context.Background())) // in no notebook
	pipe := filepath.Join(dir, "pipe")
	if err := os.WriteFile(pipe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GONB_PIPE", pipe)
	must(p.Release(context.Background()))
	must(s.Data().Select("age").Sum(Target{Epsilon: 0.25, Delta: 1e-6}).Release(context.Background()))
	must(demo(t, tinyFrame(t, 50, 3)).Data().Select("age").Mean(Target{Epsilon: 0.5, Delta: 1e-6}).Release(context.Background()))
	must(Together(Target{Epsilon: 0.125, Delta: 1e-6}, s.Data().Histogram("work", Target{}), s.Data().Select("age").Mean(Target{})).Release(context.Background()))
	raw, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	sent := string(raw)
	if n := strings.Count(sent, tag.MIME); n != 3 {
		t.Errorf("%d displays, want one for each release", n)
	}
	for _, want := range []string{`"name":"mean age"`, `"replayed":true`, `"epsilon":0.25`, `"unit":"row"`, `"name":"Together of 2 plans"`, `"mechanism":"Gaussian noise`, first.Entry} {
		if !strings.Contains(sent, want) {
			t.Errorf("the tags lack %s:\n%q", want, sent)
		}
	}
	if v, _ := first.Value.Value("age"); strings.Contains(sent, strconv.FormatFloat(v, 'g', 4, 64)) {
		t.Error("a released value is in a tag")
	}
	t.Run("a draw that fails", func(t *testing.T) { tagsOfAFailedDraw(t, pipe) })
}

// tagsOfAFailedDraw: what was charged and gave no value is in the cell's tags, without its error's text. A program has one pipe.
func tagsOfAFailedDraw(t *testing.T, pipe string) {
	said := func() string { return string(must(os.ReadFile(pipe))) }
	before := len(said())
	s := private(t, tinyFrame(t, 200, 1), ledgerPath(t), Budget{Epsilon: 5, Delta: 1e-4})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failing := WithProgress(ctx, func(done, _ int) {
		if done == 4 {
			cancel()
		}
	})
	if _, err := progressPlan(s).Release(failing); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want a draw that ended early", err)
	}
	if st := must(s.Status()); st.Releases != 1 || len(st.Interrupted) != 1 {
		t.Fatalf("%v", st)
	}
	if sent := said()[before:]; strings.Count(sent, tag.MIME) != 1 || !strings.Contains(sent, `"failed":true`) || !strings.Contains(sent, `"charged":"2`) ||
		!strings.Contains(sent, must(s.Status()).Interrupted[0].ID) || strings.Contains(sent, "context canceled") {
		t.Errorf("the tags are %q", sent)
	}
	if _, err := s.Data().Select("age").Mean(Target{Epsilon: 100, Delta: 1e-6}).Release(t.Context()); err == nil {
		t.Fatal("a release beyond the budget")
	}
	if sent := said()[before:]; strings.Count(sent, tag.MIME) != 1 {
		t.Error("a release that was not charged is tagged")
	}
}
