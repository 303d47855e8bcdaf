package function

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/internal/funcsource"
)

// RegisterGota makes a function of a gota frame known under a name and a version, as [Register] does one of numbers. It is called with
// frames of one row alone, made anew for each call: whatever it computes of a frame's rows, a mean or a rank too, is of that row.
func RegisterGota(name, version string, columns []string, fn func(row dataframe.DataFrame) series.Series) error {
	if name == "" || version == "" {
		return fmt.Errorf("dpkit: register gota function: got name %q and version %q, want both: %w", name, version, kind.ErrParameter)
	}
	if fn == nil {
		return fmt.Errorf("dpkit: register gota function %q version %q: got no function: %w", name, version, kind.ErrParameter)
	}
	if err := distinct(columns); err != nil {
		return fmt.Errorf("dpkit: register gota function %q version %q: %w", name, version, err)
	}
	columns = slices.Clone(columns)
	return register(id{name, version}, function{
		call: func(x []float64) float64 { return ofRow(columns, x, fn) }, code: funcsource.Hash(fn, "RegisterGota", 2), columns: columns,
	})
}

func distinct(columns []string) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if c == "" || seen[c] {
			return fmt.Errorf("columns: got %q, want names, each once: %w", columns, kind.ErrParameter)
		}
		seen[c] = true
	}
	if len(columns) == 0 {
		return fmt.Errorf("columns: got none, want those that the function reads: %w", kind.ErrParameter)
	}
	return nil
}

// ofRow is the function's number for one row: NaN where it returns an error, no number, or not exactly one.
func ofRow(columns []string, x []float64, fn func(dataframe.DataFrame) series.Series) float64 {
	cells := make([]series.Series, len(columns))
	for i, c := range columns {
		cells[i] = series.New(x[i:i+1], series.Float, c)
	}
	y := fn(dataframe.New(cells...))
	if y.Err != nil || y.Len() != 1 {
		return math.NaN()
	}
	return y.Elem(0).Float()
}
