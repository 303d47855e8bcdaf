package single

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// ofRuntime is how many goroutines the runtime may start on its own during a test: for cleanups up to one for four processors, the first of which, and
// the one of finalizers, are there before.
func ofRuntime() uint64 { return uint64(max(runtime.GOMAXPROCS(0)/4, 1) - 1) }

// settle has the runtime start what runs finalizers and cleanups, which it does for the first of them, and what collects.
var settle = sync.OnceFunc(func() {
	ran := make(chan bool, 2)
	runtime.SetFinalizer(&[8]int{}, func(*[8]int) { ran <- true })
	runtime.AddCleanup(&[8]int{}, func(int) { ran <- true }, 0)
	for left := 2; left > 0; {
		runtime.GC()
		select {
		case <-ran:
			left--
		case <-time.After(time.Millisecond): // what was written just now may be on the stack still
		}
	}
})

// Goroutine says that what follows in a test, which is not parallel, starts no goroutine. Under the race detector the test is skipped. Elsewhere it
// is held to what it says: it fails if goroutines are started before it ends. A subtest of it says so itself, as it is a goroutine.
func Goroutine(t testing.TB) {
	t.Helper()
	if race {
		t.Skip("it runs in one goroutine, and holds no race")
	}
	settle()
	before := started()
	t.Cleanup(func() {
		if n := started() - before; n > ofRuntime() {
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
