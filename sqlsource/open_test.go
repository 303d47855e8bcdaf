package sqlsource_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// lite is an SQLite database in a file of its own.
func lite(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// each runs a test on both databases; the tables of PostgreSQL are in a schema of the test's own.
func each(t *testing.T, fn func(t *testing.T, db *sql.DB, postgres bool)) {
	t.Run("SQLite", func(t *testing.T) { fn(t, lite(t), false) })
	t.Run("PostgreSQL", func(t *testing.T) { fn(t, own(t, pgtest.DSN(t)), true) })
}

var schemas int

// own is a connection pool whose tables lie in a schema of their own.
func own(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	schemas++
	name := fmt.Sprintf("test%d", schemas)
	db, err := sql.Open("pgx", dsn+" search_path="+name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pgtest.Do(t, db, "DROP SCHEMA "+name+" CASCADE")
		db.Close()
	})
	pgtest.Do(t, db, "CREATE SCHEMA "+name)
	return db
}

// csvOf is the same table as text.
func csvOf(t testing.TB, s frames.Schema, text string) *frames.Frame {
	t.Helper()
	f, err := frames.ParseCSV(strings.NewReader(text), "text", s, frames.CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTypes: the rows of every type that a column can be read from are those of the same text file, to the fingerprint, with NULL where the schema
// lets cells miss.
func TestTypes(t *testing.T) {
	s := pgtest.Schema(t,
		frames.Person("who"), frames.Numeric("small", -1e6, 1e6), frames.Unbounded("large"), frames.Numeric("double", -1e6, 1e6).MayMiss(), frames.Numeric("single", -1e6, 1e6),
		frames.Numeric("money", -1e6, 1e6).MayMiss(), frames.Numeric("flag", 0, 1), frames.Date("day", "1960-01-01", "2030-12-31").MayMiss(), frames.Date("moment", "1960-01-01", "2030-12-31"),
		frames.Date("written", "1960-01-01", "2030-12-31").Written("02.01.2006"), frames.Category("ward", "A", "B", "C c"), frames.Category("padded", "A", "B"), frames.Category("code", "-7", "0", "12"),
		frames.Category("yes", "false", "true"), frames.Category("rest", "A", "B").Other("other").MayMiss(), frames.Ignored("note"), frames.Label("class", "no", "yes"))
	var values, text []string
	for i := range 3000 {
		double, money, day, rest := "NULL", "NULL", "NULL", "NULL"
		cells := make([]string, 4)
		if i%7 != 0 {
			double, cells[0] = fmt.Sprint(float64(i)/8-100), fmt.Sprint(float64(i)/8-100)
		}
		if i%5 != 0 {
			money = fmt.Sprintf("%d.%02d", i-1500, i%100)
			cells[1] = money
		}
		date := fmt.Sprintf("%d-%02d-%02d", 1965+i%60, 1+i%12, 1+i%28)
		if i%11 != 0 {
			day, cells[2] = "'"+date+"'", date
		}
		if i%3 != 0 {
			rest, cells[3] = "'"+string(rune('A'+i%4))+"'", string(rune('A'+i%4))
		}
		written := fmt.Sprintf("%02d.%02d.%d", 1+i%28, 1+i%12, 1965+i%60)
		ward, code, class := []string{"A", "B", "C c"}[i%3], []int{-7, 0, 12}[i%3], []string{"no", "yes"}[i%2]
		yes := i%2 == 0
		values = append(values, fmt.Sprintf("(%d, %d, %d, %d, %s, %v, %s, %v, %s, '%s 23:59:59.5', '%s', '%s', '%s', %d, %v, %s, 'a secret', '%s')",
			i, i/4, i-1500, int64(i)*1e13-5e15, double, float32(i)/3, money, yes, day, date, written, ward, []string{"A", "B"}[i%2], code, yes, rest, class))
		flag := "0"
		if yes {
			flag = "1"
		}
		text = append(text, fmt.Sprintf("%d,%d,%d,%s,%v,%s,%s,%s,%s,%s,%s,%s,%d,%v,%s,x,%s", i/4, i-1500, int64(i)*1e13-5e15, cells[0], float64(float32(i)/3), cells[1], flag, cells[2], date, written, ward,
			[]string{"A", "B"}[i%2], code, yes, cells[3], class))
	}
	want := csvOf(t, s, "who,small,large,double,single,money,flag,day,moment,written,ward,padded,code,yes,rest,note,class\n"+strings.Join(text, "\n")+"\n")
	each(t, func(t *testing.T, db *sql.DB, postgres bool) {
		create := `CREATE TABLE visits (id integer PRIMARY KEY, who text, small integer, large bigint, double double precision, single real, money numeric(12,2), flag boolean, day date,
			moment timestamp, written text, ward varchar(9), padded char(3), code smallint, yes boolean, rest text, note text, class text)`
		if !postgres { // it keeps doubles, and what is not a whole decimal becomes one
			create = strings.NewReplacer("char(3)", "text", "real", "double").Replace(create)
		}
		pgtest.Do(t, db, create)
		rows := values
		if !postgres {
			rows = nil
			for i, v := range values {
				single := fmt.Sprint(float32(i) / 3)
				rows = append(rows, strings.Replace(v, ", "+single+", ", ", "+fmt.Sprint(float64(float32(i)/3))+", ", 1))
			}
		}
		pgtest.Do(t, db, "INSERT INTO visits VALUES "+strings.Join(rows, ","))
		q := sqlsource.Query{SQL: "SELECT * FROM visits -- all;", Key: []string{"id"}}
		src, err := sqlsource.Open(context.Background(), db, s, q)
		if err != nil {
			t.Fatal(err)
		}
		if pgtest.Fingerprint(t, src) != pgtest.Fingerprint(t, want) {
			t.Error("Open: other rows than the text file has")
		}
		read, err := sqlsource.Read(context.Background(), db, s, q)
		if err != nil {
			t.Fatal(err)
		}
		if pgtest.Fingerprint(t, read) != pgtest.Fingerprint(t, want) {
			t.Error("Read: other rows than the text file has")
		}
	})
}

// TestOrder: the fingerprint is of the rows, and not of the way in which the database happens to give them.
func TestOrder(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, postgres bool) {
		pgtest.Do(t, db, "CREATE TABLE a (id integer, x double precision)", "CREATE TABLE b (x double precision, id integer)")
		for i := range 100 {
			pgtest.Do(t, db, fmt.Sprintf("INSERT INTO a VALUES (%d, %v)", i, float64(i)/4), fmt.Sprintf("INSERT INTO b VALUES (%v, %d)", float64(99-i)/4, 99-i))
		}
		s := pgtest.Schema(t, frames.Numeric("x", 0, 100))
		var prints [][32]byte
		for _, q := range []sqlsource.Query{
			{SQL: "SELECT * FROM a", Key: []string{"id"}},
			{SQL: "SELECT * FROM b;", Key: []string{"id"}},
			{SQL: "SELECT x AS x, id / 10 AS tens, id % 10 AS ones FROM b ORDER BY x DESC", Key: []string{"tens", "ones"}},
			{SQL: "SELECT x, id FROM b WHERE x > $1", Args: []any{-1.0}, Key: []string{"id"}},
		} {
			src, err := sqlsource.Open(context.Background(), db, s, q)
			if err != nil {
				t.Fatal(err)
			}
			prints = append(prints, pgtest.Fingerprint(t, src))
			if !frames.Fixed(src) {
				t.Error("a session would refuse the source")
			}
		}
		for i, p := range prints {
			if p != prints[0] {
				t.Errorf("query %d: other rows", i+1)
			}
		}
	})
}

// TestNaN: what a database calls NaN is a missing cell, and an infinity is none.
func TestNaN(t *testing.T) {
	db := own(t, pgtest.DSN(t))
	pgtest.Do(t, db, "CREATE TABLE a (id integer, x double precision, y numeric)", "INSERT INTO a VALUES (1, 'NaN', 'NaN'), (2, 3, 4)")
	q := sqlsource.Query{SQL: "SELECT * FROM a", Key: []string{"id"}}
	s := pgtest.Schema(t, frames.Numeric("x", 0, 9).MayMiss(), frames.Numeric("y", 0, 9).MayMiss())
	f, err := sqlsource.Read(context.Background(), db, s, q)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Scan(context.Background(), func(b *frames.Block) error {
		if !math.IsNaN(b.X[0]) || !math.IsNaN(b.X[1]) || b.X[2] != 3 || b.X[3] != 4 {
			t.Error("other cells")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
