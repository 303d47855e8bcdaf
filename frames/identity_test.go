package frames_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
)

// csvOf is a file of texts v and zeros x.
func csvOf(texts []string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	records := [][]string{{"v", "x"}}
	for _, text := range texts {
		records = append(records, []string{text, "0"})
	}
	if err := w.WriteAll(records); err != nil {
		panic(err)
	}
	return b.String()
}

// quotedCSVOf is csvOf with all texts in quotes.
func quotedCSVOf(texts []string) string {
	b := "v,x\n"
	for _, text := range texts {
		b += `"` + strings.ReplaceAll(text, `"`, `""`) + `",0` + "\n"
	}
	return b
}

// arffOf is a file of texts v and numbers x.
func arffOf(texts []string) string {
	b := "@relation r\n@attribute v string\n@attribute x numeric\n@data\n"
	for _, text := range texts {
		b += "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + "',0\n"
	}
	return b
}

// again is a source as another process opens it, of what it was told.
func again(src frames.Source, err error, open func(told []byte) (frames.Source, error)) (frames.Source, error) {
	if err != nil {
		return nil, err
	}
	told, err := frames.Opened(context.Background(), src)
	if err != nil {
		return nil, err
	}
	return open(told)
}

// source drops a pointer that an error comes with.
func source[S frames.Source](src S, err error) (frames.Source, error) {
	if err != nil {
		return nil, err
	}
	return src, nil
}

// blockOfTexts are texts as a program's own source has them, or why one cannot be there.
func blockOfTexts(s frames.Schema, texts []string) (*frames.Block, error) {
	b := &frames.Block{Rows: len(texts), Cols: s.Width()}
	for _, text := range texts {
		c, person := s.Person()
		if person {
			b.Person = append(b.Person, frames.NewPersonID([]byte(text)))
			b.X = append(b.X, 0)
			continue
		}
		label, ok := s.Label()
		if c, _ = s.Column("v"); c.Kind == frames.KindText {
			code, err := c.Code(text)
			if err != nil {
				return nil, err
			}
			b.X = append(b.X, code, 0)
			continue
		}
		code := slices.Index(c.Levels, text)
		if code < 0 {
			return nil, frames.ErrLevel
		}
		if ok && label.Name == "v" {
			b.Y, b.X = append(b.Y, float64(code)), append(b.X, 0)
		} else {
			b.X = append(b.X, float64(code), 0)
		}
	}
	return b, nil
}

// svmTexts are the numbers that levels of a libsvm file are, of which no two are one.
var svmTexts = []string{
	"0", "7", "70", "-7", "0.1", "0.1000000000000000055", "0.10000000000000001", "9007199254740992", "9007199254740993", "-9007199254740993",
	"18000000000000000001", "18000000000000000002", "340282366920938463463374607431768211455", "340282366920938463463374607431768211456", "1e300", "1e-300", "123.456e-7", "1e-400",
}

