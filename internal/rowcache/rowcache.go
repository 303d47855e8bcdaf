package rowcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix ends the name of every file of a cache.
const Suffix = ".rows"

// Folder is the user's own.
func Folder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for caches: %w: set XDG_CACHE_HOME, or name a folder", err)
	}
	return filepath.Join(dir, "dpnb", "rows"), nil
}

// Files are those of a folder; none where there is no such folder.
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
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == Suffix {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files, nil
}

// Remove removes the files of a folder, and says how many there were and their bytes.
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
