package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/frames"
)

// variable names the folder that holds the files.
const variable = "DPNB_DATA"

// load reads files at their places under $DPNB_DATA. The origin is the name of the data and the
// first place. A folder that is not set and a file that is not there wrap fs.ErrNotExist.
func load(name string, read func(paths ...string) (*frames.Frame, error), places ...string) (f *frames.Frame, origin string, err error) {
	dir := os.Getenv(variable)
	if dir == "" {
		return nil, "", fmt.Errorf("datasets: %s is not set, want the folder that holds %s (%s): set it: %w", variable, places[0], name, fs.ErrNotExist)
	}
	paths := make([]string, len(places))
	for i, place := range places {
		paths[i] = filepath.Join(dir, filepath.FromSlash(place))
		if _, err := os.Stat(paths[i]); errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("datasets: %s is set but holds no %s (%s): put the file there: %w", variable, place, name, err)
		}
	}
	if f, err = read(paths...); err != nil {
		return nil, "", fmt.Errorf("datasets: %w", err)
	}
	return f, fmt.Sprintf("%s, $%s/%s", name, variable, places[0]), nil
}

// csv is a read for load.
func csv(s frames.Schema, o frames.CSVOptions) func(...string) (*frames.Frame, error) {
	return func(paths ...string) (*frames.Frame, error) { return frames.ReadCSV(paths[0], s, o) }
}

// schema makes a schema of constant columns.
func schema(cols ...frames.Column) frames.Schema {
	s, err := frames.NewSchema(cols...)
	if err != nil {
		panic(err) // impossible: the columns are constants, and a test makes every schema
	}
	return s
}