// loaders are the sources of this package, by which tests read texts.
func loaders() map[string]hostile.Loader {
	o, svm := frames.CSVOptions{Header: true}, frames.LibSVMOptions{}
	csv := func(read func(path string, s frames.Schema) (frames.Source, error)) hostile.Loader {
		return hostile.Loader{Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			return read(written(t, "t.csv", csvOf(texts)), s)
		}}
	}
	arff := func(read func(path string, s frames.Schema) (frames.Source, error)) hostile.Loader {
		return hostile.Loader{Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			return read(written(t, "t.arff", arffOf(texts)), s)
		}}
	}
	libsvm := func(read func(path string, s frames.Schema) (frames.Source, error)) hostile.Loader {
		return hostile.Loader{
			Texts: svmTexts, Without: map[string]string{hostile.AsPerson: "its columns are numbers", hostile.AsText: "its columns are numbers"},
			Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
				b := ""
				for i, text := range texts {
					if _, label := s.Label(); label {
						b += text + " 1:0\n"
					} else {
						b += strconv.Itoa(i%2) + " 1:" + text + " 2:0\n"
					}
				}
				return read(written(t, "t.libsvm", b), s)
			},
		}
	}
	block := func(read func(s frames.Schema, b *frames.Block) (frames.Source, error)) hostile.Loader {
		return hostile.Loader{Read: func(_ testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			b, err := blockOfTexts(s, texts)
			if err != nil {
				return nil, err
			}
			return read(s, b)
		}}
	}
	through := func(in func(read func(string, frames.Schema) (frames.Source, error)) hostile.Loader, read func(c frames.Cache, path string, s frames.Schema) (*frames.Frame, error)) hostile.Loader {
		var kept frames.Cache
		out := in(func(path string, s frames.Schema) (frames.Source, error) {
			if _, err := read(kept, path, s); err != nil {
				return nil, err
			}
			return source(read(kept, path, s)) // from the cache
		})
		inner := out.Read
		out.Read = func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			kept = frames.Cache{Folder: filepath.Join(t.TempDir(), "cache")}
			return inner(t, s, texts)
		}
		return out
	}
	idx := func(read func(images, labels string, o frames.IDXOptions) (frames.Source, error)) hostile.Loader {
		return hostile.Loader{
			Texts:   []string{"0", "1", "7", "10", "70", "100", "255"},
			Without: map[string]string{hostile.AsPerson: "a file has images and labels", hostile.AsCategory: "the same", hostile.AsText: "the same"},
			Read: func(t testing.TB, _ frames.Schema, texts []string) (frames.Source, error) {
				count := byte(len(texts))
				images, labels := []byte{0, 0, 8, 2, 0, 0, 0, count, 0, 0, 0, 1}, []byte{0, 0, 8, 1, 0, 0, 0, count}
				for _, text := range texts {
					v := must(strconv.ParseUint(text, 10, 8))
					images, labels = append(images, 0), append(labels, byte(v))
				}
				return read(written(t, "images", string(images)), written(t, "labels", string(labels)), frames.IDXOptions{Labels: []uint8{255, 100, 70, 10, 7, 1, 0}})
			},
		}
	}
	return map[string]hostile.Loader{
		"ReadCSV": csv(func(path string, s frames.Schema) (frames.Source, error) { return source(frames.ReadCSV(path, s, o)) }),
		"OpenCSV": csv(func(path string, s frames.Schema) (frames.Source, error) { return source(frames.OpenCSV(path, s, o)) }),
		"OpenCSVAs": csv(func(path string, s frames.Schema) (frames.Source, error) {
			f, err := frames.OpenCSV(path, s, o)
			return again(f, err, func(told []byte) (frames.Source, error) { return source(frames.OpenCSVAs(path, s, o, told)) })
		}),
		"ParseCSV": {Read: func(_ testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			return source(frames.ParseCSV(strings.NewReader(quotedCSVOf(texts)), "t", s, o))
		}},
		"ReadARFF": arff(func(path string, s frames.Schema) (frames.Source, error) {
			return source(frames.ReadARFF(path, s, frames.ARFFOptions{}))
		}),
		"OpenARFF": arff(func(path string, s frames.Schema) (frames.Source, error) {
			return source(frames.OpenARFF(path, s, frames.ARFFOptions{}))
		}),
		"ParseARFF": {Read: func(_ testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			return source(frames.ParseARFF(strings.NewReader(arffOf(texts)), "t", s, frames.ARFFOptions{}))
		}},
		"ReadLibSVM": libsvm(func(path string, s frames.Schema) (frames.Source, error) {
			return source(frames.ReadLibSVM(path, s, svm))
		}),
		"OpenLibSVM": libsvm(func(path string, s frames.Schema) (frames.Source, error) {
			return source(frames.OpenLibSVM(path, s, svm))
		}),
		"ParseLibSVM": libsvm(func(path string, s frames.Schema) (frames.Source, error) {
			return source(frames.ParseLibSVM(strings.NewReader(contents(path)), "t", s, svm))
		}),
		"ReadIDX": idx(func(images, labels string, o frames.IDXOptions) (frames.Source, error) {
			return source(frames.ReadIDX(images, labels, o))
		}),
		"OpenIDX": idx(func(images, labels string, o frames.IDXOptions) (frames.Source, error) {
			return source(frames.OpenIDX(images, labels, o))
		}),
		"Open": csv(frames.Open),
		"OpenAs": arff(func(path string, s frames.Schema) (frames.Source, error) {
			f, err := frames.Open(path, s)
			return again(f, err, func(told []byte) (frames.Source, error) { return frames.OpenAs(context.Background(), path, s, told) })
		}),
		"Cache.ReadCSV": through(csv, func(c frames.Cache, path string, s frames.Schema) (*frames.Frame, error) {
			return c.ReadCSV(path, s, o)
		}),
		"Cache.ReadARFF": through(arff, func(c frames.Cache, path string, s frames.Schema) (*frames.Frame, error) {
			return c.ReadARFF(path, s, frames.ARFFOptions{})
		}),
		"Cache.ReadLibSVM": through(libsvm, func(c frames.Cache, path string, s frames.Schema) (*frames.Frame, error) {
			return c.ReadLibSVM(path, s, svm)
		}),
		"FromBlock": block(func(s frames.Schema, b *frames.Block) (frames.Source, error) { return source(frames.FromBlock(s, b)) }),
		"Collect": block(func(s frames.Schema, b *frames.Block) (frames.Source, error) {
			return source(frames.Collect(context.Background(), always(s, *b)))
		}),
		"Check": block(func(s frames.Schema, b *frames.Block) (frames.Source, error) {
			return source(frames.Check(context.Background(), always(s, *b)))
		}),
		"CheckAs": block(func(s frames.Schema, b *frames.Block) (frames.Source, error) {
			c, err := frames.Check(context.Background(), always(s, *b))
			return again(c, err, func(told []byte) (frames.Source, error) { return source(frames.CheckAs(always(s, *b), told)) })
		}),
		"FromRows": {Read: func(_ testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			type row struct {
				V string  `dpnb:"v"`
				X float64 `dpnb:"x"`
			}
			return source(frames.FromRows(s, func(yield func(row) bool) {
				for _, text := range texts {
					if !yield(row{V: text}) {
						return
					}
				}
			}))
		}},
		"FromGota": {Read: func(_ testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			df := dataframe.New(series.New(texts, series.String, "v"), series.New(make([]float64, len(texts)), series.Float, "x"))
			return source(frames.FromGota(df, s, frames.GotaOptions{}))
		}},
	}
}

