package grouped

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// Rows that a database adds up are not hashed, as those that it sends are: what a query yields must be the same whenever it runs. In a transaction that
// sees one state of the database and writes nothing that leaves three ways to other rows: functions that draw, rows of which some are taken where nothing
// says which, and what lies outside the state (other servers, temporary tables, counters, the session's settings). A view hides all of them from the
// query's text, so PostgreSQL is asked, of the query as it rewrites it, with its views and policies written out.

// Ask reads the one row that a query has.
type Ask func(ctx context.Context, sql string, args []any, into ...any) error

// Steady reports whether a query of PostgreSQL yields the same rows whenever it runs in a transaction of one state. An error may be one of PostgreSQL's
// versions before 12: the caller is in a savepoint, and reads rows then.
func Steady(ctx context.Context, ask Ask, sql string, args []any) (bool, error) {
	// A query that stands in WITH is written into the one around it unless a function in it, in a view or in a policy is volatile (PostgreSQL:
	// contain_volatile_functions in SS_process_ctes). One that is not shows as a scan of its own.
	var plan string
	if err := ask(ctx, "EXPLAIN (FORMAT JSON, COSTS OFF) WITH q AS NOT MATERIALIZED ("+shape.Inside(sql)+"\n) SELECT * FROM q", args, &plan); err != nil {
		return false, err
	}
	var tops []struct{ Plan node }
	if err := json.Unmarshal([]byte(plan), &tops); err != nil || len(tops) != 1 || !tops[0].Plan.steady() {
		return false, nil
	}
	// The relations of the query, its views among them, are locked now.
	var bad int64
	err := ask(ctx, outside, []any{strings.Join(settled, between), strings.Join(called(sql), between)}, &bad)
	return err == nil && bad == 0, err
}

// node is one of a plan.
type node struct {
	Type  string `json:"Node Type"`
	Plans []node
}

// steadyNodes read rows and join them. Others draw, take some rows, or make one of several, whose order may decide: samples, limits, windows, groups and
// their sums in floating point, rows of functions and of other servers.
var steadyNodes = []string{
	"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Bitmap Index Scan", "BitmapAnd", "BitmapOr", "Tid Scan", "Tid Range Scan", "Values Scan",
	"Subquery Scan", "Result", "Append", "Merge Append", "Nested Loop", "Hash Join", "Hash", "Merge Join", "Materialize", "Memoize", "Sort", "Incremental Sort",
	"Gather", "Gather Merge",
}

func (n node) steady() bool {
	return slices.Contains(steadyNodes, n.Type) && !slices.ContainsFunc(n.Plans, func(p node) bool { return !p.steady() })
}

// settled are functions that are stable, not immutable, and hang on the start of the transaction and on settings alone, which [Settings] tells.
var settled = []string{"now", "transaction_timestamp", "date_trunc", "date_part", "extract", "timezone", "to_char", "to_date", "to_timestamp", "age", "concat", "concat_ws"}

// between stands between names in a text, which every driver can send.
const between = "\x1f"

// outside counts what of a query lies outside the state that its transaction sees: of the relations that the transaction has locked those that are
// temporary, keep no versions of rows, or have policies; and of functions, in views ($1: but these) and in the text of the query ($2), those of users, which others
// may replace while the transaction lasts, and those that are not immutable, unless they are operators and casts, which hang on settings. Objects of users have
// numbers from 16384 on.
const outside = `WITH locked AS (
	SELECT DISTINCT relation FROM pg_catalog.pg_lock_status() WHERE locktype = 'relation' AND pid = pg_catalog.pg_backend_pid() AND relation >= 16384
), functions AS (
	SELECT m[1]::oid AS oid FROM pg_catalog.pg_rewrite AS r JOIN locked ON r.ev_class = locked.relation JOIN pg_catalog.pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v',
		LATERAL pg_catalog.regexp_matches(r.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') AS m
	UNION SELECT oid FROM pg_catalog.pg_proc WHERE proname = ANY(pg_catalog.string_to_array($2, E'\x1f'))
)
SELECT (SELECT count(*) FROM pg_catalog.pg_class AS c LEFT JOIN pg_catalog.pg_am AS a ON a.oid = c.relam JOIN locked ON c.oid = locked.relation
		WHERE c.relpersistence = 't' OR c.relkind NOT IN ('r', 'p', 'm', 'v', 'i', 'I', 't') OR c.relrowsecurity OR c.relkind IN ('r', 'm', 't') AND a.amname IS DISTINCT FROM 'heap')
	+ (SELECT count(*) FROM functions JOIN pg_catalog.pg_proc AS p ON p.oid = functions.oid
		WHERE p.oid >= 16384 OR p.provolatile = 'v' OR p.provolatile = 's' AND p.proname <> ALL(pg_catalog.string_to_array($1, E'\x1f'))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator AS o WHERE o.oprcode = p.oid AND o.oid < 16384)
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast AS t WHERE t.castfunc = p.oid AND t.oid < 16384))`

// call is a name in front of a parenthesis.
var call = regexp.MustCompile(`(?s)(?:"((?:[^"]|"")+)"|([\pL_][\pL\pN_$]*))(?:\s|--[^\n]*\n|/\*.*?\*/)*\(`)

// called are the functions that a text may call, and words that stand like them.
func called(sql string) []string {
	names := []string{}
	for _, m := range call.FindAllStringSubmatch(sql, -1) {
		if m[1] != "" {
			names = append(names, strings.ReplaceAll(m[1], `""`, `"`))
		} else {
			names = append(names, strings.ToLower(m[2]))
		}
	}
	return names
}

// Settings names the settings of a session, its role and its search path, on which functions, policies and what a text says may hang.
func Settings(ctx context.Context, ask Ask) (string, error) {
	var all string
	err := ask(ctx, `SELECT pg_catalog.md5(pg_catalog.string_agg(name || '=' || coalesce(setting, ''), E'\n' ORDER BY name)) || ' ' || current_user || ' ' || session_user || ' ' ||
		pg_catalog.array_to_string(pg_catalog.current_schemas(true), ',') FROM pg_catalog.pg_show_all_settings()`, nil, &all)
	return all, err
}
