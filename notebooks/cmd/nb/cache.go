package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

const cacheUsage = `nb cache list [folder...]   the tables that programs keep so that they need not be parsed again (frames.Cache)
nb cache rm   [folder...]   remove them

Without a folder it is that of yours. The files hold private rows; nothing but time is lost with them.

`

func cacheCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	words, code, ok := newFlagSet("cache", cacheUsage, stderr).parse(args)
	switch {
	case !ok:
		return code
	case len(words) == 0:
		return misuse(stderr, "cache: nothing to do given, want list or rm")
	case words[0] != "list" && words[0] != "rm":
		return misuse(stderr, "cache: got %q, want list or rm", words[0])
	}
	folders := words[1:]
	if len(folders) == 0 {
		own, err := rowcache.Folder()
		if err != nil {
			fmt.Fprintln(stderr, "nb cache:", err)
			return exitEnvironment
		}
		folders = []string{own}
	}
	for _, folder := range folders {
		if err := cacheFolder(words[0], folder, stdout); err != nil {
			fmt.Fprintln(stderr, "nb cache:", err)
			return exitEnvironment
		}
	}
	return exitOK
}

func cacheFolder(do, folder string, stdout io.Writer) error {
	if do == "rm" {
		n, bytes, err := rowcache.Remove(folder)
		fmt.Fprintf(stdout, "%s: removed %d tables of %.1f MB\n", folder, n, float64(bytes)/1e6)
		return err
	}
	files, err := rowcache.Files(folder)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d tables\n", folder, len(files))
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			continue // somebody removed it
		}
		fmt.Fprintf(stdout, "  %s  %s  %.1f MB\n", filepath.Base(file), info.ModTime().Format("2006-01-02 15:04"), float64(info.Size())/1e6)
	}
	return nil
}
