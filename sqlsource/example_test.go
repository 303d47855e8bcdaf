package sqlsource_test

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// visits is a database in memory with a table of visits.
func visits() *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	check(err)
	db.SetMaxOpenConns(1) // each connection to it is another database
	_, err = db.Exec(`CREATE TABLE visits (id integer PRIMARY KEY, patient text, age integer, ward text, day text, notes text);
		INSERT INTO visits VALUES (1, 'p7', 41, 'heart', '2024-01-31', 'x'), (2, 'p7', 41, 'lung', '2024-03-01', 'y'), (3, 'p9', NULL, 'heart', '2024-02-29', 'z')`)
	check(err)
	return db
}

// A query on any database whose driver the program imports, with a public schema. What the schema does not name is not used.
func ExampleOpen() {
	db := visits()
	defer db.Close()
	schema, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("age", 0, 120).MayMiss(), frames.Category("ward", "heart", "lung"), frames.Date("day", "2024-01-01", "2024-12-31"))
	check(err)
	src, err := sqlsource.Open(context.Background(), db, schema, sqlsource.Query{SQL: "SELECT * FROM visits", Key: []string{"id"}})
	check(err)
	fmt.Print(src)
	// Output:
	// source of the rows of 2 people (private)
	// column   kind      domain                    notes
	// patient  person    -                         whose rows are protected together
	// age      numeric   [0, 120]                  may miss
	// ward     category  heart | lung
	// day      date      2024-01-01 to 2024-12-31
}

// Rows in memory, for data that others change meanwhile.
func ExampleRead() {
	db := visits()
	defer db.Close()
	schema, err := frames.NewSchema(frames.Category("ward", "heart", "lung"))
	check(err)
	rows, err := sqlsource.Read(context.Background(), db, schema, sqlsource.Query{SQL: "SELECT id, ward FROM visits WHERE day >= ?", Args: []any{"2024-02-01"}, Key: []string{"id"}})
	check(err)
	fmt.Println(rows.Rows(), "rows")
	// Output: 2 rows
}

// A transaction that sees one state of the database: all releases are of it, whoever writes meanwhile, and tables by groups are added up where
// the rows lie.
func ExampleSnapshot() {
	ctx := context.Background()
	db := visits()
	defer db.Close()
	tx, err := db.BeginTx(ctx, sqlsource.Snapshot())
	check(err)
	defer tx.Rollback()
	schema, err := frames.NewSchema(frames.Category("ward", "heart", "lung"))
	check(err)
	src, err := sqlsource.Open(ctx, tx, schema, sqlsource.Query{SQL: "SELECT id, ward FROM visits", Key: []string{"id"}})
	check(err)
	session, err := dpkit.Demo(src, 1, dpkit.AddRemove)
	check(err)
	wards, err := session.Data().By("ward").Count().Table(dpkit.Target{Epsilon: 20, Delta: 1e-6}).Release(ctx)
	check(err)
	heart, err := wards.Value.At("count", "heart")
	check(err)
	fmt.Println(heart.Low <= heart.Value, heart.High <= 3)
	// Output: true true
}
