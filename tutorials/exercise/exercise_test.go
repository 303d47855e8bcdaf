package exercise

import (
	"math"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		name  string
		check func(*C)
		want  []string
	}{
		{"solved", func(c *C) {
			c.Near("x", 1, 1, 0)
			c.Between("x", 1, 1, 1)
			c.True(true, "")
			Equal(c, "x", "a", "a")
		}, nil},
		{"wrong", func(c *C) {
			c.Near("x", 1, 2, 0.5)
			c.Between("y", 1, 2, 3)
			c.True(false, "hint %d", 7)
			Equal(c, "z", 1, 2)
		}, []string{"x: got 1, want 2", "y: got 1, want a number from 2 to 3", "hint 7", "z: got 1, want 2"}},
		{"not a number", func(c *C) {
			c.Near("x", math.NaN(), 1, 1)
			c.Between("y", math.NaN(), 0, 1)
		}, []string{"x: got NaN, want 1", "y: got NaN, want a number from 0 to 1"}},
		{"panic", func(c *C) { c.Errorf("before"); panic("no") }, []string{"before", "panic: no"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := run(tc.check); strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func wrong(c *C) { c.Errorf("x is wrong") }

func TestSolvedOrSkipped(t *testing.T) {
	t.Run("solved", func(t *testing.T) { Test(t, func(*C) {}) })
	var skipped bool
	t.Run("not solved", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Test(t, wrong)
	})
	if !skipped {
		t.Error("an exercise that is not solved is not skipped")
	}
}

func TestView(t *testing.T) {
	for name, tc := range map[string]struct {
		check func(*C)
		want  string
	}{"solved": {func(*C) {}, "✓ solved"}, "wrong": {wrong, "x is wrong"}} {
		if got := view("Scale", tc.check).Text(); !strings.Contains(got, tc.want) || !strings.Contains(got, "exercise Scale") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
