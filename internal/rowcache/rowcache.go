package rowcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// Suffix ends the name of every file of a cache, those that are being written too.
const Suffix = ".rows"

// Pattern is that of os.CreateTemp for a file that is being written. A process that is killed leaves it there, with rows in it: it is one of the
// files of the cache.
const Pattern = "new-*" + Suffix

// names are those that files of a cache have: others in the folder are somebody's own.
var names = regexp.MustCompile(`^([0-9a-f]{32}|new-[0-9]+)\.rows$`)

// Folder is the user's own.
func Folder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for caches: %w: set XDG_CACHE_HOME, or name a folder", err)
	}
	return filepath.Join(dir, "dpnb", "rows"), nil
}

// Files are those of the cache in a folder; none where there is no such folder.
func Files(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() && names.MatchString(e.Name()) {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files, nil
}

// Remove removes the files of the cache in a folder, and says how many there were and their bytes.
func Remove(folder string) (files int, bytes int64, err error) {
	paths, err := Files(folder)
	if err != nil {
		return 0, 0, err
	}
	for _, path := range paths {
		if info, bad := os.Stat(path); bad == nil {
			bytes += info.Size()
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files, bytes, err
		}
		files++
	}
	return files, bytes, nil
}
