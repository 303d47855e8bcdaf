package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// adultLedger is a ledger file of the format's first days, in a folder and with a state folder of its own.
func adultLedger(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	b, err := os.ReadFile("../../../accountant/ledger/testdata/version1.ledger")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "adult.ledger")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLedgerCommand(t *testing.T) {
	path := adultLedger(t)
	dir := filepath.Dir(path)
	damaged := filepath.Join(dir, "damaged.ledger")
	if err := os.WriteFile(damaged, []byte("weights\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	page, doc := filepath.Join(dir, "page.html"), filepath.Join(dir, "statement.json")
	for name, c := range map[string]struct {
		args string
		code int
		want string // in what is printed
	}{
		"show":                {"show " + path, exitOK, "4 releases"},
		"show as a page":      {"show -o " + page + " " + path, exitOK, "wrote " + page},
		"show, no extension":  {"show -o " + dir + "/x " + path, exitEnvironment, "extension"},
		"show two in one":     {"show -o x.html a b", exitUsage, "one ledger"},
		"show none":           {"show", exitUsage, "no ledger given"},
		"verify":              {"verify " + path, exitOK, "adult.ledger: ok\n  7 records"},
		"verify several":      {"verify " + path + " " + damaged, exitCell, "damaged.ledger: NOT OK\n  problem: ledger: "},
		"verify none":         {"verify " + path + ".none", exitCell, "ledger missing"},
		"export":              {"export " + path, exitOK, `"format": "dpnb-privacy-statement"`},
		"export to a file":    {"export -o " + doc + " " + path, exitOK, "wrote " + doc},
		"export two":          {"export a b", exitUsage, "one ledger"},
		"export damage":       {"export " + damaged, exitCell, "no ledger file"},
		"export to nowhere":   {"export -o " + dir + "/none/x " + path, exitEnvironment, "no such file"},
		"list":                {"list", exitOK, "dataset"},
		"list a file":         {"list x", exitUsage, "nothing more"},
		"forget, not sure":    {"forget " + path, exitUsage, "nothing was done"},
		"forget what is none": {"forget -yes " + path, exitCell, "no ledger is known"},
		"no action":           {"", exitUsage, "want show, verify"},
		"another action":      {"burn", exitUsage, `got "burn"`},
		"help":                {"-h", exitOK, "nb ledger verify"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := command(t.Context(), append([]string{"ledger"}, strings.Fields(c.args)...), &out, &errs)
			if both := out.String() + errs.String(); code != c.code || !strings.Contains(both, c.want) {
				t.Errorf("exit %d, want %d with %q:\n%s", code, c.code, c.want, both)
			}
			if strings.Contains(out.String()+errs.String(), "weights") {
				t.Error("a damaged file's content is printed")
			}
		})
	}
	var s struct{ Releases []any }
	if b, err := os.ReadFile(doc); err != nil || json.Unmarshal(b, &s) != nil || len(s.Releases) != 4 {
		t.Errorf("the statement's file: %v", err)
	}
	if b, err := os.ReadFile(page); err != nil || !bytes.Contains(b, []byte("</html>")) {
		t.Errorf("the page: %v", err)
	}
}
