package beam

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/frames"
)

// A record is a row of the tests, which files of each format have.
type record interface {
	patient | visit
	csv() (header, line string)
	columns() string // in a database
	sql() string     // the values there
}

// patient is a row of classes and numbers.
type patient struct {
	Age  float64  `parquet:"age"`
	Pay  *float64 `parquet:"pay,optional"`
	Ward string   `parquet:"ward,dict"`
	Stay float64  `parquet:"stay"`
	Back string   `parquet:"back"`
}

func (p patient) csv() (header, line string) {
	pay := "NA"
	if p.Pay != nil {
		pay = fmt.Sprint(*p.Pay)
	}
	return "age,pay,ward,stay,back", fmt.Sprintf("%v,%s,%s,%v,%s", p.Age, pay, p.Ward, p.Stay, p.Back)
}

func (patient) columns() string {
	return "age double precision, pay double precision, ward text, stay double precision, back text"
}

func (p patient) sql() string {
	pay := "NULL"
	if p.Pay != nil {
		pay = fmt.Sprint(*p.Pay)
	}
	return fmt.Sprintf("%v, %s, '%s', %v, '%s'", p.Age, pay, p.Ward, p.Stay, p.Back)
}

// visit is a row of visits.
type visit struct {
	Who  string `parquet:"who"`
	Ward string `parquet:"ward,dict"`
	Stay int64  `parquet:"stay"`
}

func (v visit) csv() (header, line string) {
	return "who,ward,stay", fmt.Sprintf("%s,%s,%d", v.Who, v.Ward, v.Stay)
}

func (visit) columns() string { return "who text, ward text, stay integer" }

func (v visit) sql() string { return fmt.Sprintf("'%s', '%s', %d", v.Who, v.Ward, v.Stay) }

func patients(rows int) []patient {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]patient, rows)
	for i := range all {
		p := patient{Ward: string('a' + rune(r.IntN(3))), Age: 100 * r.Float64(), Back: "no"}
		if r.IntN(5) > 0 {
			pay := 2*r.Float64() - 1
			p.Pay = &pay
		}
		if p.Age*r.Float64() > 40 {
			p.Back = "yes"
		}
		p.Stay = p.Age / 10 * r.Float64()
		all[i] = p
	}
	return all
}

// parted are rows in so many parts of different sizes.
func parted[R any](all []R, parts int) [][]R {
	out := make([][]R, parts)
	for i := range parts {
		cut := func(k int) int { return len(all) * k * (k + 1) / (parts * (parts + 1)) } // later parts are larger
		out[i] = all[cut(i):cut(i+1)]
	}
	return out
}

// people are rows of visits in so many parts, those of each person in one of them, or anywhere. The rows are the same whatever the parts and
// their order.
func people(parts int, apart bool, order uint64) [][]visit {
	r := rand.New(rand.NewPCG(3, 4))
	all := make([]visit, 1500)
	of := make(map[string]int, 300)
	for i := range all {
		who := r.IntN(300)
		all[i] = visit{fmt.Sprint("p", who), string('a' + rune(r.IntN(3))), int64(r.IntN(31))}
		of[all[i].Who] = who
	}
	r = rand.New(rand.NewPCG(order, 5))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	out := make([][]visit, parts)
	for _, v := range all {
		at := of[v.Who] % parts
		if !apart {
			at = r.IntN(parts)
		}
		out[at] = append(out[at], v)
	}
	return out
}

// write writes parts into files of a format, and returns the pattern of their names.
func write[R record](t testing.TB, extension string, parts [][]R) (pattern string) {
	t.Helper()
	folder := t.TempDir()
	for i, part := range parts {
		path := filepath.Join(folder, fmt.Sprintf("part-%02d%s", i, extension))
		if extension == ".parquet" {
			must(0, pq.WriteFile(path, part, pq.MaxRowsPerRowGroup(500)))
			continue
		}
		var text strings.Builder
		for j, r := range part {
			header, line := r.csv()
			if j == 0 {
				fmt.Fprintln(&text, header)
			}
			fmt.Fprintln(&text, line)
		}
		must(0, os.WriteFile(path, []byte(text.String()), 0o600))
	}
	return filepath.Join(folder, "part-*"+extension)
}

func writeShards(t testing.TB, rows, files int) (pattern string) {
	t.Helper()
	return write(t, ".csv", parted(patients(rows), files))
}

// here are the same shards behind one another in this process.
func here(t testing.TB, pattern string, schema frames.Schema) frames.Source {
	t.Helper()
	var all []frames.Source
	for _, path := range must(frames.Shards(pattern)) {
		if isCSV(path) {
			all = append(all, must(frames.OpenCSV(path, schema, frames.CSVOptions{Header: true})))
		} else {
			all = append(all, must(frames.Open(path, schema)))
		}
	}
	return must(frames.Concat(all...))
}
