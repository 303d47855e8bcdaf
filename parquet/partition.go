package parquet

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// partitions are the columns that the folders of a path say: ".../year=2024/part-0.parquet".
func partitions(path string) map[string]string {
	var found map[string]string
	for _, part := range strings.Split(filepath.ToSlash(filepath.Dir(path)), "/") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			continue
		}
		if found == nil {
			found = map[string]string{}
		}
		found[name] = value
	}
	return found
}

// null is how Hive and Spark write a missing value into the name of a folder.
const null = "__HIVE_DEFAULT_PARTITION__"

var errFolder = errors.New("the name of its folder is no value of the column")

// partitionText is what the name of a folder spells; false for a missing value.
func partitionText(value string) (string, bool, error) {
	if value == null {
		return "", false, nil
	}
	text, err := url.PathUnescape(value) // as those programs escape
	if err != nil {
		return "", false, errFolder
	}
	return text, true, nil
}

// partitionCell is the cell of all rows in such a folder.
func partitionCell(value string, c frames.Column) (float64, error) {
	text, there, err := partitionText(value)
	switch {
	case err != nil:
		return 0, err
	case !there:
		return math.NaN(), nil
	case c.IsDate():
		v, err := c.ReadDay(text)
		if err != nil {
			return 0, errFolder
		}
		return v, nil
	case len(c.Levels) > 0:
		at := slices.Index(c.Levels, text)
		if at < 0 && !slices.Contains(c.Levels, strings.TrimSpace(text)) { // "7 " may be the level "7", or be none
			at = slices.Index(c.Levels, c.Rest)
		}
		return float64(at), nil // of no level noLevel
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || strings.ContainsAny(text, "xX_") {
		return 0, fmt.Errorf("%w: want a number", errFolder)
	}
	return v, nil
}
