package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
)

func TestLedgersWarnAndKeepPaths(t *testing.T) {
	a := "/home/somebody/with/a/rather/deep/folder/of/notebooks/and/another/folder/below/that/one/adult.ledger"
	config := ledger.Config{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Dataset: "adult"}
	v := Ledgers([]ledger.Known{
		{Path: a, Config: config, Others: []string{"/b.ledger"}},
		{Path: "/b.ledger", Config: config, Others: []string{a}, Missing: true},
	})
	text := v.Text()
	for _, want := range []string{a + "  adult", "MISSING", `WARNING: "adult" has 2 ledgers`, "budgets add up"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "WARNING") != 1 {
		t.Errorf("one warning for one pair:\n%s", text)
	}
	if text := Ledgers(nil).Text(); !strings.Contains(text, "(no rows)") {
		t.Errorf("no ledgers:\n%s", text)
	}
}

func TestBreaksOfLongWords(t *testing.T) {
	path := "/" + strings.Repeat("folder/", 20) + "adult.ledger"
	for name, c := range map[string]struct{ in, want string }{
		"a chain":       {"OneHot().Impute(Mean{}).FitLogistic()", "OneHot().Impute(Mean{})|.FitLogistic()"},
		"a short chain": {"OneHot().Scale()", "OneHot().Scale()"},
		"one call":      {strings.Repeat("x", 30), strings.Repeat("x", 28) + "|xx"},
		"a path":        {"see " + path + ": gone", "see|" + path + ":|gone"},
		"two paths":     {"(" + path + ", " + path + ")", "(" + path + ",|" + path + ")"},
	} {
		if got := strings.Join(wrap(c.in, 28), "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Values whose String is a table, as those of package dpkit, are shown line by line.
func TestResultOfATable(t *testing.T) {
	e := dpkit.Estimates{Of: "count", Names: []string{"a\x1b[2J", "b"}, Values: []float64{10, 20}, Sigma: []float64{1, 1}}
	v := Result(dpkit.Result[dpkit.Estimates]{Value: e})
	if text := v.Text(); strings.Contains(text, `\n`) || !strings.Contains(text, "± 1.96\n") || strings.Contains(text, "\x1b") {
		t.Errorf("%s", text)
	}
}
