package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func on(r Request, data, version string) Request {
	r.Data, r.Version = strings.Repeat(data, 64), version
	return r
}

func TestOtherData(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, on(request("a", 0.01), "a", ""), `1`)
	mustRelease(t, l, on(request("a2", 0.01), "a", ""), `1`)
	mustRelease(t, l, request("the caller does not tell", 0.01), `1`)
	for _, l := range []*Ledger{l, mustOpen(t, path)} {
		_, err := l.Release(t.Context(), on(request("b", 0.01), "b", ""), draws(`1`, nil))
		says(t, err, ErrDataset, "nothing was charged", "schema (columns, bounds, levels) differ from those of its first release", "Options.Version", "second budget")
	}
	mustRelease(t, l, on(request("b", 0.01), "b", "2026"), `1`)
	mustRelease(t, l, on(request("a3", 0.01), "a", ""), `1`) // the first version stays
	_, err := l.Release(t.Context(), on(request("c", 0.01), "c", "2026"), draws(`1`, nil))
	says(t, err, ErrDataset, `the first release of version "2026"`)
	if es := mustEntries(t, l); len(es) != 5 || es[3].Version != "2026" {
		t.Errorf("entries %+v", es)
	}
	for name, r := range map[string]Request{
		"no digest":            {Data: "abc"},
		"upper case":           {Data: strings.Repeat("A", 64)},
		"version without data": {Version: "1"},
		"version of two lines": on(Request{}, "a", "1\n2"),
		"endless mechanism":    {Mechanism: strings.Repeat("x", 4001)},
	} {
		full := request(name, 0.01)
		full.Data, full.Version, full.Mechanism = r.Data, r.Version, r.Mechanism
		if _, err := l.Release(t.Context(), full, draws(`1`, nil)); err == nil || !strings.Contains(err.Error(), "ledger: request: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestForgedDataAreDamage(t *testing.T) {
	b := version1(t)
	for i, data := range []string{"a", "b"} {
		p := charge{ID: request("x", 0).ID, Event: "e", Mu: 0.01, Guarantee: fileOf(request("x", 0).Guarantee), Data: strings.Repeat(data, 64)}
		line, err := newRecord(8+i, testTime(), kindCharge, p, mustReplay(t, b).prev)
		must(t, err)
		b = append(append(b, line...), '\n')
		if _, err := replayBytes(b); (err != nil) != (i == 1) {
			t.Errorf("line %d: %v", 8+i, err)
		}
	}
}

// clocked is a ledger whose clock the test turns.
func clocked(t *testing.T, c Config) (*Ledger, *time.Time) {
	t.Helper()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("east", 7200))
	o := system()
	o.now = func() time.Time { return now }
	l, err := create(tempPath(t), c, o)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, &now
}

func TestExpires(t *testing.T) {
	c := testConfig()
	c.Expires = time.Date(2026, 6, 1, 0, 0, 0, 0, time.FixedZone("west", -3600))
	l, now := clocked(t, c)
	mustRelease(t, l, request("a", 0.01), `1`)
	*now = c.Expires.Add(-time.Nanosecond)
	mustRelease(t, l, request("b", 0.01), `1`)
	*now = c.Expires
	calls := 0
	for _, r := range []Request{request("c", 0.01), fresh(request("a", 0.01))} {
		_, err := l.Release(t.Context(), r, draws(`1`, &calls))
		says(t, err, ErrExpired, "2026-06-01 01:00 UTC", "nothing was charged")
	}
	if calls > 0 {
		t.Error("drawn all the same")
	}
	if rc := mustRelease(t, l, request("a", 0.01), `0`); !rc.Replayed {
		t.Error("what was stored does not replay")
	}
	again, err := OpenOrCreate(l.path, c) // the same time in another zone
	must(t, err)
	defer again.Close()
	if s := mustStatus(t, again); !s.Expires.Equal(c.Expires) || !strings.Contains(s.String(), "expires  2026-06-01 01:00 UTC") {
		t.Errorf("status %v", s)
	}
	_, err = OpenOrCreate(l.path, testConfig())
	says(t, err, ErrConfig, "expires: the file has 2026-06-01 01:00 UTC, asked never")
	early := testConfig()
	early.Expires = time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC)
	if _, err := Create(tempPath(t), early); err == nil || !strings.Contains(err.Error(), "the year 1") {
		t.Errorf("got %v", err)
	}
}

// A clock that is set back: records stay in order, the status says so, and no expired ledger comes back
// once a later record was made.
func TestClockGoesBack(t *testing.T) {
	c := testConfig()
	c.Expires = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	l, now := clocked(t, c)
	*now = c.Expires.Add(-time.Hour)
	late := mustRelease(t, l, request("a", 0.01), `1`)
	*now = now.Add(-48 * time.Hour)
	rc := mustRelease(t, l, request("b", 0.01), `1`)
	if rc.When.Before(late.When) {
		t.Errorf("dated %v after %v", rc.When, late.When)
	}
	if text := rc.Status.String(); !strings.Contains(text, "the clock is 48h0m0s behind the last record") {
		t.Errorf("status\n%s", text)
	}
	last := time.Time{}
	for line := range strings.Lines(readText(t, l.path)) {
		var r record
		if decode([]byte(strings.TrimSuffix(line, "\n")), &r) != nil {
			continue // the header
		}
		if r.Time.Before(last) {
			t.Errorf("record %d is dated before the one before", r.Seq)
		}
		last = r.Time
	}
	*now = now.Add(49 * time.Hour)
	_, err := l.Release(t.Context(), request("c", 0.01), draws(`1`, nil))
	says(t, err, ErrExpired)
}

