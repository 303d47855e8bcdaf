package ledger

import (
	"strings"
	"testing"
)

// named is r under another identity, with those of before.
func named(r Request, id string, old ...string) Request {
	r.ID = request(id, 0).ID
	for _, o := range old {
		r.OldIDs = append(r.OldIDs, request(o, 0).ID)
	}
	return r
}

// A release whose identity changed replays under its earlier ones, in every ledger that holds one.
func TestOldIdentities(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	r := request("mean", 0.01)
	mustRelease(t, l, named(r, "v1"), `1`)
	mustRelease(t, l, named(r, "v2"), `2`)
	_, err := l.Release(t.Context(), named(r, "cut"), draws(`no JSON`, nil))
	if err == nil {
		t.Fatal("took a value that is no JSON")
	}
	for _, l := range []*Ledger{l, mustOpen(t, path)} {
		for name, c := range map[string]struct {
			r    Request
			want string
		}{
			"under its own":                    {named(r, "v2", "v1"), `2`},
			"under an old one":                 {named(r, "v3", "v1"), `1`},
			"under the most recent":            {named(r, "v3", "v2", "v1"), `2`},
			"an old one that nobody used":      {named(r, "v3", "v0", "v1"), `1`},
			"a value before a charge without":  {named(r, "cut", "v1"), `1`},
			"a value behind a charge without":  {named(r, "v3", "cut", "v1"), `1`},
			"the same one twice, and its own ": {named(r, "v1", "v1", "v1"), `1`},
		} {
			if rc := mustRelease(t, l, c.r, `"drawn"`); !rc.Replayed || string(rc.Value) != c.want || rc.Status.Releases != 3 {
				t.Errorf("%s: got %s, replayed %v, %d releases; want %s of 3", name, rc.Value, rc.Replayed, rc.Status.Releases, c.want)
			}
		}
		calls := 0
		_, err := l.Release(t.Context(), named(r, "v3", "cut"), draws(`3`, &calls))
		says(t, err, ErrInterrupted, "charged on")
		if calls > 0 {
			t.Error("an interrupted release is drawn again under its new identity")
		}
	}
	rc := mustRelease(t, l, fresh(named(r, "v3", "v2")), `3`)
	if rc.Replayed || rc.Status.Releases != 4 || mustEntries(t, l)[3].ID != request("v3", 0).ID {
		t.Errorf("Fresh: %+v, want a charge under the new identity", rc)
	}
	if rc := mustRelease(t, l, named(r, "v4", "v3", "v2"), `0`); string(rc.Value) != `3` {
		t.Errorf("after Fresh %s replays, want 3", rc.Value)
	}
	for name, old := range map[string]string{"short": "abc", "upper case": strings.Repeat("A", 64), "empty": ""} {
		bad := request("bad", 0.01)
		bad.OldIDs = []string{old}
		if _, err := l.Release(t.Context(), bad, draws(`1`, nil)); err == nil || !strings.Contains(err.Error(), "ledger: request: old IDs: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A ledger that is bound to an earlier form of the fingerprint takes the same rows under the new one.
func TestOldFingerprints(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, on(request("old", 0.01), "a", ""), `1`)
	known := func(r Request, old string) Request { r.OldData = []string{strings.Repeat(old, 64)}; return r }
	for i, name := range []string{"new", "new again"} {
		rc := mustRelease(t, l, known(on(request(name, 0.01), "b", ""), "a"), `2`)
		if rc.Status.Releases != i+2 {
			t.Errorf("%s: %d releases", name, rc.Status.Releases)
		}
	}
	l = mustOpen(t, path) // what was written reads
	for name, r := range map[string]Request{
		"the new form alone":        on(request("c", 0.01), "b", ""),
		"rows of another old form":  known(on(request("c", 0.01), "b", ""), "c"),
		"other rows in both forms":  known(on(request("c", 0.01), "d", ""), "d"),
		"a version bound otherwise": known(on(request("c", 0.01), "b", ""), "b"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Release(t.Context(), r, draws(`1`, nil))
			says(t, err, ErrDataset, "nothing was charged")
		})
	}
	mustRelease(t, l, on(request("old form", 0.01), "a", ""), `3`)
	mustRelease(t, l, known(on(request("other version", 0.01), "b", "2"), "a"), `4`) // bound anew, in the new form
	mustRelease(t, l, on(request("other version again", 0.01), "b", "2"), `5`)
	for name, r := range map[string]Request{
		"no digest":    {Data: strings.Repeat("a", 64), OldData: []string{"abc"}},
		"without data": {OldData: []string{strings.Repeat("a", 64)}},
	} {
		full := request(name, 0.01)
		full.Data, full.OldData = r.Data, r.OldData
		if _, err := l.Release(t.Context(), full, draws(`1`, nil)); err == nil || !strings.Contains(err.Error(), "ledger: request: old data: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
