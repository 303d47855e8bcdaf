package beam

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
)

// A data is rows that plans are made over: a kind of plan more is a line in exact, numeric, fitted or ofPeople.
type data struct {
	name   string
	schema func() frames.Schema
	parts  func(n int) sharding
	people bool // those of each person are in one part
	plans  map[string]asked
}

var datas = []data{
	{"classes", classes, patientsIn, false, exact},
	{"numbers", numbers, patientsIn, false, numeric},
	{"fitted", classes, patientsIn, false, fitted},
	{"people", visits, peopleIn, true, ofPeople},
}

func patientsIn(n int) sharding { return shardingOf(parted(patients(2000), n), false) }

func peopleIn(n int) sharding { return shardingOf(people(n, true, 1), false) }

// sharding are rows in parts, which can be written in each way.
type sharding struct {
	files  func(t testing.TB, extension string) (pattern string)
	turned func() sharding
	fill   func(t *testing.T, db *sql.DB) (query string, cuts []int64) // a table of the database
}

// shardingOf are the parts, or from their last row to the first.
func shardingOf[R record](parts [][]R, turn bool) sharding {
	if turn {
		var all [][]R
		for _, part := range slices.Backward(parts) {
			part = slices.Clone(part)
			slices.Reverse(part)
			all = append(all, part)
		}
		parts = all
	}
	return sharding{
		files:  func(t testing.TB, extension string) string { t.Helper(); return write(t, extension, parts) },
		turned: func() sharding { return shardingOf(parts, true) },
		fill: func(t *testing.T, db *sql.DB) (query string, cuts []int64) {
			t.Helper()
			var r R
			table := fmt.Sprintf("t%d", tables.Add(1))
			var rows []string
			id := int64(0)
			for i, part := range parts {
				if i > 0 {
					cuts = append(cuts, id)
				}
				for _, r := range part {
					rows = append(rows, fmt.Sprintf("(%d, %s)", id, r.sql()))
					id++
				}
			}
			must(db.Exec(fmt.Sprintf("CREATE TABLE %s (id bigint PRIMARY KEY, %s)", table, r.columns())))
			must(db.Exec(fmt.Sprintf("INSERT INTO %s VALUES %s", table, strings.Join(rows, ", "))))
			return "SELECT * FROM " + table, cuts
		},
	}
}

// tables counts those of the database.
var tables atomic.Int64

// ways are those to read rows: all make the same release.
var ways = []struct {
	name string
	open func(t *testing.T, d data) frames.Source
}{
	{"memory", func(t *testing.T, d data) frames.Source {
		return must(frames.Collect(t.Context(), here(t, d.parts(1).files(t, ".csv"), d.schema())))
	}},
	{"file", func(t *testing.T, d data) frames.Source { return here(t, d.parts(1).files(t, ".csv"), d.schema()) }},
	{"SQL, added up there where it can be", pushed},
	{"direct, one shard", sharded("direct", ".csv", 1, false)},
	{"direct, three shards", sharded("direct", ".csv", 3, false)},
	{"direct, four shards of Parquet, from the last row to the first", sharded("direct", ".parquet", 4, true)},
	{"Prism, three shards", sharded("prism", ".csv", 3, false)},
	{"Prism, five shards, from the last row to the first", sharded("prism", ".csv", 5, true)},
	{"ranges of a query", ranged},
}

func (d data) options(runner string) Options {
	o := options(runner)
	o.ByPerson = d.people
	return o
}

func sharded(runner, extension string, shards int, turned bool) func(t *testing.T, d data) frames.Source {
	return func(t *testing.T, d data) frames.Source {
		parts := d.parts(shards)
		if turned {
			parts = parts.turned()
		}
		return must(Open(t.Context(), parts.files(t, extension), d.schema(), d.options(runner)))
	}
}

// pushed are the rows in a snapshot of a database, which adds tables up itself.
func pushed(t *testing.T, d data) frames.Source {
	db := database(t)
	query, _ := d.parts(1).fill(t, db)
	tx := must(db.BeginTx(t.Context(), sqlsource.Snapshot()))
	t.Cleanup(func() { _ = tx.Rollback() })
	return must(sqlsource.Open(t.Context(), tx, d.schema(), sqlsource.Query{SQL: query, Key: []string{"id"}}))
}

// ranged are three ranges of the rows in a database.
func ranged(t *testing.T, d data) frames.Source {
	query, cuts := d.parts(3).fill(t, database(t))
	return must(OpenRanges(t.Context(), Ranges{Driver: "pgx", DSN: dsnEnv, SQL: query, Key: []string{"id"}, By: "id", Cuts: cuts}, d.schema(), d.options("direct")))
}

// TestKinds: each kind of plan has the same bits, wherever its rows lie, in whichever parts and order they are.
func TestKinds(t *testing.T) {
	for _, d := range datas {
		want := map[string]string{}
		for _, way := range ways {
			t.Run(d.name+"/"+way.name, func(t *testing.T) {
				src := way.open(t, d)
				for name, plan := range d.plans {
					got := released(t, src, plan)
					switch first, ok := want[name]; {
					case !ok:
						want[name] = got
					case got != first:
						t.Errorf("%s: got %.300s, want %.300s", name, got, first)
					}
				}
			})
		}
	}
}
