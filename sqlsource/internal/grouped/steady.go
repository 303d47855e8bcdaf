package grouped

import (
	"context"
	"encoding/json"
	"errors"
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

// Steady reports whether a query of PostgreSQL yields the same rows whenever it runs in a transaction of one state, in which it ran before: its relations
// are locked since, so that nobody renames or redefines them. An error may be one of PostgreSQL's versions before 12: the caller is in a savepoint, and reads rows then.
//
// before are the relations that were [Locked].
func Steady(ctx context.Context, ask Ask, before, sql string, args []any) (bool, error) {
	if escaped.MatchString(sql) {
		return false, nil
	}
	// A query that stands in WITH is written into the one around it unless a function in it, in a view or in a policy is volatile (PostgreSQL:
	// contain_volatile_functions in SS_process_ctes). One that is not shows as a scan of its own.
	var plan string
	if err := ask(ctx, "EXPLAIN (VERBOSE, FORMAT JSON, COSTS OFF) WITH q AS NOT MATERIALIZED ("+shape.Inside(sql)+"\n) SELECT * FROM q", args, &plan); err != nil {
		return false, err
	}
	var tops []struct{ Plan node }
	var all any
	if err := errors.Join(json.Unmarshal([]byte(plan), &tops), json.Unmarshal([]byte(plan), &all)); err != nil || len(tops) != 1 || !tops[0].Plan.steady() {
		return false, nil
	}
	// What is computed is in the plan as in the text, with what views and functions of SQL hide; but what is computed of constants is in the text alone.
	said := sql + "\n" + strings.Join(texts(all), "\n")
	if unsettled.MatchString(said) {
		return false, nil
	}
	// The relations of the query, its views among them, are locked now.
	var bad int64
	err := ask(ctx, outside, []any{strings.Join(settled, between), strings.Join(called(said), between), before, strings.Join(words(said), between), said}, &bad)
	return err == nil && bad == 0, err
}

// escaped are names that are written by numbers of letters.
var escaped = regexp.MustCompile(`(?i)\bu&["']`)

// unsettled are columns of every table that say what other transactions do to a row, and types whose texts are names that others may change.
var unsettled = regexp.MustCompile(`(?i)\b(xmax|cmin|cmax|reg(class|proc|procedure|oper|operator|type|config|dictionary|namespace|role|collation))\b`)

// Locked are the relations that the transaction has locked.
func Locked(ctx context.Context, ask Ask) (all string, err error) {
	return all, ask(ctx, `SELECT coalesce(pg_catalog.string_agg(DISTINCT relation::text, ','), '') FROM pg_catalog.pg_lock_status()
		WHERE locktype = 'relation' AND pid = pg_catalog.pg_backend_pid()`, nil, &all)
}

// others counts relations that were not locked before ($1), of which the catalog knows nothing where they were made since, and names of levels that
// others changed.
const others = `SELECT (SELECT count(*) FROM pg_catalog.pg_lock_status() AS l LEFT JOIN pg_catalog.pg_class AS c ON c.oid = l.relation
		WHERE l.locktype = 'relation' AND l.pid = pg_catalog.pg_backend_pid() AND l.relation >= 16384
			AND (c.oid IS NULL OR c.relkind NOT IN ('i', 'I', 't')) AND NOT l.relation::text = ANY(pg_catalog.string_to_array($1, ',')))
	+ (SELECT count(*) FROM pg_catalog.pg_enum WHERE xmax::text <> '0')`

// Same reports that no query has read other relations than those that were [Locked] before. A session learns late of those that others make, by what it
// locks: a name may be another's in one query and not in that before it.
func Same(ctx context.Context, ask Ask, before string) (bool, error) {
	var n int64
	err := ask(ctx, others, []any{before}, &n)
	return err == nil && n == 0, err
}

// texts are all that a plan says.
func texts(of any) (all []string) {
	switch v := of.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			all = append(all, texts(e)...)
		}
	case map[string]any:
		for _, e := range v {
			all = append(all, texts(e)...)
		}
	}
	return all
}

// node is one of a plan.
type node struct {
	Type   string `json:"Node Type"`
	Schema string // of the relation that it reads
	Plans  []node
}

// steadyNodes read rows and join them. Others draw, take some rows, or make one of several, whose order may decide: samples, limits, windows, groups and
// their sums in floating point, rows of functions and of other servers.
var steadyNodes = []string{
	"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Bitmap Index Scan", "BitmapAnd", "BitmapOr", "Tid Scan", "Tid Range Scan", "Values Scan",
	"Subquery Scan", "Result", "Append", "Merge Append", "Nested Loop", "Hash Join", "Hash", "Merge Join", "Materialize", "Memoize", "Sort", "Incremental Sort",
	"Gather", "Gather Merge",
}

func (n node) steady() bool {
	catalog := strings.HasPrefix(n.Schema, "pg_") || n.Schema == "information_schema" // which others change without a transaction
	return slices.Contains(steadyNodes, n.Type) && !catalog && !slices.ContainsFunc(n.Plans, func(p node) bool { return !p.steady() })
}

// settled are functions that are stable, not immutable, and hang on the start of the transaction and on settings alone, which [Settings] tells.
var settled = []string{"now", "transaction_timestamp", "date_trunc", "date_part", "extract", "timezone", "to_char", "to_date", "to_timestamp", "age", "concat", "concat_ws"}

// between stands between names in a text, which every driver can send.
const between = "\x1f"

