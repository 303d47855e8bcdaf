package dpkit

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// theirs is a source of somebody else, whose rows become others once it is told so.
type theirs struct {
	*frames.Frame
	other *frames.Frame
	moved *bool
}

func (s theirs) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	if *s.moved {
		return s.other.Scan(ctx, fn)
	}
	return s.Frame.Scan(ctx, fn)
}

// TestCheckedSource: a release of rows under guard is that of a frame of the same rows, which the ledger knows it for; rows that
// change between passes give none, and what was charged stays charged.
func TestCheckedSource(t *testing.T) {
	ctx := t.Context()
	src := theirs{tinyFrame(t, 2500, 6), tinyFrame(t, 2500, 7), new(bool)}
	if _, err := Create(src, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}); !errors.Is(err, ErrParameter) {
		t.Errorf("without a check: got %v, want ErrParameter", err)
	}
	guarded := must(frames.Check(ctx, src))
	path := ledgerPath(t)
	open := func(f frames.Source) *Session {
		return must(Create(f, Options{Ledger: path, Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}))
	}
	shares := func(s *Session, work string) ([]float64, error) {
		r, err := s.Data().Histogram(work, Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
		return r.Value.Values, err
	}
	s := open(src.Frame)
	want, err := shares(s, "work")
	if err != nil {
		t.Fatal(err)
	}
	must(0, s.Close())
	s = open(guarded)
	if got, err := shares(s, "work"); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want the stored %v", got, err, want)
	}
	if n := must(s.Status()).Releases; n != 1 {
		t.Errorf("the ledger holds %d releases, want the one of the frame", n)
	}
	*src.moved = true
	if _, err := shares(s, "income"); !errors.Is(err, frames.ErrChanged) {
		t.Errorf("other rows: got %v, want ErrChanged", err)
	}
	if n := len(must(s.Status()).Interrupted); n != 1 {
		t.Errorf("other rows: %d interrupted releases, want 1", n)
	}
	must(0, s.Close())
}
