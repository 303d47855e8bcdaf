package single

import (
	"testing"
)

// A test whose errors and skips are kept.
type kept struct {
	testing.TB
	failed, skipped bool
	cleanup         []func()
}

func (k *kept) Errorf(string, ...any) { k.failed = true }
func (k *kept) Skip(...any)           { k.skipped = true }
func (k *kept) Cleanup(f func())      { k.cleanup = append(k.cleanup, f) }
func (k *kept) Helper()               {}

func TestGoroutine(t *testing.T) {
	for _, c := range []struct {
		name    string
		started int
		fails   bool
	}{
		{"none", 0, false},
		{"one", 1 + int(ofRuntime()), true},
		{"ten", 10 + int(ofRuntime()), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &kept{TB: t}
			Goroutine(k)
			done := make(chan bool)
			for range c.started {
				go func() { done <- true }()
				<-done
			}
			for _, f := range k.cleanup {
				f()
			}
			if k.skipped != race {
				t.Errorf("skipped: %v, under the race detector: %v", k.skipped, race)
			}
			if !race && k.failed != c.fails {
				t.Errorf("failed: %v, want %v", k.failed, c.fails)
			}
		})
	}
}
