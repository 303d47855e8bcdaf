//go:build !linux

package ledger

import "os"

// syncData makes f's bytes and length durable (on macOS with F_FULLFSYNC).
func syncData(f *os.File) error { return f.Sync() }
