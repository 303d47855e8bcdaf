package beam

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/pgtest"
	"github.com/dpkit-go/dpnb/sqlsource"
)

// dsnEnv is the variable that says how workers connect.
const dsnEnv = "DPNB_BEAM_TEST_DSN"

// database connects to the server of the tests, as workers then do.
func database(t *testing.T) *sql.DB {
	t.Helper()
	dsn := pgtest.DSN(t)
	must(0, os.Setenv(dsnEnv, dsn)) // for the process, as its pool is
	db := must(sql.Open("pgx", dsn))
	t.Cleanup(func() { must(0, db.Close()) })
	return db
}

// TestRanges: rows of a query that change between two passes are found, or not seen at all.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name, change string
		snapshot     bool
		want         error
	}{
		{"a cell", "UPDATE %s SET age = 50 WHERE id = 3", false, frames.ErrChanged},
		{"a row less", "DELETE FROM %s WHERE id = 599", false, frames.ErrChanged},
		{"a row more", "INSERT INTO %s VALUES (-7, 50, NULL, 'a', 1, 'no')", false, frames.ErrChanged},
		{"a row moves to another range", "UPDATE %s SET id = 900 WHERE id = 3", false, frames.ErrChanged},
		{"another type", "ALTER TABLE %s ALTER COLUMN ward TYPE double precision USING 1", false, frames.ErrChanged},
		{"no column", "ALTER TABLE %s DROP COLUMN ward", false, frames.ErrChanged},
		{"behind a snapshot", "UPDATE %s SET age = 50 WHERE id < 300", true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := database(t)
			query, cuts := shardingOf(parted(patients(600), 3), false).fill(t, db)
			of := Ranges{Driver: "pgx", DSN: dsnEnv, SQL: query + " -- all", Key: []string{"id"}, By: "id", Cuts: cuts, Snapshot: c.snapshot}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src := must(OpenRanges(ctx, of, classes(), options("direct")))
			want := released(t, src, exact["histogram"])
			must(db.Exec(fmt.Sprintf(c.change, strings.TrimPrefix(query, "SELECT * FROM "))))
			d := must(dpkit.Demo(src, 3, dpkit.ReplaceOne))
			r, err := d.Data().Histogram("ward", target).Release(ctx)
			if !errors.Is(err, c.want) || err == nil != (c.want == nil) || err == nil && released(t, src, exact["histogram"]) != want {
				t.Errorf("got %v, %v", r, err)
			}
			if !c.snapshot {
				return
			}
			cancel() // the snapshot ends with the transaction of the driver, soon
			for err = nil; err == nil; {
				_, err = d.Data().Histogram("ward", target).Release(t.Context())
			}
			if !errors.Is(err, ErrJob) {
				t.Errorf("without the driver's transaction: got %v", err)
			}
		})
	}
}

// TestRangesHold: each row is in one range, that without a number too.
func TestRangesHold(t *testing.T) {
	db := database(t)
	must(db.Exec(`CREATE TABLE held (id bigint PRIMARY KEY, "n""o" integer, ward text)`))
	must(db.Exec("INSERT INTO held SELECT i, nullif(i % 7, 0), 'a' FROM generate_series(1, 70) AS i"))
	s := must(frames.NewSchema(frames.Category("ward", "a", "b")))
	src, err := OpenRanges(t.Context(), Ranges{Driver: "pgx", DSN: dsnEnv, SQL: "SELECT * FROM held;", Key: []string{"id"}, By: `n"o`, Cuts: []int64{2, 3, 6}}, s, options("direct"))
	if err != nil || fmt.Sprint(src.Shards()) != "[20 10 30 10]" {
		t.Errorf("got %v, %v", src, err)
	}
}

// TestRangesRefused: what cannot be read is refused, without a word of how to connect.
func TestRangesRefused(t *testing.T) {
	const secret = "hunter2"
	t.Setenv("DPNB_BEAM_TEST_NOWHERE", "host=/nowhere user=u password="+secret)
	t.Setenv("DPNB_BEAM_TEST_NONSENSE", "://"+secret)
	good := Ranges{Driver: "pgx", DSN: "DPNB_BEAM_TEST_NOWHERE", SQL: "SELECT 1 AS id", Key: []string{"id"}, By: "id"}
	with := func(f func(*Ranges)) Ranges {
		r := good
		f(&r)
		return r
	}
	s := must(frames.NewSchema(frames.Numeric("id", 0, 9)))
	for _, c := range []struct {
		name string
		of   Ranges
		want error
	}{
		{"no server", good, sqlsource.ErrConnect},
		{"no server, a snapshot", with(func(r *Ranges) { r.Snapshot = true }), sqlsource.ErrConnect},
		{"no address", with(func(r *Ranges) { r.DSN = "DPNB_BEAM_TEST_NONSENSE" }), sqlsource.ErrConnect},
		{"no variable", with(func(r *Ranges) { r.DSN = "DPNB_BEAM_TEST_UNSET" }), ErrJob},
		{"an address in the plan", with(func(r *Ranges) { r.DSN = "host=x password=" + secret }), ErrOptions},
		{"no driver", with(func(r *Ranges) { r.Driver = "oracle" }), ErrOptions},
		{"no column", with(func(r *Ranges) { r.By = "" }), ErrOptions},
		{"cuts", with(func(r *Ranges) { r.Cuts = []int64{3, 3} }), ErrOptions},
	} {
		_, err := OpenRanges(t.Context(), c.of, s, options("direct"))
		if err == nil || strings.Contains(fmt.Sprintf("%+v", err), secret) || !errors.Is(err, c.want) && c.want != sqlsource.ErrConnect {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	db := database(t)
	must(db.Exec("CREATE TABLE empty (id bigint)"))
	for name, query := range map[string]string{"no rows": "SELECT * FROM empty", "no table": "SELECT * FROM nothing", "another column": "SELECT 1 AS x"} {
		of := good
		of.SQL, of.DSN = query, dsnEnv
		if _, err := OpenRanges(t.Context(), of, s, options("direct")); !errors.Is(err, ErrJob) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