// TestIdentities: no source makes one person, level or text of two, and all know the same by the
// same.
func TestIdentities(t *testing.T) {
	for name, in := range loaders() {
		t.Run(name, func(t *testing.T) { hostile.RunIdentities(t, in) })
	}
	hostile.Covers(t, ".", loaders(), map[string]string{
		"Concat": "of sources that were held to their schemas", "Narrow": "of a frame", "Split": "of a frame", "Frame.Blocks": "of a frame", "PublicFrame.Frame": "of a frame",
		"NewSharded": "of what other processes opened by these: tests of package beam",
	})
}

// TestIdentitiesOfTypes: numbers and booleans of a program are identifiers by their one spelling,
// or are refused.
func TestIdentitiesOfTypes(t *testing.T) {
	named := []string{hostile.AsPerson, hostile.AsCategory, hostile.AsLabel, hostile.AsText}
	levels := named[1:3]
	rows := map[string]hostile.Typed{
		"int64": rowsOf(named, func(v int64) string { return strconv.FormatInt(v, 10) }, math.MinInt64, math.MaxInt64, math.MaxInt64-1, 1<<53, 1<<53+1, 0, -7, 7),
		"uint64": rowsOf(named, func(v uint64) string { return strconv.FormatUint(v, 10) },
			math.MaxUint64, math.MaxUint64-1, 18000000000000000001, 18000000000000000002, 0, 7),
		"uint8":   rowsOf(named, func(v uint8) string { return strconv.Itoa(int(v)) }, 0, 7, 255),
		"bool":    rowsOf(named, strconv.FormatBool, true, false),
		"float64": rowsOf(nil, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }, 1, 1.5, 1<<53, 1<<53+2),
		"float32": rowsOf(nil, func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }, 1, 1.5, 1<<24, 1<<24+2),
	}
	for name, in := range rows {
		t.Run("FromRows of "+name, func(t *testing.T) { hostile.RunTyped(t, in) })
	}
	for name, in := range map[string]struct {
		of     series.Series
		levels []string
		takes  []string
	}{
		"int": {
			series.New(intsOf(math.MinInt64, math.MaxInt64, math.MaxInt64-1, 1<<53, 1<<53+1, 0, 7), series.Int, "v"),
			[]string{"-9223372036854775808", "9223372036854775807", "9223372036854775806", "9007199254740992", "9007199254740993", "0", "7"},
			named,
		},
		"int, levels with zeros before them": {series.New([]int{7, 8}, series.Int, "v"), []string{"07", "7", "8"}, []string{hostile.AsPerson, hostile.AsText}},
		"float":                              {series.New([]float64{0.5, 1, 2, 1e6}, series.Float, "v"), []string{"0.5", "1", "2", "1000000"}, levels},
		"float, codes with decimals":         {series.New([]float64{250.4, 250.5}, series.Float, "v"), []string{"250.4", "250.40", "250.5"}, nil},
		"float, integers beyond 2^53":        {series.New([]float64{1 << 53, 1<<53 + 2}, series.Float, "v"), []string{"9007199254740992", "9007199254740993", "9007199254740994"}, nil},
		"float, hashes":                      {series.New([]string{"18000000000000000001", "18000000000000009999"}, series.Float, "v"), []string{"18000000000000000000", "18000000000000010240"}, nil},
		"bool":                               {series.New([]bool{true, false}, series.Bool, "v"), []string{"true", "false"}, levels},
		"bool, numbers beside words":         {series.New([]string{"true", "0"}, series.Bool, "v"), []string{"true", "1", "0", "false"}, nil},
		"floats as strings":                  {series.New([]float64{7, 8}, series.String, "v"), []string{"7.000000", "8.000000"}, []string{hostile.AsCategory, hostile.AsLabel, hostile.AsText}},
		"floats printed":                     {series.New([]string{fmt.Sprint(18000000000000000001.), "7"}, series.String, "v"), []string{"1.8e+19", "7"}, []string{hostile.AsCategory, hostile.AsLabel, hostile.AsText}},
		"int64":                              {series.New([]int64{1, 2}, series.Int, "v"), []string{"1", "2"}, nil},
	} {
		t.Run("FromGota of "+name, func(t *testing.T) {
			hostile.RunTyped(t, hostile.Typed{Rows: in.of.Len(), Levels: in.levels, Takes: in.takes, Read: func(_ testing.TB, s frames.Schema) (frames.Source, error) {
				return source(frames.FromGota(dataframe.New(in.of, series.New(make([]float64, in.of.Len()), series.Float, "x")), s, frames.GotaOptions{}))
			}})
		})
	}
}

// rowsOf are rows of a program with values of a type.
func rowsOf[T any](takes []string, spell func(T) string, values ...T) hostile.Typed {
	type row struct {
		V T       `dpnb:"v"`
		X float64 `dpnb:"x"`
	}
	in := hostile.Typed{Rows: len(values), Takes: takes, Read: func(_ testing.TB, s frames.Schema) (frames.Source, error) {
		return source(frames.FromRows(s, func(yield func(row) bool) {
			for _, v := range values {
				if !yield(row{V: v}) {
					return
				}
			}
		}))
	}}
	for _, v := range values {
		in.Levels = append(in.Levels, spell(v))
	}
	return in
}

// contents are those of a file.
func contents(path string) string { return string(must(os.ReadFile(path))) }

// intsOf are integers as gota holds them, of which the largest need 64 bits.
func intsOf(of ...int64) (out []int) {
	for _, v := range of {
		out = append(out, int(v))
	}
	return out
}
