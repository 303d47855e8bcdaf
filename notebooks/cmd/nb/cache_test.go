package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

func TestCacheCommand(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, strings.Repeat("a", 32)+rowcache.Suffix)
	if err := os.WriteFile(file, make([]byte, 2_000_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"cache", "list", dir}, exitOK, "1 tables"},
		{[]string{"cache", "rm", dir}, exitOK, "removed 1 tables of 2.0 MB"},
		{[]string{"cache", "list", dir}, exitOK, "0 tables"},
		{[]string{"cache"}, exitUsage, "want list or rm"},
		{[]string{"cache", "drop"}, exitUsage, `got "drop"`},
		{[]string{"cache", "-h"}, exitOK, "private rows"},
	} {
		var out bytes.Buffer
		if code := command(t.Context(), c.args, &out, &out); code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: status %d: %s", c.args, code, &out)
		}
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("the table is still there")
	}
}
