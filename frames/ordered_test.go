package frames_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestOrderedLevels: an order of levels is a public fact of the schema, which its hash, its text and its file hold, and columns without one
// are what they were.
func TestOrderedLevels(t *testing.T) {
	plain := frames.Category("size", "S", "M", "L")
	hash := func(c frames.Column) [32]byte { return must(frames.NewSchema(c)).Hash() }
	seen := map[[32]byte]bool{}
	for _, c := range []frames.Column{plain, plain.MayMiss(), plain.InOrder(), plain.MayMiss().InOrder(), plain.Other("M"), plain.Other("M").InOrder()} {
		seen[hash(c)] = true
		s := must(frames.NewSchema(c))
		var back frames.Schema
		if err := json.Unmarshal(must(json.Marshal(s)), &back); err != nil || back.Hash() != s.Hash() {
			t.Errorf("%v: read back %v, %v", s, back, err)
		}
		if got := strings.Contains(s.String(), "in order"); got != c.Ordered {
			t.Errorf("in order %v:\n%v", c.Ordered, s)
		}
	}
	if len(seen) != 6 {
		t.Errorf("6 columns have %d hashes", len(seen))
	}
	for name, c := range map[string]frames.Column{
		"numbers": frames.Numeric("a", 0, 1).InOrder(),
		"ignored": frames.Ignored("a").InOrder(),
		"person":  frames.Person("a").InOrder(),
	} {
		if _, err := frames.NewSchema(c); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
