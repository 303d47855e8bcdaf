package ledger

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// statedLedger has releases of every kind that a statement tells apart.
func statedLedger(t testing.TB) *Ledger {
	t.Helper()
	c := testConfig()
	c.Reserve, c.Expires = 1e-8, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	o := system()
	o.now = testTime
	l, err := create(tempPath(t), c, o)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	r := on(request("mean", 0), "a", "")
	r.Event = accountant.Gaussian{Sensitivity: 1, Sigma: 20, Neighbours: accountant.ReplaceOne}
	r.Mechanism, r.Reference = "Impute(Mean{}).Mean()", "Dwork, Roth 2014, Theorem A.1 <&>"
	mustRelease(t, l, r, `38.25`)
	_, err = l.Release(t.Context(), request("broken", 0.04), draws(`no JSON`, nil))
	if err == nil {
		t.Fatal("took a value that is no JSON")
	}
	r = on(request("tested", 0.03), "b", "2026")
	r.Event = gauss{mu: 0.03, tv: 1e-16}
	r.Guarantee.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{"no duplicates"}}
	mustRelease(t, l, fresh(r), `38.5`)
	return l
}

// The document's form is a promise: fields may be added, nothing else may change.
func TestStatementDocument(t *testing.T) {
	l := statedLedger(t)
	s, err := l.Statement()
	must(t, err)
	doc, err := s.MarshalIndent()
	must(t, err)
	text := strings.NewReplacer(s.Ledger, "<ID>", s.Head, "<HASH>").Replace(string(doc))
	golden := filepath.Join("testdata", "statement.json")
	if *update {
		must(t, os.WriteFile(golden, []byte(text), 0o644))
	}
	if want := readText(t, golden); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	var back Statement
	must(t, json.Unmarshal(doc, &back))
	for i := range back.Releases { // indented
		back.Releases[i].Parameters, s.Releases[i].Parameters = nil, nil
	}
	if !reflect.DeepEqual(back, s) {
		t.Errorf("reads back as\n%+v, want\n%+v", back, s)
	}
	if strings.Contains(string(doc), "38.") {
		t.Error("the statement holds a released value")
	}
}

func TestStatementTotals(t *testing.T) {
	l := statedLedger(t)
	s, err := l.Statement()
	must(t, err)
	st := mustStatus(t, l)
	sum := 0.05*0.05 + 0.04*0.04 + 0.03*0.03
	tot := s.Total
	if !tot.Holds || tot.Releases != 3 || tot.Epsilon != st.Spent.Epsilon || tot.Delta != st.Budget.Delta || !reflect.DeepEqual(tot.Scope, st.Scope) {
		t.Errorf("total %+v, status %+v", tot, st)
	}
	if mu := math.Sqrt(sum); tot.Mu < mu || tot.Mu > mu*(1+1e-14) {
		t.Errorf("μ = %v, want just above %v", tot.Mu, mu)
	}
	if star, err := calibrate(l.Config()); err != nil || tot.Limit > star || tot.Limit < star*(1-1e-14) {
		t.Errorf("limit %v, want just below %v (%v)", tot.Limit, star, err)
	}
	e, err := accountant.Unmarshal(s.Releases[0].Parameters)
	if err != nil || !reflect.DeepEqual(e, accountant.Event(accountant.Gaussian{Sensitivity: 1, Sigma: 20, Neighbours: accountant.ReplaceOne})) {
		t.Errorf("parameters %s: %v, %v", s.Releases[0].Parameters, e, err)
	}
	if s.Head != l.hist.prev || s.Records != 6 || len(s.Head) != 64 {
		t.Errorf("head %d %s", s.Records, s.Head)
	}
}

// What a ledger charged beyond its budget, as a forged one did, is told as such, and no smaller.
func TestStatementOfTooMuch(t *testing.T) {
	f := newFilter(testConfig(), 0.2)
	f.add(cost{mu: 0.19, tv: 1e-9}, "", "")
	if f.holds() {
		t.Fatal("the test wants too much total variation")
	}
	if eps := f.spent(); f.delta(eps) <= 1e-6 || f.delta(eps) > 1e-6+4e-9 {
		t.Errorf("δ = %v at ε = %v", f.delta(eps), eps)
	}
	f.add(cost{mu: 0.01, fail: 1}, "", "")
	if f.delta(f.spent()) != 1 {
		t.Errorf("δ = %v, want 1", f.delta(f.spent()))
	}
}

func TestOpenReader(t *testing.T) {
	l := statedLedger(t)
	want, err := l.Statement()
	must(t, err)
	// A copy without a key, that nobody may write, in a folder that nobody may write.
	dir := tempDir(t)
	path := filepath.Join(dir, "copy")
	copyFile(t, l.path, path)
	must(t, os.Chmod(path, 0o400))
	must(t, os.Chmod(dir, 0o500))
	state := ownState(t)
	r, err := OpenReader(path)
	must(t, err)
	defer r.Close()
	got, err := r.Statement()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = r.Release(t.Context(), request("a", 0.01), draws(`1`, nil))
	says(t, err, ErrReadOnly)
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("wrote to the state folder: %v, %v", left, err)
	}
	must(t, os.Chmod(dir, 0o700))
	if readText(t, path) != readText(t, l.path) {
		t.Error("the file was changed")
	}
}

// Records of the second kind: with a law, data, versions, an expiry and a project. The files are promises.
func TestReadsFieldsAddedToVersion1(t *testing.T) {
	path := filepath.Join("testdata", "version1-stated.ledger")
	if *update {
		must(t, os.WriteFile(path, []byte(readText(t, statedLedger(t).path)), 0o600))
	}
	h := mustReplay(t, []byte(readText(t, path)))
	if len(h.entries) != 3 || h.config.Expires.Year() != 2030 || h.entries[0].Reference == "" || len(h.entries[0].Law) == 0 ||
		h.data[""] != strings.Repeat("a", 64) || h.data["2026"] != strings.Repeat("b", 64) || h.header.KeyCheck == "" {
		t.Errorf("reads %+v", h)
	}
}