// Files of before, or of a program that does not care, may hold records out of order: they are told.
func TestRecordsOutOfOrder(t *testing.T) {
	b := version1(t)
	p := charge{ID: request("x", 0).ID, Event: "e", Mu: 0.01, Guarantee: fileOf(request("x", 0).Guarantee)}
	line, err := newRecord(8, testTime(), kindCharge, p, mustReplay(t, b).prev)
	must(t, err)
	path := tempPath(t)
	writeLedger(t, path, append(append(b, line...), '\n'))
	ownState(t)
	if s := mustStatus(t, mustOpen(t, path)); len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "1 record dated before an earlier one") {
		t.Errorf("warnings %v", s.Warnings)
	}
}

// reading is r of rows whose columns it reads, "name=digit".
func reading(r Request, version string, rows int, columns ...string) Request {
	r.Version, r.Rows, r.Columns = version, rows, map[string]string{}
	for _, c := range columns {
		name, digit, _ := strings.Cut(c, "=")
		r.Columns[name] = strings.Repeat(digit, 64)
	}
	return r
}

// Columns are bound one by one, as releases read them; what a release does not read may change.
func TestColumns(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, reading(request("a", 0.01), "", 60, "age=a", "pay=b"), `1`)
	mustRelease(t, l, reading(request("b", 0.01), "", 60, "pay=b", "home=c"), `1`)
	mustRelease(t, l, reading(request("c", 0.01), "", 60, "age=a"), `1`)
	mustRelease(t, l, request("the caller does not tell", 0.01), `1`)
	for i, l := range []*Ledger{l, mustOpen(t, path)} {
		for name, c := range map[string]struct {
			r    Request
			says string
		}{
			"another cell":                   {reading(request("x", 0.01), "", 60, "age=f"), `column "age"`},
			"another cell in one of several": {reading(request("x", 0.01), "", 60, "age=a", "home=f", "new=d"), `column "home"`},
			"another number of rows":         {reading(request("x", 0.01), "", 61, "age=a"), "the number of rows, 61, differs from the 60"},
			"more rows of a new column":      {reading(request("x", 0.01), "", 61, "new=a"), "the number of rows"},
			"more rows of no column":         {reading(request("x", 0.01), "", 61), "the number of rows"},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := l.Release(t.Context(), c.r, draws(`1`, nil))
				says(t, err, ErrDataset, c.says, "nothing was charged", "Options.Version")
			})
		}
		mustRelease(t, l, reading(request(fmt.Sprint("another version", i), 0.01), "2026", 7, "age=f"), `1`)
		mustRelease(t, l, reading(request(fmt.Sprint("no column", i), 0.01), "", 60), `1`)
		mustRelease(t, l, reading(request(fmt.Sprint("no column, unbound", i), 0.01), "2025", 60), `1`)
		_, err := l.Release(t.Context(), reading(request("x", 0.01), "2026", 60, "age=f"), draws(`1`, nil))
		says(t, err, ErrDataset, `the first release of version "2026"`)
	}
	if rc := mustRelease(t, l, reading(request("a", 0.01), "", 60, "age=a", "pay=f"), `2`); !rc.Replayed {
		t.Error("a stored release is not replayed") // its ID says what it was drawn from
	}
	if n := strings.Count(readText(t, path), `"binds":`); n != 3 {
		t.Errorf("%d charges bind columns, want the 3 that read one first", n)
	}
	for name, r := range map[string]Request{
		"rows alone":        {Rows: 60},
		"columns alone":     {Columns: map[string]string{"age": strings.Repeat("a", 64)}},
		"negative rows":     {Rows: -1, Columns: map[string]string{"age": strings.Repeat("a", 64)}},
		"both":              {Rows: 60, Data: strings.Repeat("a", 64), Columns: map[string]string{"age": strings.Repeat("a", 64)}},
		"no digest":         {Rows: 60, Columns: map[string]string{"age": "a"}},
		"no name":           {Rows: 60, Columns: map[string]string{"": strings.Repeat("a", 64)}},
		"a name on 2 lines": {Rows: 60, Columns: map[string]string{"a\nb": strings.Repeat("a", 64)}},
	} {
		full := request(name, 0.01)
		full.Data, full.Rows, full.Columns = r.Data, r.Rows, r.Columns
		if _, err := l.Release(t.Context(), full, draws(`1`, nil)); err == nil || !strings.Contains(err.Error(), "ledger: request: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A version that was bound as a whole takes columns from those who show its fingerprint, until the columns are bound.
func TestColumnsOfAnOldBinding(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, on(request("old", 0.01), "a", ""), `1`)
	shown := func(r Request, old string) Request { r.OldData = []string{strings.Repeat(old, 64)}; return r }
	for name, r := range map[string]Request{
		"nothing shown": reading(request("x", 0.01), "", 60, "age=b"),
		"another one":   shown(reading(request("x", 0.01), "", 60, "age=b"), "c"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Release(t.Context(), r, draws(`1`, nil))
			says(t, err, ErrDataset, "the rows or the schema")
		})
	}
	mustRelease(t, l, shown(reading(request("new", 0.01), "", 60, "age=b"), "a"), `1`)
	l = mustOpen(t, path)
	mustRelease(t, l, reading(request("bound by now", 0.01), "", 60, "age=b"), `1`)
	_, err := l.Release(t.Context(), reading(request("x", 0.01), "", 60, "age=b", "pay=c"), draws(`1`, nil))
	says(t, err, ErrDataset, "the rows or the schema")
	_, err = l.Release(t.Context(), shown(reading(request("x", 0.01), "", 60, "age=f"), "a"), draws(`1`, nil))
	says(t, err, ErrDataset, `column "age"`)
}
