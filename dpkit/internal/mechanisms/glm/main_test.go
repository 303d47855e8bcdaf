package glm

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has little collected: what lives at a time is small beside what is made and dropped.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
