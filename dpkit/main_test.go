package dpkit

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain keeps the tests' ledgers out of the user's own state folder. The searches make many small tables and keep none: collecting
// them a fifth as often takes a fifth off the suite's time, for some hundred megabytes.
func TestMain(m *testing.M) {
	debug.SetGCPercent(500)
	state, err := os.MkdirTemp("", "dpkit-test-state-")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_STATE_HOME", state); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(state)
	os.Exit(code)
}
