package dpkit

import (
	"os"
	"testing"
)

// TestMain keeps the tests' ledgers out of the user's own state folder.
func TestMain(m *testing.M) {
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
