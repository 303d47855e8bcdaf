package ledger

import (
	"fmt"
	"testing"
)

func BenchmarkCommit(b *testing.B) {
	l := mustCreate(b, tempPath(b), testConfig())
	i := 0
	for b.Loop() {
		mustRelease(b, l, request(fmt.Sprint(i), 1e-9), `{"mean":38.5}`)
		i++
	}
}

func BenchmarkReplay(b *testing.B) {
	l := mustCreate(b, tempPath(b), testConfig())
	r := request("mean", 0.01)
	for b.Loop() {
		mustRelease(b, l, r, `{"mean":38.5}`)
	}
}

// BenchmarkOpen reads and verifies a ledger of 1000 releases, as every notebook cell does.
func BenchmarkOpen(b *testing.B) {
	path := tempPath(b)
	l := mustCreate(b, path, testConfig())
	for i := range 1000 {
		mustRelease(b, l, request(fmt.Sprint(i), 1e-9), `{"mean":38.5}`)
	}
	b.SetBytes(int64(len(readText(b, path))))
	for b.Loop() {
		l, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		must(b, l.Close())
	}
}
