// Command release makes a release of a plan over shards, on a runner of Apache Beam:
//
//	go run ./cmd/release -plan plan.json -shards 'visits/part-*.csv' -runner prism
//
// The plan is a file such as
//
//	{
//	  "schema": [{"name": "age", "kind": "numeric", "lo": 0, "hi": 120}, {"name": "ward", "kind": "category", "levels": ["a", "b"]}],
//	  "csv": {"Header": true},
//	  "ledger": {"Ledger": "visits.ledger", "Budget": {"epsilon": 2, "delta": 1e-6}, "Neighbours": "replace-one", "Dataset": "visits"},
//	  "plan": "By(\"ward\").Count().Mean(\"age\").Table(ε = 0.5, δ = 1e-07)"
//	}
//
// with the schema as frames.Schema is written as JSON, the options of dpkit.Create, and the plan as it prints. With "demo": 7 in the place of
// the ledger it is a demonstration of that seed. The release is printed as JSON. The same command once more replays it from the ledger,
// and costs nothing.
//
// Shards are CSV or Parquet files, or ranges of a query, of which the plan's file says, in the place of -shards,
//
//	"ranges": {"Driver": "pgx", "DSN": "DATABASE_URL", "SQL": "SELECT id, age, ward FROM visits", "Key": ["id"], "By": "id", "Cuts": [1000000, 2000000]}
//
// with the name of the variable of the environment, here and in workers, that says how to connect.
//
// On Prism the command is its own worker, in a process of its own, by -environment_type PROCESS -environment_config '{"command": "/path/of/release"}'
// -worker_binary /dev/null.
//
// Beam's own flags say where its runners are, as -runner flink -endpoint host:8099; then -exchange names a folder that driver and workers share.
// Dataflow wants one more import here.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL

	"github.com/dpkit-go/dpnb/beam"
	"github.com/dpkit-go/dpnb/beam/internal/boot"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	_ "github.com/dpkit-go/dpnb/parquet" // reads .parquet, .parq and .pq
)

// request is the file of a plan.
type request struct {
	Schema frames.Schema     `json:"schema"`
	CSV    frames.CSVOptions `json:"csv"`
	Ranges *beam.Ranges      `json:"ranges"`
	Ledger *dpkit.Options    `json:"ledger"`
	Demo   *uint64           `json:"demo"`
	Plan   string            `json:"plan"`
}

func main() {
	plan := flag.String("plan", "", "file of the plan")
	shards := flag.String("shards", "", "file, pattern or folder of the rows")
	runner := flag.String("runner", "prism", "runner of Beam: direct, prism, or one that this program imports")
	exchange := flag.String("exchange", "", "folder that driver and workers share; none: this machine")
	verbose := flag.Bool("v", false, "show what Beam logs")
	endpoint := flag.String("provision_endpoint", "", "set by a runner that starts this program as a worker: where the runner is")
	flag.Parse()
	if !*verbose {
		beam.Quiet()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *endpoint != "" {
		if err := boot.Work(ctx, flag.Lookup("id").Value.String(), *endpoint); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	sdk.Init() // a worker of Beam's own program stays here
	if err := release(ctx, os.Stdout, *plan, *shards, beam.Options{Runner: *runner, Exchange: *exchange}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// release makes the release and prints it.
func release(ctx context.Context, w io.Writer, plan, shards string, o beam.Options) (err error) {
	raw, err := os.ReadFile(plan)
	if err != nil {
		return fmt.Errorf("release: -plan: %w", err)
	}
	var r request
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("release: %s: %w", plan, err)
	}
	if (r.Ledger == nil) == (r.Demo == nil) {
		return fmt.Errorf("release: %s: want a ledger, or the seed of a demonstration", plan)
	}
	o.CSV = r.CSV
	var rows *frames.Sharded
	switch {
	case (r.Ranges == nil) == (shards == ""):
		return fmt.Errorf("release: %s: want -shards, or ranges of a query in the plan's file", plan)
	case r.Ranges != nil:
		rows, err = beam.OpenRanges(ctx, *r.Ranges, r.Schema, o)
	default:
		rows, err = beam.Open(ctx, shards, r.Schema, o)
	}
	if err != nil {
		return err
	}
	s, err := session(rows, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := dpkit.Parse[any](s, r.Plan)
	if err != nil {
		return err
	}
	result, err := p.Release(ctx)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	fmt.Fprintln(os.Stderr, result)
	return out.Encode(result.Value)
}

func session(rows frames.Source, r request) (*dpkit.Session, error) {
	if r.Demo != nil {
		return dpkit.Demo(rows, *r.Demo, dpkit.ReplaceOne)
	}
	return dpkit.Create(rows, *r.Ledger)
}
