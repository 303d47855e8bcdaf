package frames_test

import (
	"errors"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func TestZeroFrame(t *testing.T) {
	var f frames.Frame
	if f.Rows() != 0 || f.Schema().Len() != 0 || len(f.Clamped()) != 0 || f.String() != "frame without rows\n" {
		t.Errorf("got %d rows, %v", f.Rows(), f)
	}
	if err := f.Scan(t.Context(), func(*frames.Block) error { t.Error("called"); return nil }); err != nil {
		t.Error(err)
	}
	if f.Fingerprint(nil) == secretFrame(t).Fingerprint(nil) {
		t.Error("the zero frame has another's fingerprint")
	}
	if p := frames.Public(&f); p.Head(3) != "\n" || len(p.Names()) != 0 {
		t.Errorf("got %q", p.Head(3))
	}
	if _, _, err := frames.Split(&f, 0.5, 1); !errors.Is(err, frames.ErrEmpty) {
		t.Errorf("Split: got %v, want ErrEmpty", err)
	}
	if _, err := frames.Collect(t.Context(), &f); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("Collect: got %v, want ErrSchema", err)
	}
}