// outside counts what of a query lies outside the state that its transaction sees.
//
// Of the relations that the transaction has locked: those that are temporary, keep no versions of rows, have policies, or were made since; those that
// were not locked before ($3), as a name of the query is another's now, or a table has parts that it had not; and those whose cells are of types of users, but
// enumerations, or are names. Names of levels are not of the transaction's state: one that others changed has xmax.
//
// Of functions, in views ($1: but these) and in what the query says ($2): those of users, which others may replace while the transaction lasts, and those that
// are not immutable, unless they are operators and casts, which hang on settings. A text does not say which function an operator or cast has ($5, and its
// words, $4): there may be none of users that can stand without the name of a type of theirs, no name of such a type, and no function of theirs that is written as a
// column. Objects of users have numbers from 16384 on.
const outside = `WITH locked AS (
	SELECT DISTINCT relation FROM pg_catalog.pg_lock_status() WHERE locktype = 'relation' AND pid = pg_catalog.pg_backend_pid() AND relation >= 16384
), functions AS (
	SELECT m[1]::oid AS oid FROM pg_catalog.pg_rewrite AS r JOIN locked ON r.ev_class = locked.relation JOIN pg_catalog.pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v',
		LATERAL pg_catalog.regexp_matches(r.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') AS m
	UNION SELECT oid FROM pg_catalog.pg_proc WHERE proname = ANY(pg_catalog.string_to_array($2, E'\x1f'))
	UNION SELECT oid FROM pg_catalog.pg_proc WHERE oid >= 16384 AND '.' || proname = ANY(pg_catalog.string_to_array($4, E'\x1f'))
)
SELECT (SELECT count(*) FROM pg_catalog.pg_class AS c LEFT JOIN pg_catalog.pg_am AS a ON a.oid = c.relam JOIN locked ON c.oid = locked.relation
		WHERE c.relpersistence = 't' OR c.relkind NOT IN ('r', 'p', 'm', 'v', 'i', 'I', 't') OR c.relrowsecurity OR c.relkind IN ('r', 'm', 't') AND a.amname IS DISTINCT FROM 'heap'
			OR c.relkind IN ('r', 'p', 'm', 'v') AND NOT c.oid::text = ANY(pg_catalog.string_to_array($3, ',')))
	+ (SELECT count(*) FROM locked WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = locked.relation))
	+ (SELECT count(*) FROM pg_catalog.pg_attribute AS a JOIN locked ON a.attrelid = locked.relation JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
		WHERE a.attnum > 0 AND NOT a.attisdropped AND (t.oid >= 16384 AND t.typtype <> 'e' OR t.typname ~ '^_?reg'))
	+ (SELECT count(*) FROM pg_catalog.pg_enum WHERE xmax::text <> '0')
	+ (SELECT count(*) FROM functions JOIN pg_catalog.pg_proc AS p ON p.oid = functions.oid
		WHERE p.oid >= 16384 OR p.provolatile = 'v' OR p.provolatile = 's' AND p.proname <> ALL(pg_catalog.string_to_array($1, E'\x1f'))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator AS o WHERE o.oprcode = p.oid AND o.oid < 16384)
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast AS t WHERE t.castfunc = p.oid AND t.oid < 16384))
	+ (SELECT count(*) FROM pg_catalog.pg_operator AS o WHERE o.oid >= 16384 AND pg_catalog.strpos($5, o.oprname::text) > 0
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_type AS t WHERE t.oid IN (o.oprleft, o.oprright) AND t.oid >= 16384 AND t.typtype NOT IN ('c', 'e')))
	+ (SELECT count(*) FROM pg_catalog.pg_cast AS c JOIN pg_catalog.pg_type AS t ON t.oid = c.castsource JOIN pg_catalog.pg_type AS u ON u.oid = c.casttarget
		WHERE c.oid >= 16384 AND c.castfunc <> 0 AND (t.oid < 16384 OR t.typtype IN ('c', 'e')) AND (u.oid < 16384 OR u.typtype = 'e'))
	+ (SELECT count(*) FROM pg_catalog.pg_type AS t LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
		WHERE t.oid >= 16384 AND (t.typtype NOT IN ('c', 'e') OR c.relkind = 'c') AND t.typname = ANY(pg_catalog.string_to_array($4, E'\x1f')))`

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

// word is a name, and what stands in front of one that belongs to another.
var word = regexp.MustCompile(`(?s)(\.(?:\s|--[^\n]*\n|/\*.*?\*/)*)?(?:"((?:[^"]|"")+)"|([\pL_][\pL\pN_$]*))`)

// words are the names in a text, each behind a dot by itself and with the dot.
func words(sql string) []string {
	names := []string{}
	for _, m := range word.FindAllStringSubmatch(sql, -1) {
		name := strings.ToLower(m[3])
		if m[2] != "" {
			name = strings.ReplaceAll(m[2], `""`, `"`)
		}
		if names = append(names, name); m[1] != "" {
			names = append(names, "."+name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Settings names the settings of a session, its role and its search path, on which functions, policies and what a text says may hang.
func Settings(ctx context.Context, ask Ask) (string, error) {
	var all string
	err := ask(ctx, `SELECT pg_catalog.md5(pg_catalog.string_agg(name || '=' || coalesce(setting, ''), E'\n' ORDER BY name)) || ' ' || current_user || ' ' || session_user || ' ' ||
		pg_catalog.array_to_string(pg_catalog.current_schemas(true), ',') FROM pg_catalog.pg_show_all_settings()`, nil, &all)
	return all, err
}
