package rows

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRuns: lists that overlap in any way come out in the order of keys, each once, with sums; as often as it is asked for.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 21))
	for range 20 {
		r, err := NewRuns(8, 3)
		if err != nil {
			t.Skip(err)
		}
		want := map[string][]int64{}
		for range rng.IntN(9) {
			list := map[string][]int64{}
			for range rng.IntN(300) {
				list[string(binary.BigEndian.AppendUint64(nil, rng.Uint64N(200)))] = []int64{1, -rng.Int64N(5), rng.Int64()}
			}
			keys := slices.Sorted(maps.Keys(list))
			if err := r.Add(len(keys), func(i int) (string, []int64) { return keys[i], list[keys[i]] }); err != nil {
				t.Fatal(err)
			}
			for k, v := range list {
				if want[k] == nil {
					want[k] = make([]int64, 3)
				}
				for i := range v {
					want[k][i] += v[i]
				}
			}
		}
		for range 2 {
			var keys []string
			err := r.Merge(t.Context(), func(key []byte, numbers []int64) error {
				if keys = append(keys, string(key)); !slices.Equal(numbers, want[string(key)]) {
					t.Errorf("%x: got %v, want %v", key, numbers, want[string(key)])
				}
				return nil
			})
			if err != nil || !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
				t.Fatalf("%d keys, want %d: %v", len(keys), len(want), err)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRunsArePrivate: the file has no name and no rights for others, and what stands in it is not what was written; errors tell no numbers.
func TestRunsArePrivate(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	r, err := NewRuns(16, 1)
	if err != nil {
		t.Skip(err)
	}
	const key = "a private key, a"
	for range 2 { // the same list twice
		if err := r.Add(1, func(int) (string, []int64) { return key, []int64{7} }); err != nil {
			t.Fatal(err)
		}
	}
	raw := make([]byte, r.end)
	if _, err := r.file.ReadAt(raw, 0); err != nil && err.Error() != "EOF" {
		t.Log(err)
	}
	if bytes.Contains(raw, []byte("private")) || bytes.Equal(raw[:16], raw[32:48]) {
		t.Errorf("the file can be read: %q", raw)
	}
	info, err := r.file.Stat()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files have names: %v", len(left), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Merge(ctx, func([]byte, []int64) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	err = r.Add(12345, func(int) (string, []int64) { return key, []int64{7} })
	if err == nil || strings.Contains(strings.ReplaceAll(fmt.Sprint(err), folder, ""), "12345") || strings.Contains(fmt.Sprint(err), "private key") {
		t.Errorf("a closed file: %v", err)
	}
	t.Setenv("TMPDIR", filepath.Join(folder, "none"))
	if _, err := NewRuns(16, 1); !errors.Is(err, ErrNoRuns) {
		t.Errorf("no folder: %v", err)
	}
}
