package single

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// ofRuntime is how many goroutines the runtime may start on its own during a test, for finalizers and cleanups.
const ofRuntime = 2

// Goroutine says that what follows in a test, which is not parallel, starts no goroutine. Under the race detector the test is skipped. Elsewhere it
// is held to what it says: it fails if goroutines are started before it ends. A subtest of it says so itself, as it is a goroutine.
func Goroutine(t testing.TB) {
	t.Helper()
	if race {
		t.Skip("it runs in one goroutine, and holds no race")
	}
	runtime.GC() // starts the goroutines that collect
	before := started()
	t.Cleanup(func() {
		if n := started() - before; n > ofRuntime {
			t.Errorf("the test says that it runs in one goroutine, and started %d: without single.Goroutine the race detector sees it", n)
		}
	})
}

// started counts the goroutines that were ever started.
func started() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
