package parquet

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/frames"
)

// Released is a value that a release of dpkit made: Estimates, a Table, a model, whatever turns into a gota frame and says what it promises.
type Released interface {
	// Gota is the value as a table whose rows carry the promise.
	Gota() dataframe.DataFrame
	// Promise is the guarantee in one line, or why there is none.
	Promise() string
}

// Keys of a file's metadata: what the values promise, in words, and where each comes from, in JSON (dpkit's Provenance: mechanism,
// guarantee, unit, dataset, entry of the ledger).
const (
	KeyPromise    = "dpnb.promise"
	KeyProvenance = "dpnb.provenance"
)

// Write writes a released value as the rows of its gota frame, which carry what it promises, and puts that into the file's metadata too. A
// missing number is NULL. The file appears whole or not at all.
func Write(path string, r Released) error {
	v := reflect.ValueOf(r)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("parquet: %s: got no value, want a released one: %w", path, frames.ErrOptions)
	}
	meta := map[string]string{KeyPromise: r.Promise()}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		if p := v.FieldByName("Provenance"); p.IsValid() && p.CanInterface() {
			text, err := json.Marshal(p.Interface())
			if err != nil {
				return fmt.Errorf("parquet: %s: provenance: %w", path, err)
			}
			meta[KeyProvenance] = string(text)
		}
	}
	return writeFrame(path, r.Gota(), meta)
}

// WriteGota writes a gota frame that came from released values and was filtered, sorted or joined since: its column "promise" says in every
// row what the row promises, and the metadata lists each such promise once. A frame without that column, or without a promise in some
// row, is refused with [frames.ErrPrivate]: nothing says that its rows may be seen.
func WriteGota(path string, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("parquet: %s: got a frame that carries an error, want one that loaded: look at its Err: %w", path, frames.ErrOptions)
	}
	if !slices.Contains(df.Names(), "promise") {
		return fmt.Errorf("parquet: %s: the frame has no column \"promise\", want one that a released value's Gota made: %w", path, frames.ErrPrivate)
	}
	var promises []string
	s := df.Col("promise")
	for i := range s.Len() {
		p := s.Elem(i)
		if p.IsNA() || p.String() == "" {
			return fmt.Errorf("parquet: %s: row %d promises nothing, want a promise in every row: %w", path, i+1, frames.ErrPrivate)
		}
		if !slices.Contains(promises, p.String()) {
			promises = append(promises, p.String())
		}
	}
	return writeFrame(path, df, map[string]string{KeyPromise: strings.Join(promises, "\n")})
}

func writeFrame(path string, df dataframe.DataFrame, meta map[string]string) (err error) {
	if df.Err != nil || df.Ncol() == 0 {
		return fmt.Errorf("parquet: %s: the value has no table, want one: %w", path, frames.ErrOptions)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error says more
			err = fmt.Errorf("parquet: %s: write: %w", path, err)
		}
	}()
	err = writeTable(f, df, meta)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

func writeTable(to io.Writer, df dataframe.DataFrame, meta map[string]string) error {
	names := df.Names()
	group := pq.Group{}
	for i, name := range names {
		if _, twice := group[name]; twice || name == "" {
			return fmt.Errorf("column %d has no name of its own: rename it: %w", i+1, frames.ErrOptions)
		}
		group[name] = pq.Optional(nodeOf(df.Col(name).Type()))
	}
	options := []pq.WriterOption{pq.NewSchema("released", ordered{group, names}), pq.Compression(&pq.Snappy)}
	for key, value := range meta {
		options = append(options, pq.KeyValueMetadata(key, value))
	}
	w := pq.NewWriter(to, options...)
	cols := make([]series.Series, len(names))
	for i, name := range names {
		cols[i] = df.Col(name)
	}
	row := make(pq.Row, len(names))
	for i := range df.Nrow() {
		for j := range cols {
			row[j] = valueOf(cols[j].Elem(i), j)
		}
		if _, err := w.WriteRows([]pq.Row{row}); err != nil {
			return err
		}
	}
	return w.Close()
}

// ordered is a group whose columns stand in the order of the frame, not of their names.
type ordered struct {
	pq.Group
	names []string
}

func (o ordered) Fields() []pq.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b pq.Field) int {
		return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name())
	})
	return fields
}

func nodeOf(t series.Type) pq.Node {
	switch t {
	case series.Float:
		return pq.Leaf(pq.DoubleType)
	case series.Int:
		return pq.Int(64)
	case series.Bool:
		return pq.Leaf(pq.BooleanType)
	}
	return pq.String()
}

func valueOf(e series.Element, column int) pq.Value {
	if e.IsNA() {
		return pq.NullValue().Level(0, 0, column)
	}
	var v pq.Value
	switch e.Type() {
	case series.Float:
		if v = pq.DoubleValue(e.Float()); math.IsNaN(e.Float()) {
			return pq.NullValue().Level(0, 0, column)
		}
	case series.Int:
		n, err := e.Int()
		if err != nil {
			return pq.NullValue().Level(0, 0, column)
		}
		v = pq.Int64Value(int64(n))
	case series.Bool:
		b, err := e.Bool()
		if err != nil {
			return pq.NullValue().Level(0, 0, column)
		}
		v = pq.BooleanValue(b)
	default:
		v = pq.ByteArrayValue([]byte(e.String()))
	}
	return v.Level(0, 1, column)
}
